"""The run as tables on a terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .results import Line, Results, Spread
from .targets import TOOLS

__all__ = ["seconds", "show"]

CODEC = {"bytes": "bytes", "dumps": "dumps", "loads": "loads, there", "loads_cold": "loads, cold"}
TRIPS = {"trip_spawn": "spawn", "trip_forkserver": "forkserver", "trip_fork": "fork"}
SHAPES = {"plain": "a plain class closing over its tools", "server": "environment_class of envpickle_openenv"}
LEGEND = (
    "Medians, ± half the interquartile range. there: the class exists in the process; cold: it has to be built. "
    "trip: from start() to the first method call answered. x: the ratio to the importable class, round by round."
)
MARKS = {True: Text("kept", style="green"), False: Text("missed", style="bold red"), None: Text("")}


def show(results: Results, console: Console) -> None:
    """Print everything a run measured.

    Args:
        results: The run.
        console: Where to print.
    """
    console.print(Text(" · ".join(f"{key} {value}" for key, value in results.machine.items()), style="dim"))
    for shape in results.settings["shapes"]:
        console.print(Text(f"\n{SHAPES[shape]}", style="bold underline"))
        console.print(figures(results, shape, CODEC, "to bytes and back"))
        console.print(figures(results, shape, TRIPS, "the whole trip"))
        if results.settings["many"] and TOOLS in results.settings["sizes"]:
            console.print(many(results, shape))
    console.print(promises(results))
    console.print(Text(LEGEND, style="dim"))


def figures(results: Results, shape: str, metrics: dict[str, str], title: str) -> Table:
    """Return a table of some metrics: one row per toolset and contender."""
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("tools", justify="right")
    table.add_column("")
    for heading in metrics.values():
        table.add_column(heading, justify="right")
    for count in results.settings["sizes"]:
        names = contenders(results)
        for number, name in enumerate(names):
            cells = [cell(results.find(shape, count, name, metric)) for metric in metrics]
            table.add_row("" if number else str(count), label(name), *cells, end_section=name == names[-1])
    return table


def many(results: Results, shape: str) -> Table:
    """Return the table of many classes on one toolset."""
    counts = results.settings["many"]
    table = Table(title=f"many classes on one toolset of {TOOLS}", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("")
    for count in counts:
        table.add_column(f"bytes of {count:,}", justify="right")
        table.add_column(f"dumps of {count:,}", justify="right")
    for name in contenders(results)[1:]:  # many classes found by name would be many names
        metrics = [f"many_{count}_{what}" for count in counts for what in ("bytes", "dumps")]
        table.add_row(label(name), *(cell(results.find(shape, TOOLS, name, metric)) for metric in metrics))
    return table


def promises(results: Results) -> Table:
    """Return the table of targets."""
    table = Table(title=f"targets, at {TOOLS} tools", box=box.SIMPLE_HEAD, title_justify="left")
    for title in ("shape", "what", "target", "measured", ""):
        table.add_column(title)
    for row in results.targets:
        table.add_row(row["shape"], row["what"], row["target"], row["measured"], MARKS[row["kept"]])
    return table


def contenders(results: Results) -> Sequence[str]:
    """Return the contenders' names in the order measured, the floor first."""
    return list(dict.fromkeys(line.contender for line in results.lines))


def label(name: str) -> Text:
    """Return a contender's name as a table shows it."""
    return Text(name, style="bold" if name == "envpickle" else "")


def cell(line: Line | None) -> Text:
    """Return the cell of one figure: median, spread, and a trip's ratio to the floor."""
    if line is None:
        return Text("-", style="dim")
    if line.unit == "B":
        return Text(f"{line.spread.median:,.0f}")
    text = Text(seconds(line.spread.median))
    text.append(f" ±{half(line.spread):.0%}", style="dim")
    floor = line.ratios.get("importable")
    if line.metric.startswith("trip") and floor is not None and line.contender != "importable":
        text.append(f"  x{floor.median:.2f}", style="bold")
    return text


def half(spread: Spread) -> float:
    """Return half the interquartile range over the median."""
    return (spread.q3 - spread.q1) / 2 / spread.median if spread.median else 0.0


def seconds(value: float) -> str:
    """Return a duration with three figures and a fitting unit.

    Args:
        value: Seconds.
    """
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{three(value / scale)} {unit}"
    return f"{value * 1e9:.0f} ns"


def three(value: float) -> str:
    """Return a number of 1 to 1000 with three figures."""
    return f"{value:#.3g}".rstrip(".") if value < 999.5 else f"{value:.0f}"
