"""The command ``envpickle preflight``. Imported by the core's command line alone, which found click."""

import sys
import traceback
from contextlib import redirect_stdout
from typing import Any

import click

from .errors import TrlError
from .loading import Target, target_of
from .preflighting import preflight as checked
from .preflighting import preflight_script
from .report import Report

__all__ = ["preflight"]

WRONG_USE = 2


@click.command("preflight")
@click.argument("target", metavar="SCRIPT_OR_MODULE[:OBJECT]")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--server", metavar="URL", help="The vLLM server; vllm_server_base_url of the training arguments if left out.")
@click.option(
    "--longest-conversation",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="Length of the longest conversation before its last turn, if you know better than the estimate.",
)
@click.option("--no-sessions", is_flag=True, help="Do not try how many sessions the environments' servers take.")
def preflight(target: str, as_json: bool, server: str | None, longest_conversation: int | None, no_sessions: bool) -> None:
    """Check a training run before it is started.

    OBJECT is a trainer, a dict of the keyword arguments one would be made with, or a function without arguments that
    returns either. A script alone is read and not run; - is one from standard input. Exit status: 0 if no error was found,
    1 if one was, 2 if the command was used wrongly.
    """
    try:
        with redirect_stdout(sys.stderr):  # what a script prints is no part of the report
            wanted = target_of(target)
            if wanted.name is None:
                report = preflight_script(wanted.place, server=server)
            else:
                report = checked(
                    _object(wanted),
                    server=server,
                    longest_conversation=longest_conversation,
                    script=wanted.source,
                    probe_sessions=not no_sessions,
                )
    except (LookupError, OSError, SyntaxError, TrlError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    click.echo(report.to_json() if as_json else _shown(report), nl=as_json)
    raise SystemExit(0 if report.ok else 1)


def _object(wanted: Target) -> Any:
    try:
        return wanted.load()
    except LookupError:
        raise
    except SystemExit as end:  # with its status, nobody would know that nothing was checked
        raise click.UsageError(
            f"{wanted.place} ended by sys.exit({end.code!r}) before there was anything to check; put what it does under "
            'if __name__ == "__main__":'
        ) from end
    except Exception as error:  # it is the user's program, and its own traceback says most
        traceback.print_exc()
        raise click.UsageError(f"{wanted.place} could not be run: {type(error).__name__}: {error}") from error


def _shown(report: Report) -> str:
    """The report as a table, or as lines where rich is not installed."""
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table
    except ModuleNotFoundError:
        return f"{report}\n"
    console = Console(file=sys.stdout)
    table = Table("severity", "where", "what is wrong, and what to do", show_lines=True)
    for finding in report:
        colour = "red" if finding.severity == "error" else "yellow"
        where = f"{escape(finding.subject)}\n[dim]{finding.check}[/dim]"
        told = f"{escape(finding.message)}\n[bold]→ {escape(finding.remedy)}[/bold]"
        table.add_row(f"[{colour}]{finding.severity}[/{colour}]", where, told)
    with console.capture() as captured:
        if len(report):
            console.print(table)
        for name, why in report.skipped.items():
            console.print(f"not checked: {name}: {why}", markup=False, highlight=False)
        errors, warnings = len(report.errors), len(report.warnings)
        console.print(f"{errors} error(s), {warnings} warning(s); checked: {', '.join(report.checked)}", highlight=False)
    return captured.get()
