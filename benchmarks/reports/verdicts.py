"""Run the reports, each in fresh processes, and gather one verdict for each report and way."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from voyage.fresh import run
from voyage.trip import PROGRAM, pieces

from .sources import REPORTS
from .ways import WAYS, Way

ROOT = Path(__file__).resolve().parents[2]
HOLDS = ("first", "second", "made", "library")
ALONE = ("05", "21", "25", "28", "29", "30")
_STAGES = {
    "ok": "crosses",
    "make": "refused",
    "dumps": "refused",
    "loads": "late",
    "return": "late",
    "check": "wrong",
    "home": "wrong",
}
_WORST = ("-", "crosses", "refused", "late", "wrong", "hangs")
_IN_THE_LIBRARY = ("13", "14")  # made by a builder these have another shape: nothing may keep the class

Verdicts = dict[tuple[str, str], str]
"""A verdict for each number of a report and name of a way."""


def verdicts(numbers: Iterable[str] = REPORTS) -> Iterator[tuple[str, str, str]]:
    """Run reports one after the other.

    Args:
        numbers: The reports.

    Yields:
        Number, way and verdict of each: ``crosses``, ``refused``, ``late``, ``wrong``, ``hangs`` or ``-``.
    """
    wanted = set(numbers)
    for way in WAYS.values():
        for hold in HOLDS:
            names = [
                piece for piece in pieces(f"harbour.reports_{hold}") if piece[-2:] in wanted and _belongs(piece, hold, way)
            ]
            if names:
                found = run(PROGRAM, way.hold(hold), way.tool, "spawn", *names, quiet=False, PYTHONWARNINGS="ignore")
                yield from ((name[-2:], way.name, _word(verdict)) for name, verdict in found.items())
        for number in sorted(wanted.intersection([*ALONE, "36"])):
            yield number, way.name, _alone(number, way)


def _word(verdict: str) -> str:
    stage, _, what = verdict.partition(": ")
    if stage == "home":
        return "wrong" if what.startswith("AssertionError") else "late"
    return _STAGES[stage]


def gathered(found: Iterable[tuple[str, str, str]]) -> Verdicts:
    """The verdicts by report and way; the worst where a report has several pieces."""
    table: Verdicts = {}
    for number, way, verdict in found:
        table[number, way] = max(verdict, table.get((number, way), "-"), key=_WORST.index)
    return table


def _belongs(piece: str, hold: str, way: Way) -> bool:
    return piece[-2:] not in _IN_THE_LIBRARY or (hold == "library") == (way.kind != "reports")


def _alone(number: str, way: Way) -> str:
    program = ["-m", "benchmarks.reports.alone", number] if number != "36" else [str(ROOT / "benchmarks/reports/guarded.py")]
    done = subprocess.run(
        [sys.executable, *program, way.name],
        env={
            **os.environ,
            "PYTHONWARNINGS": "ignore",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")]),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    word = done.stdout.strip().splitlines()[-1:]
    if word[:1] not in [[known] for known in _WORST]:
        raise RuntimeError(f"report {number}, {way.name}: {done.stdout}\n{done.stderr}")
    return word[0]


def versions() -> str:
    """The tools and their versions."""
    metadata = importlib.import_module("importlib.metadata")
    tools = ", ".join(f"{tool} {metadata.version(tool)}" for tool in ("cloudpickle", "dill", "pydantic", "deap", "gymnasium"))
    return f"CPython {sys.version_info.major}.{sys.version_info.minor}, {tools}"
