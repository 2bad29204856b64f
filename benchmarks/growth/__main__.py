"""``python -m benchmarks.growth``: how cost grows with tools, with classes and with processes in flight."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console

from benchmarks.keeping import keep_section
from benchmarks.spawn_roundtrip.results import machine

from .claims import judged
from .curves import CURVES, Curve, Extent
from .flights import trips_by_flight
from .report import draw, markdown, show

FULL = Extent()
QUICK = Extent(
    tools=(1, 64), classes=(1, 10, 300), peer_classes=10, toolsets=(1, 10, 100), flights=(1, 4), rounds=3, least=0.002
)
ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURE, KEPT = (
    ROOT / "docs/explanation/growth.md",
    ROOT / "docs/_static/growth.svg",
    Path(__file__).parent / "results.json",
)


def measured(extent: Extent, console: Console) -> list[Curve]:
    """Measure every curve.

    Args:
        extent: How much.
        console: Where to say what is being measured.
    """
    curves = []
    for one in (*CURVES, trips_by_flight):
        with console.status(f"{one.__name__} ..."):
            curves.append(one(extent))
    return curves


@click.command()
@click.option("--quick", is_flag=True, help="Few numbers and rounds: to see that it runs, not to quote.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path, allow_dash=True), help="Write the figures there; - is stdout."
)
@click.option("--plot", "plot_file", type=click.Path(path_type=Path), metavar="FILE.svg", help="Draw the curves (matplotlib).")
@click.option("--write", is_flag=True, help="Keep the results, the picture and the page of the documentation.")
def main(quick: bool, json_file: Path | None, plot_file: Path | None, write: bool) -> None:
    """Measure how cost grows. Exit status 1 if a claim is missed, but with --quick, whose figures prove nothing."""
    if quick and write:
        raise click.UsageError("--quick is not to be quoted, so --write does not go with it")
    console = Console(stderr=str(json_file) == "-")
    curves = measured(QUICK if quick else FULL, Console(stderr=True))
    verdicts, where = judged({curve.name: curve for curve in curves}), machine()
    show(curves, verdicts, where, console)
    text = json.dumps(
        {"machine": where, "curves": [asdict(c) for c in curves], "claims": [asdict(v) for v in verdicts]},
        indent=1,
        ensure_ascii=False,
    )
    if json_file is not None:
        sys.stdout.write(text + "\n") if str(json_file) == "-" else json_file.write_text(text + "\n")
    if plot_file is not None:
        draw(curves, plot_file)
    if write:
        KEPT.write_text(text + "\n")
        draw(curves, PICTURE)
        keep_section(PAGE, markdown(curves, verdicts, where))
    if not quick and not all(verdict.kept for verdict in verdicts):
        sys.exit(1)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.growth")
