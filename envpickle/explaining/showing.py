"""A report as plain text, for which nothing needs to be installed."""

from __future__ import annotations

import textwrap

from .parts import REFUSED, Report
from .rows import Row, about, rows_of, verdict, why

WIDTH = 80


def as_text(report: Report, width: int = WIDTH) -> str:
    """The verdict, the first thing to mend, and the tree.

    Args:
        report: The report.
        width: Columns.
    """
    return "\n".join([*heading(report, width), "", *_tree(rows_of(report), width), *_hints(report, width)])


def heading(report: Report, width: int = WIDTH) -> list[str]:
    """The lines before the tree: the verdict and, if something is refused, the first thing to mend."""
    lines = textwrap.wrap(verdict(report), width)
    first = report.first
    if first is not None:
        for name, text in (("first", first.path), ("why", why(first)), ("do", first.remedy)):
            lines += textwrap.wrap(text, width, initial_indent=f"{name + ':':7}", subsequent_indent=" " * 7)
    lines += textwrap.wrap(report.further, width)
    return lines


def _hints(report: Report, width: int) -> list[str]:
    return ["", *(line for hint in report.hints for line in textwrap.wrap(hint, width))] if report.hints else []


def _tree(top: Row, width: int) -> list[str]:
    lines: list[str] = []
    stack: list[tuple[Row | str, str, str]] = [(top, "", "")]
    while stack:
        row, lead, below = stack.pop()
        if isinstance(row, str):
            lines.append(lead + row)
            continue
        rest: list[tuple[Row | str, str, str]] = [(child, f"{below}├── ", f"{below}│   ") for child in row.children]
        if rest and not row.left_out:
            rest[-1] = (row.children[-1], f"{below}└── ", f"{below}    ")
        inside = f"{below}│   " if row.children or row.left_out else below
        lines += _row(row, lead, inside, max(width, len(lead) + 30))
        if row.left_out:
            rest.append((left_out(row.left_out), f"{below}└── ", below))
        stack += reversed(rest)
    return lines


def left_out(count: int) -> str:
    """The line for parts that are not shown."""
    return f"... {count:,} more {'part that crosses' if count == 1 else 'parts, all of which cross'}"


def _row(row: Row, lead: str, below: str, width: int) -> list[str]:
    part = row.part
    kind = f"  {part.kind}" if part.kind else ""
    lines = textwrap.wrap(f"{row.label}{kind}  {about(part)}", width, initial_indent=lead, subsequent_indent=below)
    if part.mark == REFUSED and part.parent is not None:  # of the whole, the heading says it
        for text in (why(part), f"do: {part.remedy}"):
            lines += textwrap.wrap(text, width, initial_indent=below, subsequent_indent=below)
    return lines
