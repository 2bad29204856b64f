"""The command ``envpickle``, whose subcommands come from plugins through the entry-point group ``envpickle.commands``.

Nothing else of envpickle imports this module, and a process that pickles pays nothing for it.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

__all__ = ["GROUP", "group", "main"]

GROUP = "envpickle.commands"
"""The entry-point group in which a plugin names its commands: each a ``click.Command``, under the name it is called by."""


def main() -> None:
    """Run the command line; what ``envpickle`` and ``python -m envpickle`` call.

    Raises:
        SystemExit: Always, with the exit status: 2 if the command was used wrongly or cannot run at all.
    """
    try:
        command = group()
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write("The command line needs click, which is not installed: pip install 'envpickle[cli]'\n")
        raise SystemExit(2) from None
    command.main(prog_name="envpickle")


def group() -> "click.Group":
    """Make the command with everything that is installed.

    Returns:
        The group; a plugin's command is imported when it is called, or when help is asked for.

    Raises:
        ModuleNotFoundError: click is not installed.
    """
    from importlib.metadata import entry_points

    import click

    from . import __version__

    class Commands(click.Group):
        def list_commands(self, ctx: click.Context) -> list[str]:
            return sorted({*super().list_commands(ctx), *entry_points(group=GROUP).names})

        def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
            found = super().get_command(ctx, name)
            entries = () if found is not None else entry_points(group=GROUP, name=name)
            for entry in entries:
                try:
                    found = entry.load()
                except (
                    ImportError,
                    AttributeError,
                ) as error:  # said when it is called: the others still work
                    found = _broken(name, entry.value, error)
            return found

    def _broken(name: str, value: str, error: Exception) -> click.Command:
        def fail(**_: object) -> None:
            raise click.UsageError(f"the command {name} cannot be loaded from {value}: {error}")

        return click.Command(
            name,
            callback=fail,
            params=[click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED)],
            context_settings={"ignore_unknown_options": True},
            short_help="(cannot be loaded)",
        )

    doc = "Classes built at run time travel as the call that built them."
    return click.version_option(__version__, prog_name="envpickle")(Commands(name="envpickle", help=doc))
