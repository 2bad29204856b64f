"""``python -m benchmarks.peers``: envpickle beside its neighbours' ways, in the environment that has them (`.venv-ray`)."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console

from benchmarks.keeping import keep_section
from benchmarks.spawn_roundtrip.results import installed as version
from benchmarks.spawn_roundtrip.results import machine

from .measure import Figure, measured
from .report import draw, markdown, show
from .ways import WAYS, installed

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURE, KEPT = (
    ROOT / "docs/explanation/peers.md",
    ROOT / "docs/_static/peers.svg",
    Path(__file__).parent / "results.json",
)
PACKAGES = ("ray", "distributed", "gymnasium", "stable-baselines3")


@click.command()
@click.option("--quick", is_flag=True, help="One size and few rounds: to see that it runs, not to quote.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path, allow_dash=True), help="Write the figures there; - is stdout."
)
@click.option("--write", is_flag=True, help="Keep the results, the picture and the page of the documentation.")
def main(quick: bool, json_file: Path | None, write: bool) -> None:
    """Measure the ways of handing a run-time class to a worker. Ways whose library is missing are named and left out."""
    missing = sorted({way.needs for way in WAYS} - {way.needs for way in installed()})
    if write and (quick or missing):
        raise click.UsageError(f"--write needs a full run with every library; missing: {', '.join(missing) or 'none'}")
    if missing:
        click.echo(f"left out, as they are not installed here: {', '.join(missing)}", err=True)
    figures: list[Figure] = []
    for tools in (8,) if quick else (8, 64):
        figures += measured(tools, 3 if quick else 15, 0.002 if quick else 0.01)
    where = {**machine(), **{name: version(name) for name in PACKAGES}}
    show(figures, where, Console(stderr=str(json_file) == "-", width=150))
    text = (
        json.dumps({"machine": where, "figures": [asdict(figure) for figure in figures]}, indent=1, ensure_ascii=False) + "\n"
    )
    if json_file is not None:
        sys.stdout.write(text) if str(json_file) == "-" else json_file.write_text(text)
    if write:
        KEPT.write_text(text)
        draw(figures, PICTURE)
        keep_section(PAGE, markdown(figures, where))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.peers")
