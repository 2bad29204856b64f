"""What was measured, as the section of the documentation page between two marks."""

from pathlib import Path
from typing import Any

from ..keeping import keep_section
from ..spawn_roundtrip.report import seconds
from ..spawn_roundtrip.results import Spread
from .contenders import CONTENDERS
from .endings import LOOK
from .rollout import COUNT, ENDINGS
from .start import METRICS

__all__ = ["PAGE", "section", "write"]

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "trl-costs.md"
ROLLOUTS = 16


def write(results: dict[str, Any], page: Path = PAGE) -> None:
    """Put a section into a page, in place of the one that was there.

    Args:
        results: What was measured.
        page: The page.

    Raises:
        ValueError: The page has no marks to put it between.
    """
    keep_section(page, section(results))


def section(results: dict[str, Any]) -> str:
    """Return the section as Markdown.

    Args:
        results: What was measured: ``machine``, ``start``, ``steps``, ``step_seconds``, ``verdicts`` and ``endings``.
    """
    said = " · ".join(f"{key} {value}" for key, value in results["machine"].items())
    parts = [f"Measured by `python -m benchmarks.trl_costs` ({said}).", *_start(results), *_steps(results)]
    return "\n".join([*parts, *_verdicts(results), *_endings(results)])


def _table(titles: list[str], rows: list[list[str]]) -> list[str]:
    lines = [titles, ["---"] * len(titles), *rows]
    return ["", *(f"| {' | '.join(line)} |" for line in lines), ""]


def _start(results: dict[str, Any]) -> list[str]:
    sizes = sorted({row["tools"] for row in results["start"]})
    titles = ["", *(f"{name}, {count} tools" for count in sizes for name in CONTENDERS)]
    found = {(row["tools"], row["contender"]): row for row in results["start"]}
    rows = [
        [label, *(_cell(metric, found[count, name][metric]) for count in sizes for name in CONTENDERS)]
        for metric, label in METRICS.items()
    ]
    return ["", "## At the start of a run", *_table(titles, rows)]


def _cell(metric: str, spread: Spread) -> str:
    return f"{spread.median:,.0f} B" if metric == "bytes" else seconds(spread.median)


def _steps(results: dict[str, Any]) -> list[str]:
    steps, step = results["steps"], results["step_seconds"]
    whole = {row["contender"]: row for row in results["start"] if row["tools"] == max(r["tools"] for r in results["start"])}
    spent = sum(whole["envpickle"][metric].median for metric in METRICS if metric != "bytes")
    rows = [
        [what, seconds(steps[f"{kind} plain"].median), seconds(steps[f"{kind} {other}"].median)]
        for what, kind, other in (
            ("a call of a tool that does nothing else", "call", "built"),
            ("making an instance that does nothing else", "make", "built"),
            ("a call of a reward function, a partial or a portable one of it", "reward", "portable"),
        )
    ]
    return [
        "## In a step",
        *_table(["", "plain Python", "envpickle"], rows),
        (
            f"The start, all of it together, takes {seconds(spent)} with the largest toolset: {spent / step:.2%} of one step "
            f"of {step:g} s with {ROLLOUTS} rollouts, once in a run. What a step pays after that is the difference above.\n"
        ),
    ]


def _verdicts(results: dict[str, Any]) -> list[str]:
    rows = [[row["line"], *(row[name] for name in CONTENDERS)] for row in results["verdicts"]]
    return ["## What arrives", *_table(["", *CONTENDERS], rows)]


def _endings(results: dict[str, Any]) -> list[str]:
    found = {(row["ending"], row["contender"]): row for row in results["endings"]}
    rows = [[text, *(_left(found[ending, name]) for name in CONTENDERS)] for ending, text in ENDINGS.items()]
    lead = f"{COUNT} episodes are live when the run ends; counted are sessions on the server {LOOK:g} s later.\n"
    return ["## What is left open", "", lead, *_table(["", *CONTENDERS], rows)[1:]]


def _left(row: dict[str, Any]) -> str:
    after = "none" if row["after"] == 0 else f"**{row['after']} sessions**"
    when = f"gone after {seconds(row['seconds'])}" if row["seconds"] is not None else "still there when we gave up"
    orphans = f", and {row['processes']} orphaned process" if row["processes"] else ""
    return f"{after} ({when}{orphans})"
