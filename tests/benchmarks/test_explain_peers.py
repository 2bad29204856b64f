"""The comparison with other finders asks what it says it asks; only envpickle and dill are certain to be installed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.explain_peers import __main__ as peers
from benchmarks.explain_peers.inputs import INPUTS
from benchmarks.explain_peers.tools import TOOLS, ask, dumps

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.startswith("envpickle")])
@pytest.mark.parametrize("name", INPUTS)
def test_envpickle_is_right_and_finds_every_cause(tool: str, name: str) -> None:
    value = INPUTS[name].make()
    taken = dumps(TOOLS[tool], value)
    crosses, paths, _ = ask(tool, INPUTS[name].make())
    judged = peers.judged(tool, name, {"taken": taken, "crosses": crosses, "paths": paths, "said": ""})
    causes = len(INPUTS[name].ways.get(TOOLS[tool], []))
    assert judged == ("crosses: right" if taken else f"{causes} of {causes} found")
    assert taken == (causes == 0)


def test_a_wrong_verdict_and_a_path_that_leads_elsewhere_are_called_so() -> None:
    answer = {"taken": False, "crosses": True, "paths": [], "said": ""}
    assert peers.judged("ray", "lock in state", answer) == "wrong verdict"
    answer = {"taken": False, "crosses": False, "paths": ["it.config", "it.lock.config.metrics"], "said": ""}
    assert peers.judged("ray", "lock in state", answer) == "0 of 1 found"


def test_the_command_prints_a_row_for_each_input_and_the_page_has_the_same_rows() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.explain_peers", "--input", "lambda in a table"],
        cwd=ROOT, capture_output=True, text=True, timeout=100, check=True,
    )  # fmt: skip
    assert "| a lambda in a dict | 1 of 1 found | crosses: right |" in done.stdout
    page = peers.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]*?) \| \d of", page, re.MULTILINE)
    assert rows == [one.title for one in INPUTS.values()]
    assert all(peers._TITLES[tool] in page for tool in TOOLS)
