"""``python -m benchmarks.portsim``: run the port in the foreground until interrupted."""

from typing import Annotated

import typer
from rich.console import Console

from .launch import running
from .options import Options


def main(
    port: Annotated[int, typer.Option(help="TCP port on 127.0.0.1; 0 chooses a free one.")] = 8000,
    max_sessions: Annotated[int, typer.Option(help="Sessions served at once per environment.")] = 64,
    session_timeout: Annotated[float | None, typer.Option(help="Seconds until an idle session is reaped.")] = None,
    reset_seconds: Annotated[float, typer.Option(help="Seconds every reset takes.")] = 0.0,
    tool_seconds: Annotated[float, typer.Option(help="Seconds every tool call takes.")] = 0.0,
    fail_resets: Annotated[int, typer.Option(help="How many resets fail first; -1 for all.")] = 0,
    tools_after_reset: Annotated[bool, typer.Option(help="List no tools before a session's first reset.")] = False,
) -> None:
    """Serve the dock and the pantry with the real OpenEnv, both with the same options."""
    console = Console()
    options = Options(max_sessions, session_timeout, reset_seconds, tool_seconds, fail_resets, tools_after_reset)
    with running(options, options, number=port) as served:
        console.print(f"dock    {served.dock_url}\npantry  {served.pantry_url}\nstatus  {served.url}/portsim")
        console.print("Interrupt (Ctrl-C) to stop.", style="dim")
        try:
            served.process.wait()
        except KeyboardInterrupt:
            console.print("stopping")


typer.run(main)
