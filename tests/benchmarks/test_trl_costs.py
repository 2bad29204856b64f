"""What envpickle costs a training run: the comparison is tried, not told, and goes into the page as a section."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.keeping import MEASURED
from benchmarks.portsim.launch import running
from benchmarks.spawn_roundtrip.results import Spread
from benchmarks.trl_costs import endings, page, rollout, start, verdicts
from benchmarks.trl_costs.contenders import CONTENDERS


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (verdicts.column, ("`short`", "`Shipped`")),
        (verdicts.awaited, ("awaited", "never awaited")),
        (verdicts.shared_variable, ("refused, with the reason", "a wrong result, silently")),
        (verdicts.schema, ("as at home", "`name 'Bay' is not defined`")),
        (verdicts.crosses, ("yes", "yes")),
    ],
)
def test_what_arrives(line: Any, expected: tuple[str, str]) -> None:
    assert tuple(map(line, CONTENDERS)) == expected


def test_the_start_is_measured_in_fresh_processes() -> None:
    rows = start.start_costs((8,), 1, lambda: None)
    assert [row["contender"] for row in rows] == list(CONTENDERS)
    ours, wrapper = rows
    assert ours["bytes"].median < wrapper["bytes"].median
    assert all(row[metric].count == 1 and row[metric].median > 0 for row in rows for metric in start.METRICS)


def test_a_killed_trainer_leaves_sessions_open_with_the_wrapper_alone() -> None:
    with running({"max_sessions": 2 * rollout.COUNT}) as port:
        ours = endings.ended(port, "envpickle", "trainer SIGKILL", 20.0)
        assert (ours["after"], ours["processes"]) == (0, 0)
        port.wait_live("dock", 0, 30)
        wrapper = endings.ended(port, "the wrapper", "trainer SIGKILL", endings.LOOK + 0.5)
        assert (wrapper["after"], wrapper["seconds"], wrapper["processes"]) == (rollout.COUNT, None, 1)
        port.wait_live("dock", 0, 30)  # what was left over was ended


def test_a_process_that_has_ended_is_not_alive() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    deadline = time.monotonic() + 30
    while endings.alive(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not endings.alive(process.pid)  # a zombie: nobody has waited for it
    process.wait()
    assert endings.alive(os.getpid())


def results() -> dict[str, Any]:
    spread = Spread.of([0.001])
    sizes = dict.fromkeys(start.METRICS, spread)
    steps = {f"{kind} {who}": spread for kind, who in (("call", "built"), ("make", "built"), ("reward", "portable"))}
    return {
        "machine": {"cpu": "an abacus", "date": "2026-11-29"},
        "step_seconds": 2.0,
        "start": [{"tools": 8, "contender": name, **sizes} for name in CONTENDERS],
        "steps": {**steps, **{f"{kind} plain": spread for kind in ("call", "make", "reward")}},
        "verdicts": [{"line": "a line", **dict.fromkeys(CONTENDERS, "yes")}],
        "endings": [
            {"ending": ending, "contender": name, "after": 28, "seconds": None, "processes": 1}
            for ending in rollout.ENDINGS
            for name in CONTENDERS
        ],
    }


BEGIN, END = MEASURED


def test_the_section_replaces_the_one_that_was_there(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(f"# Costs\n\n{BEGIN}\nstale figures\n{END}\n\nAfter.\n", encoding="utf-8")
    page.write(results(), file)
    page.write(results(), file)
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"# Costs\n\n{BEGIN}\n")
    assert text.endswith(f"{END}\n\nAfter.\n")
    assert "stale" not in text
    assert text.count("an abacus") == 1
    assert "0.20% of one step of 2 s" in text  # four figures of 1 ms
    assert "**28 sessions** (still there when we gave up, and 1 orphaned process)" in text
    file.write_text("# No marks\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"has no .* between which the section belongs"):
        page.write(results(), file)
