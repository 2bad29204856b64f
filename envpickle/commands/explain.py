"""``envpickle explain``: what crosses to another process, how, and what to do about what does not."""

import json
import shutil
import sys
import traceback
from pathlib import Path

import click

from ..errors import EnvpickleError
from ..explaining import Report, explain_target
from ..explaining.asking import PICKLERS
from ..explaining.failures import is_about_pickling, what_failed
from ..explaining.showing import as_text
from ..explaining.targets import Target, TargetError, load, run_as

_UNSEEN = """
{script} failed to send something, and the error does not lead to what it was (a result of another process, or what a library
sends). Next: envpickle explain {script}:OBJECT for an object of its top level, or print(envpickle.explain(obj)) in it."""


class _NotLoaded(click.ClickException):
    exit_code = 2


@click.command(short_help="Say what of an object crosses, and what to do about the rest.")
@click.option(
    "--for", "pickler", type=click.Choice(PICKLERS), help="The pickler. Default: pickle, or with --run the one that failed."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write it as a page of HTML, too."
)
@click.option("--run", is_flag=True, help="Run the script FILE.py for real, and explain what it fails to send.")
@click.argument("target")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def explain(pickler: str | None, as_json: bool, html: Path | None, run: bool, target: str, arguments: tuple[str, ...]) -> None:
    """Say what pickling TARGET comes to: which parts cross, how, and what to do about those that do not.

    TARGET is MODULE:OBJECT, FILE.py or FILE.py:OBJECT. A script is run as a spawned child would import it, so that its main
    guard is not entered; with --run it is run as itself, with ARGUMENTS, until it fails to send something.

    The exit status is 0 if all of it crosses, 1 if something is refused, 2 if the command was used wrongly or TARGET cannot
    be loaded.
    """
    if arguments and not run:
        raise click.UsageError("arguments are for a script that is run: say --run.")
    try:
        found = _failed(target, arguments) if run else load(target)
        report = explain_target(found, pickler or found.pickler or "pickle")
    except (TargetError, EnvpickleError, ModuleNotFoundError) as error:
        raise _NotLoaded(str(error)) from None
    if html is not None:
        try:
            html.write_text(report.to_html(), encoding="utf-8")
        except OSError as error:
            raise _NotLoaded(f"{html} cannot be written: {error.strerror or error}") from None
    _print(report, as_json)
    sys.exit(0 if report.crosses else 1)


def _failed(script: str, arguments: tuple[str, ...]) -> Target:
    """Run a script, and find what it failed to send; ends the command if it failed in nothing, or in something else."""
    if not script.endswith(".py"):
        raise click.UsageError("--run takes a script, FILE.py.")
    try:
        run_as(script, "__main__", arguments)
    except TargetError:  # it was not even begun
        raise
    except (Exception, SystemExit) as error:
        found = what_failed(error)
        if found is None and isinstance(error, SystemExit):
            raise
        if found is None:
            traceback.print_exception(error)  # the script's own, whatever it is
            if is_about_pickling(error):
                click.echo(_UNSEEN.format(script=script), err=True)
            sys.exit(1)
        return found._replace(hints=(f"{script} was run, and raised {type(error).__name__}: {error}",))
    click.echo(f"{script} ran to its end; nothing that it sent was refused in this process.")
    sys.exit(0)


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(report.to_dict(), indent=1))
        return
    if sys.stdout is None or not sys.stdout.isatty():  # None: it was closed before Python began
        click.echo(as_text(report, shutil.get_terminal_size().columns))
        return
    try:
        from ..explaining.coloured import show

        show(report)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "rich":
            raise
        click.echo(as_text(report, shutil.get_terminal_size().columns))
