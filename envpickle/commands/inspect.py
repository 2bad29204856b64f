"""The command ``envpickle inspect``."""

import sys

import click

from ..inspecting import Inspection
from ..inspecting import inspect as inspected

__all__ = ["inspect"]


@click.command("inspect")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--allow", "names", metavar="MODULE:NAME", multiple=True, help="A name to allow; may be repeated.")
@click.option("--plain-data", is_flag=True, help="Allow no name: plain data only.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def inspect(file: str, names: tuple[str, ...], plain_data: bool, as_json: bool) -> None:
    """Show what a pickle, a torch checkpoint or a descriptor holds.

    Nothing in it is run, imported or looked up. FILE may be - for standard input. Exit status: 0 if it was read to its end
    and, with --allow or --plain-data, all of it is allowed; 1 if not; 2 if the command was used wrongly.
    """
    allow = list(names) if names or plain_data else None
    try:
        found = inspected(sys.stdin.buffer.read() if file == "-" else file, allow=allow)
    except (OSError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    click.echo(found.to_json(indent=2) if as_json else _shown(found))
    raise SystemExit(0 if found.complete and found.allowed is not False else 1)


def _shown(found: Inspection) -> str:
    if sys.stdout is None or not sys.stdout.isatty():  # None: it was closed before Python began
        return str(found)
    from ..inspecting.showing import in_colours

    return in_colours(found)
