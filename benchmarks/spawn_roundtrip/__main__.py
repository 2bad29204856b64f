"""``python -m benchmarks.spawn_roundtrip``: measure, show, and keep what was measured."""

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from .plot import PlotError, plot
from .report import show
from .run import FULL, QUICK, Extent, run


@click.command()
@click.option("--quick", is_flag=True, help="Few rounds: figures to look at, not to quote.")
@click.option(
    "--json",
    "json_file",
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Write what was measured as JSON, to standard output when no file is named (the tables then go to stderr).",
)
@click.option("--plot", "plot_file", type=click.Path(path_type=Path), metavar="FILE.svg", help="Draw it (matplotlib).")
@click.option("--shape", "shapes", multiple=True, type=click.Choice(FULL.shapes), help="Only this shape of class.")
@click.option("--tools", "sizes", multiple=True, type=click.IntRange(1, 1000), help="Only toolsets of this size.")
def main(quick: bool, json_file: str | None, plot_file: Path | None, shapes: list[str], sizes: list[int]) -> None:
    """Measure the trip of a run-time class into another process, beside its peers."""
    extent: Extent = (QUICK if quick else FULL).narrowed(shapes, sizes)
    console = Console(stderr=json_file == "-")
    results = run(extent, Console(stderr=True))
    show(results, console)
    if json_file is not None:
        text = json.dumps(results.to_dict(), indent=1, ensure_ascii=False) + "\n"
        sys.stdout.write(text) if json_file == "-" else Path(json_file).write_text(text)
    if plot_file is not None:
        try:
            plot(results, plot_file)
        except PlotError as error:
            raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.spawn_roundtrip")
