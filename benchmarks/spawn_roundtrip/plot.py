"""The run as a picture; needs matplotlib."""

from pathlib import Path
from typing import Any

from .results import Results

__all__ = ["PlotError", "plot"]

PANELS = (("dumps", "dumps"), ("loads", "loads, class there"), ("loads_cold", "loads, cold"))
COLOURS = {"importable": "#9aa0a6", "envpickle": "#1a73e8", "cloudpickle": "#e8710a", "dill": "#a142f4"}


class PlotError(RuntimeError):
    """No picture can be drawn here."""


def plot(results: Results, file: Path) -> None:
    """Draw a run.

    Args:
        results: The run.
        file: Where to write; its suffix chooses the format.

    Raises:
        PlotError: If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PlotError(f"--plot needs matplotlib ({error}); `pip install matplotlib` and run again") from None
    shapes, methods = results.settings["shapes"], results.settings["methods"]
    figure = Figure(figsize=(4.2 * (len(PANELS) + 1), 3.6 * len(shapes)), layout="constrained")
    grid = figure.subplots(len(shapes), len(PANELS) + 1, squeeze=False)
    for axes, shape in zip(grid, shapes, strict=True):
        for panel, (metric, title) in zip(axes, PANELS, strict=False):
            sizes(panel, results, shape, metric)
            panel.set_title(f"{shape}: {title}", fontsize=10)
        trip_bars(axes[-1], results, shape, methods)
    grid[0][0].legend(fontsize=8)
    figure.savefig(file)


def sizes(panel: Any, results: Results, shape: str, metric: str) -> None:
    """Draw one metric over the number of tools, quartiles as bars."""
    for name, colour in COLOURS.items():
        lines = [results.find(shape, count, name, metric) for count in results.settings["sizes"]]
        spreads = [line.spread for line in lines if line is not None]
        if len(spreads) < len(lines):
            continue
        medians = [1e6 * spread.median for spread in spreads]
        low = [1e6 * (spread.median - spread.q1) for spread in spreads]
        high = [1e6 * (spread.q3 - spread.median) for spread in spreads]
        panel.errorbar(results.settings["sizes"], medians, [low, high], label=name, color=colour, marker="o", capsize=3)
    panel.set(xscale="log", yscale="log", xlabel="tools", ylabel="µs")
    panel.set_xticks(results.settings["sizes"], [str(count) for count in results.settings["sizes"]])
    panel.minorticks_off()


def trip_bars(panel: Any, results: Results, shape: str, methods: list[str]) -> None:
    """Draw the whole trip's ratio to the importable class, at the middle toolset."""
    count = results.settings["sizes"][len(results.settings["sizes"]) // 2]
    names = [name for name in COLOURS if name != "importable"]
    for place, name in enumerate(names):
        lines = [results.find(shape, count, name, f"trip_{method}") for method in methods]
        ratios = [line.ratios["importable"] for line in lines if line is not None]
        at = [number + (place - 1) * 0.27 for number in range(len(ratios))]
        low = [ratio.median - ratio.q1 for ratio in ratios]
        high = [ratio.q3 - ratio.median for ratio in ratios]
        panel.bar(at, [r.median for r in ratios], 0.25, yerr=[low, high], color=COLOURS[name], capsize=2)
    panel.axhline(1.0, color=COLOURS["importable"], linewidth=1)
    panel.set_xticks(range(len(methods)), methods)
    panel.set_title(f"{shape}: whole trip / importable, {count} tools", fontsize=10)
