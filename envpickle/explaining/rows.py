"""A report as rows of a tree to be shown: everything refused, and of the rest what fits."""

from __future__ import annotations

import sys
from typing import NamedTuple

from .parts import BY_NAME, BY_SPEC, BY_VALUE, DATA, OBJECT, REFUSED, SEEN, Part, Report

_LEVELS = 5  # further down, steps that lead to one thing only share a row
_MOST_LABEL = 60
_MACHINERY = ("", " (made by)", " (code)", " (metaclass)", ".__annotations__", "._cloudpickle_submodules")


class Row(NamedTuple):
    """One row.

    Attributes:
        label: The steps that lead here from the row above.
        part: The part it shows.
        children: The rows beneath.
        left_out: How many parts beneath are not shown; all of them cross.
    """

    label: str
    part: Part
    children: list[Row]
    left_out: int


def rows_of(report: Report, most: int = 6, levels: int = 2) -> Row:
    """The rows of a report.

    Args:
        report: The report.
        most: How many parts that cross are shown beneath one part.
        levels: How far down parts are shown beneath one that holds nothing refused.
    """
    top = Row(report.root.step, report.root, [], 0)
    stack: list[tuple[Row, int, int]] = [(top, 0, levels)]
    while stack:
        row, depth, left = stack.pop()
        chosen = _chosen(row.part, most if left or row.part.refusals else 0)
        for child in chosen:
            label, end = _merged(child) if depth >= _LEVELS or child.kind == "cell" else (child.step, child)
            below = Row(_cut(label.strip()), end, [], _left_out(end, most, levels if end.refusals else left - 1))
            row.children.append(below)
            stack.append((below, depth + 1, levels if end.refusals else max(left - 1, 0)))
    return top._replace(left_out=_left_out(top.part, most, levels))


def _chosen(part: Part, most: int) -> list[Part]:
    most = 0 if part.refusals and part.mark == OBJECT and _is_of_python(part) else most  # nobody mends those
    fine = [child for child in part.children if not child.refusals and not _is_machinery(child)]
    shown = {id(child) for child in sorted(fine, key=_dullness)[:most]}
    return [child for child in part.children if child.refusals or id(child) in shown]


def _is_machinery(part: Part) -> bool:
    """Whether it is there because a function or class is copied, and tells nothing."""
    above = part.parent
    return above is not None and above.mark == BY_VALUE and (part.step in _MACHINERY or part.step.startswith(" (argument "))


def _left_out(part: Part, most: int, left: int) -> int:
    machinery = sum(map(_is_machinery, part.children))
    return len(part.children) - machinery - len(_chosen(part, most if left > 0 or part.refusals else 0)) + part.more


def _dullness(part: Part) -> int:
    return {DATA: 3, SEEN: 3, BY_NAME: 2}.get(part.mark, 0)


def _merged(part: Part) -> tuple[str, Part]:
    label = part.step
    while len(part.children) == 1 and not part.more and part.mark in (OBJECT, DATA):
        part = part.children[0]
        label += part.step
    return label, part


def _cut(label: str) -> str:
    half = _MOST_LABEL // 2
    return label if len(label) <= _MOST_LABEL else f"{label[:half]} ... {label[-half:]}"


def about(part: Part) -> str:
    """What a row says of its part after its label and kind, but for refusals."""
    said = {
        REFUSED: "REFUSED",
        SEEN: f"by name: {part.name}" if part.name else f"the same as {part.reference}",
        DATA: f"data, {size_text(part.total)}",
        BY_NAME: f"by name: {part.name}",
    }.get(part.mark, f"{part.mark}, {size_text(part.total)}")
    if part.mark == OBJECT:
        said = size_text(part.total)
    if part.called is not None:
        owner = f", owner {part.called.owner[:12]}" if part.called.owner else ""
        sizes = f"{part.called.head} B and {size_text(part.called.shared)} that it may share"
        said = f"{part.mark}: {part.called.builder}({part.called.arguments}), {sizes}{owner}"
    elif part.mark == BY_SPEC:
        said = f"{part.mark}"
    return f"{said}, {part.note}" if part.note else said


def size_text(count: int) -> str:
    """A number of bytes, to be read."""
    return f"{count:,} B" if count < 10_000 else f"{count / 1000:,.0f} kB"


def holder_of(part: Part) -> Part | None:
    """The object of the standard library that a refused part lies in, such as the queue of a lock; None if in none."""
    found, above = None, part.parent
    while above is not None and above.mark in (OBJECT, DATA):
        if _is_of_python(above):
            found = above
        elif above.mark == OBJECT:
            break
        above = above.parent
    return found


def _is_of_python(part: Part) -> bool:
    home, dot, _ = part.kind.partition(".")
    return (
        bool(dot)
        and part.parent is not None
        and home in sys.stdlib_module_names
        and home not in ("collections", "functools", "types")
    )


def verdict(report: Report) -> str:
    """Whether all of it crosses, in a sentence."""
    name, who = report.scope or report.root.step.rstrip(":"), report.pickler
    refused = report.counts.get(REFUSED, 0)
    if refused:
        parts = sum(report.counts.values())
        of = f"{refused:,} of {parts:,} parts {'are' if refused > 1 else 'is'} refused"
        return f"{name} does not cross by {who}: {of}."
    return f"{name} crosses by {who}: {report.size:,} bytes."


def why(part: Part) -> str:
    """Why a part is refused, and what holds it."""
    holder = holder_of(part)
    within = f" It lies in {holder.path}, a {holder.kind}." if holder is not None else ""
    return part.reason + within
