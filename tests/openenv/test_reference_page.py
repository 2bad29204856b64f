"""The page on schemas says what is read back, and leaves out none of the corpus."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from quay.cases import Case, one
from quay.corpus import LOST, REWRITTEN
from transformers.utils import get_json_schema

from envpickle_openenv import Toolset, environment_class

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "openenv-schemas.md"
ROW = re.compile(r"^\| `(\{.*?\})` \| `(\{.*?\})` \|(?: `(\{.*?\})` \|)?$", re.MULTILINE)
ROWS = [tuple(cell or "" for cell in row) for row in ROW.findall(PAGE.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rows_are_true(row: tuple[str, str, str]) -> None:
    listed, read, said = row
    built = environment_class.fn("Quay", Toolset.from_listing([one(json.loads(listed))]).plain(), "http://127.0.0.1:9")
    x: dict[str, Any] = get_json_schema(built().move)["function"]["parameters"]["properties"]["x"]
    assert x == {**json.loads(read), "description": f"What it is. {said}".strip()}


@pytest.mark.parametrize("case", [*REWRITTEN, *LOST], ids=lambda case: case.id)
def test_the_corpus_is_on_the_page(case: Case) -> None:
    x = {key: value for key, value in case.tool["inputSchema"]["properties"]["x"].items() if key != "description"}
    assert x in [json.loads(listed) for listed, _, _ in ROWS]
