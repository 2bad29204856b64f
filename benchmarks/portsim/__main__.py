"""``python -m benchmarks.portsim``: run the port in the foreground until interrupted."""

from typing import Any

import click
from rich.console import Console

from .launch import running
from .options import Options


@click.command(context_settings={"show_default": True})
@click.option("--port", default=8000, help="TCP port on 127.0.0.1; 0 chooses a free one.")
@click.option("--max-sessions", default=64, help="Sessions served at once per environment.")
@click.option("--session-timeout", type=float, help="Seconds until an idle session is reaped; never when left out.")
@click.option("--reset-seconds", default=0.0, help="Seconds every reset takes.")
@click.option("--tool-seconds", default=0.0, help="Seconds every tool call takes.")
@click.option("--fail-resets", default=0, help="How many resets fail first; -1 for all.")
@click.option("--tools-after-reset", is_flag=True, help="List no tools before a session's first reset.")
def main(port: int, **options: Any) -> None:
    """Serve the dock and the pantry with the real OpenEnv, both with the same options."""
    console = Console()
    both = Options.from_dict(options)
    with running(both, both, number=port) as served:
        console.print(f"dock    {served.dock_url}\npantry  {served.pantry_url}\nstatus  {served.url}/portsim")
        console.print("Interrupt (Ctrl-C) to stop.", style="dim")
        try:
            served.process.wait()
        except KeyboardInterrupt:
            console.print("stopping")


main(prog_name="python -m benchmarks.portsim")
