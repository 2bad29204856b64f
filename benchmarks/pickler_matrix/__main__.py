"""The command: try every cell, show the table, write it into the docs, or compare it with what is expected and written."""

import importlib.metadata
import platform
import sys

import click

from benchmarks.keeping import keep_section

from .expected import GROUPS, ROWS
from .trying import MARKS, PAGE, table, try_group, written

_ASKED = ("cloudpickle", "dill", "multiprocess", "joblib", "torch", "ray", "distributed")


@click.command()
@click.option("--write", is_flag=True, help="Write the table into docs/reference/pickler-matrix.md.")
@click.option("--check", is_flag=True, help="Fail where a cell is not what is expected, or the page says something else.")
@click.option("--group", "only", multiple=True, type=click.Choice(GROUPS), help="Only the rows of this group.")
def main(write: bool, check: bool, only: tuple[str, ...]) -> None:
    """Try what travels how, in every carrier."""
    cells: dict[str, dict[str, str]] = {}
    for group in only or GROUPS:
        cells.update(try_group(group))
    cells = {title: cells[title] for title in ROWS if title in cells}
    click.echo(table(cells))
    wrong = [
        f"{title}, {name}: {said}, expected was {ROWS[title].cells[name]}"
        for title, row in cells.items()
        for name, said in row.items()
        if said != ROWS[title].cells[name]
    ]
    if write and not only and not wrong:
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _ASKED)
        keep_section(PAGE, f"{table(cells)}\nTried with Python {platform.python_version()}, {versions}.\n", MARKS)
    if check and not only and written() != table(cells):
        wrong.append(f"{PAGE.name} has another table: write it with --write")
    if wrong:
        click.echo("\n".join(wrong), err=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.pickler_matrix")
