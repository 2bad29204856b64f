"""The run as a table on a terminal and as Markdown, and as a picture."""

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.keeping import keep_picture
from benchmarks.spawn_roundtrip.report import seconds

from .measure import Figure

__all__ = ["HEADINGS", "cells", "draw", "markdown", "show"]

HEADINGS = (
    "way",
    "bytes",
    "dumps",
    "loads, there",
    "loads, cold",
    "home: same class",
    "there: one class",
    "a subclass",
    "closed with its owner",
)


def cells(figure: Figure) -> list[str]:
    """Return the cells of one way."""
    return [
        figure.way,
        f"{figure.bytes:,}",
        seconds(figure.dumps),
        seconds(figure.loads),
        seconds(figure.cold),
        "yes" if figure.home else "no",
        "yes" if figure.one else "no",
        figure.overrides,
        "yes" if figure.closes else "no",
    ]


def sizes(figures: list[Figure]) -> list[int]:
    """Return the numbers of tools measured, in order."""
    return list(dict.fromkeys(figure.tools for figure in figures))


def show(figures: list[Figure], machine: dict[str, str], console: Console) -> None:
    """Print a run.

    Args:
        figures: What was measured.
        machine: Where it was measured.
        console: Where to print.
    """
    console.print(Text(" · ".join(f"{key} {value}" for key, value in machine.items()), style="dim"))
    for tools in sizes(figures):
        table = Table(title=f"a class with {tools} tools", title_justify="left", box=box.SIMPLE_HEAD)
        for number, heading in enumerate(HEADINGS):
            table.add_column(heading, justify="left" if not number or number > 4 else "right")
        for figure in figures:
            if figure.tools == tools:
                table.add_row(*cells(figure), style="bold" if figure.way.startswith("envpickle") else "")
        console.print(table)


def markdown(figures: list[Figure], machine: dict[str, str]) -> str:
    """Return a run as Markdown.

    Args:
        figures: What was measured.
        machine: Where it was measured.
    """
    said = " · ".join(f"{key} {value}" for key, value in machine.items())
    lines = [f"Measured by `python -m benchmarks.peers` ({said})."]
    for tools in sizes(figures):
        lines += ["", f"**A class with {tools} tools**", "", f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
        lines += [f"| {' | '.join(cells(figure))} |" for figure in figures if figure.tools == tools]
    return "\n".join(lines) + "\n"


def draw(figures: list[Figure], file: Path) -> None:
    """Draw bytes and times of the greatest class, a bar for each way.

    Args:
        figures: What was measured.
        file: Where to write; its suffix chooses the format.
    """
    from matplotlib.figure import Figure as Picture

    chosen = [figure for figure in figures if figure.tools == max(sizes(figures))][::-1]
    picture = Picture(figsize=(13, 3.6), layout="constrained")
    panels = picture.subplots(1, 4, sharey=True)
    for panel, (title, values) in zip(
        panels,
        (
            ("bytes", [float(figure.bytes) for figure in chosen]),
            ("dumps, µs", [1e6 * figure.dumps for figure in chosen]),
            ("loads, the class is there, µs", [1e6 * figure.loads for figure in chosen]),
            ("loads, cold, µs", [1e6 * figure.cold for figure in chosen]),
        ),
        strict=True,
    ):
        colours = ["#1a73e8" if figure.way.startswith("envpickle") else "#e8710a" for figure in chosen]
        panel.barh([figure.way for figure in chosen], values, color=colours)
        panel.set(xscale="log" if max(values) > 20 * min(values) else "linear")
        panel.set_title(f"{title} ({max(sizes(figures))} tools)", fontsize=9)
    keep_picture(picture, file)
