"""A report on a terminal, with rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .parts import BY_NAME, BY_SPEC, BY_VALUE, REFUSED, SEEN, Part, Report
from .rows import about, rows_of, why
from .showing import heading, left_out

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {REFUSED: "bold red", BY_SPEC: "green", BY_VALUE: "yellow", BY_NAME: "cyan", SEEN: "dim"}


def show(report: Report, width: int | None = None) -> None:
    """Print a report to standard output.

    Args:
        report: The report.
        width: Columns; those of the terminal if None.

    Raises:
        ModuleNotFoundError: rich is not installed.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(width=width, highlight=False, soft_wrap=False)
    for number, line in enumerate(heading(report, console.width)):
        bold = "bold green" if report.crosses else "bold red" if number == 0 else ""
        console.print(Text(line, bold))
    console.print()
    console.print(_tree(report))
    for hint in report.hints:
        console.print()
        console.print(Text(hint))


def _tree(report: Report) -> Any:
    from rich.text import Text
    from rich.tree import Tree

    top = rows_of(report)
    tree = Tree(_label(top.label, top.part))
    stack = [(top, tree)]
    while stack:
        row, node = stack.pop()
        for child in row.children:
            stack.append((child, node.add(_label(child.label, child.part))))
        if row.left_out:
            node.add(Text(left_out(row.left_out), "dim"))
    return tree


def _label(label: str, part: Part) -> Text:
    from rich.text import Text

    text = Text()
    text.append(label, "bold")
    text.append(f"  {part.kind}" if part.kind else "")
    text.append(f"  {about(part)}", _STYLES.get(part.mark, "dim"))
    if part.mark == REFUSED and part.parent is not None:
        text.append(f"\n{why(part)}")
        text.append(f"\ndo: {part.remedy}", "green")
    return text
