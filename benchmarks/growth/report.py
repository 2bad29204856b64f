"""The run as tables on a terminal, as a picture, and as a page of the documentation."""

from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.keeping import keep_picture
from benchmarks.spawn_roundtrip.report import seconds

from .claims import Verdict
from .curves import Curve

__all__ = ["draw", "markdown", "show"]

COLOURS = {"importable": "#9aa0a6", "unregistered": "#9aa0a6", "envpickle": "#1a73e8", "cloudpickle": "#e8710a"}


def shown(value: float | None, unit: str) -> str:
    """Return a figure as text."""
    if value is None:
        return "-"
    return f"{value:,.0f} B" if unit == "B" else seconds(value)


def show(curves: list[Curve], verdicts: list[Verdict], machine: dict[str, str], console: Console) -> None:
    """Print a run.

    Args:
        curves: What was measured.
        verdicts: What became of the claims.
        machine: Where it was measured.
        console: Where to print.
    """
    console.print(Text(" · ".join(f"{key} {value}" for key, value in machine.items()), style="dim"))
    for curve in curves:
        table = Table(title=curve.title, title_justify="left", box=box.SIMPLE_HEAD)
        table.add_column(curve.over)
        for at in curve.at:
            table.add_column(f"{at:,}", justify="right")
        for name, points in curve.points.items():
            table.add_row(name, *(shown(point, curve.unit) for point in points))
        if curve.ratio:
            table.add_row("ratio", *(f"{ratio:.2f}" for ratio in curve.ratio), style="dim")
        console.print(table)
    table = Table(title="claims", title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("claim", "at most", "measured", ""):
        table.add_column(heading, justify="left" if heading == "claim" else "right")
    for verdict in verdicts:
        mark = Text("kept", style="green") if verdict.kept else Text("missed", style="bold red")
        table.add_row(verdict.text, f"{verdict.most:g}", f"{verdict.measured:.3g}", mark)
    console.print(table)


def markdown(curves: list[Curve], verdicts: list[Verdict], machine: dict[str, str]) -> str:
    """Return a run as Markdown.

    Args:
        curves: What was measured.
        verdicts: What became of the claims.
        machine: Where it was measured.
    """
    said = " · ".join(f"{key} {value}" for key, value in machine.items())
    lines = [
        f"Measured by `python -m benchmarks.growth` ({said}).",
        "",
        "| claim | at most | measured | |",
        "|---|---|---|---|",
    ]
    for verdict in verdicts:
        lines.append(
            f"| {verdict.text} | {verdict.most:g} | {verdict.measured:.3g} | {'kept' if verdict.kept else '**missed**'} |"
        )
    for curve in curves:
        lines += ["", f"**{curve.title}**", "", f"| {curve.over} | {' | '.join(f'{at:,}' for at in curve.at)} |"]
        lines.append("|---" * (len(curve.at) + 1) + "|")
        for name, points in curve.points.items():
            lines.append(f"| {name} | {' | '.join(shown(point, curve.unit) for point in points)} |")
        if curve.ratio:
            lines.append(f"| ratio | {' | '.join(f'{ratio:.2f}' for ratio in curve.ratio)} |")
    return "\n".join(lines) + "\n"


def draw(curves: list[Curve], file: Path) -> None:
    """Draw the curves, a panel each, on double logarithmic axes.

    Args:
        curves: What was measured.
        file: Where to write; its suffix chooses the format.
    """
    from matplotlib.figure import Figure

    columns = 3
    rows = -(-len(curves) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.3 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    panels: list[Any] = [panel for line in grid for panel in line]
    for panel, curve in zip(panels, curves, strict=False):
        draw_one(panel, curve)
    for panel in panels[len(curves) :]:
        panel.set_axis_off()
    keep_picture(figure, file)


def draw_one(panel: Any, curve: Curve) -> None:
    """Draw one curve. Over the number of live classes it is the ratio: the machine's own speed changes more than that."""
    panel.set_title(curve.title, fontsize=9)
    if curve.over == "live classes":
        panel.plot(curve.at, curve.ratio, marker="o", label="envpickle", color=COLOURS["envpickle"])
        panel.set(xscale="log", ylim=(0, 2), xlabel=curve.over, ylabel="over that at 10")
        panel.legend(fontsize=7)
        return
    scale = 1e6 if curve.unit == "s" else 1.0
    for name, points in curve.points.items():
        known = [(at, scale * point) for at, point in zip(curve.at, points, strict=True) if point is not None]
        panel.plot([at for at, _ in known], [point for _, point in known], marker="o", label=name, color=COLOURS.get(name))
    panel.set(xscale="log", yscale="log", xlabel=curve.over, ylabel="µs" if curve.unit == "s" else "bytes")
    if curve.name in ("memory_by_classes", "trips_by_flight"):
        panel.set(yscale="linear", ylim=(0, None))
    panel.legend(fontsize=7)
