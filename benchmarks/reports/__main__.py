"""``python -m benchmarks.reports``: run the reports with each pickler, show the table, and write the page of the docs."""

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))  # the shapes are those of the tests

from .page import page  # noqa: E402
from .sources import REPORTS  # noqa: E402
from .verdicts import Verdicts, gathered, verdicts  # noqa: E402
from .ways import WAYS  # noqa: E402

PAGE = ROOT / "docs" / "explanation" / "reports.md"
_STYLES = {"crosses": "green", "refused": "", "-": "dim"}


@click.command()
@click.option("--report", "numbers", multiple=True, type=click.Choice(list(REPORTS)), help="Only this report.")
@click.option("--write", is_flag=True, help=f"Write {PAGE.relative_to(ROOT)} (all reports).")
def main(numbers: tuple[str, ...], write: bool) -> None:
    """Run publicly reported troubles with run-time classes with pickle, cloudpickle, dill and envpickle."""
    if write and numbers:
        raise click.UsageError("--write takes all reports, not some.")
    console = Console()
    found = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("running", total=len(numbers or REPORTS) * len(WAYS))
        for verdict in verdicts(numbers or REPORTS):
            found.append(verdict)
            progress.advance(task)
    table = gathered(found)
    console.print(shown(table))
    if write:
        PAGE.write_text(page(table), encoding="utf-8")
        console.print(f"wrote {PAGE.relative_to(ROOT)}")


def shown(found: Verdicts) -> Table:
    """The verdicts for a terminal."""
    table = Table("report", *WAYS)
    for number, report in REPORTS.items():
        if any((number, way) in found for way in WAYS):
            words = [found[number, way] for way in WAYS]
            table.add_row(report.short, *(Text(word, _STYLES.get(word, "bold red")) for word in words))
    return table


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.reports")
