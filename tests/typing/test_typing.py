"""Typing is behaviour: mypy --strict on a user's file reveals the documented types and finds the mistakes."""

import re
from pathlib import Path

import pytest
from mypy import api

HERE = Path(__file__).parent


def checked(name: str, tmp_path: Path) -> dict[int, str]:
    """What mypy says about each line of a file."""
    out, err, _ = api.run(["--strict", "--no-error-summary", f"--cache-dir={tmp_path}", str(HERE / name)])
    assert not err, err
    found: dict[int, str] = {}
    for line in out.splitlines():
        number, text = re.match(r".*?\.py:(\d+): (.*)", line).groups()  # type: ignore[union-attr]
        found[int(number)] = found.get(int(number), "") + text
    return found


def test_public_names_have_the_documented_types(tmp_path: Path) -> None:
    """Each revealed type is the expected one, and nothing else is said."""
    said = checked("public_api.py", tmp_path)
    expected = {
        number: line.split("# E: ")[1]
        for number, line in enumerate((HERE / "public_api.py").read_text().splitlines(), 1)
        if "# E: " in line
    }

    assert set(said) == set(expected), said
    for number, kind in expected.items():
        assert _simple(kind) in _simple(said[number]), (number, said[number])


def _simple(text: str) -> str:
    return re.sub(r"\b(builtins|typing|envpickle|envpickle\.\w+)\.|[\"' ]", "", text).replace("type[Any]", "type")


def test_mistakes_are_found(tmp_path: Path) -> None:
    """Each line that is marked as a mistake is one to mypy, and no other line is."""
    said = checked("public_api_mistakes.py", tmp_path)
    lines = (HERE / "public_api_mistakes.py").read_text().splitlines()

    assert set(said) == {number for number, line in enumerate(lines, 1) if line.endswith("# mistake")}, said


@pytest.mark.parametrize("name", ["public_api.py", "public_api_mistakes.py"])
def test_the_files_are_there(name: str) -> None:
    """The files under test hold what the tests count."""
    assert "envpickle" in (HERE / name).read_text()
