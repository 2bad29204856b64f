"""Start the port from a test or a program, as a process of its own.

::

    from benchmarks.portsim.launch import running

    with running(dock={"max_sessions": 4}) as port:
        port.dock_url                  # http://127.0.0.1:PORT/dock
        port.status()["dock"]["sessions"]["live"]
        port.configure("dock", tool_seconds=0.5)

Only the standard library is imported. The server ends with its caller, however that ends: it holds
the reading end of a pipe that only the caller can write to, and watches its parent besides.
"""

import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .environment import ROOT, prepare
from .options import Options

__all__ = ["Port", "PortError", "running", "start"]

STOP_SECONDS = 5.0
LOG_LINES = 40
QUIET = {
    "FASTMCP_ENABLE_RICH_LOGGING": "false",
    "FASTMCP_CHECK_FOR_UPDATES": "off",
    "GRADIO_ANALYTICS_ENABLED": "False",
}
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class PortError(RuntimeError):
    """The port could not be started or did not do in time what was waited for."""


class Port:
    """A running port.

    Attributes:
        url: Its base, ``http://127.0.0.1:PORT``.
        dock_url: Base URL of the dock.
        pantry_url: Base URL of the pantry.
        pid: Process id of the server.
        log: The file the server writes its log to.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", number: int, log: Path) -> None:
        """Speak for a server process that is ready; use `start` or `running` instead."""
        self.process = process
        self.pid = process.pid
        self.url = f"http://127.0.0.1:{number}"
        self.dock_url = f"{self.url}/dock"
        self.pantry_url = f"{self.url}/pantry"
        self.log = log

    def status(self) -> dict[str, Any]:
        """Return what the status page says: counts and options per environment.

        Returns:
            ``{"dock": {"sessions": {"made", "live", "closed", "peak", "refused"}, "tools_listed",
            "resets", "tool_calls", "options"}, "pantry": {...}}``.
        """
        return ask(f"{self.url}/portsim/status")

    def configure(self, name: str, **changes: Any) -> dict[str, Any]:
        """Change options of one environment while it runs.

        Args:
            name: ``"dock"`` or ``"pantry"``.
            **changes: Options (see `Options`) but those fixed at start.

        Returns:
            The environment's status.
        """
        return ask(f"{self.url}/portsim/{name}/options", changes)

    def wait_for(self, name: str, fulfilled: Callable[[dict[str, Any]], bool], seconds: float = 5.0) -> dict[str, Any]:
        """Wait until one environment's status fulfils a condition.

        Args:
            name: ``"dock"`` or ``"pantry"``.
            fulfilled: The condition, given the environment's status.
            seconds: How long to wait at most.

        Returns:
            The status that fulfilled it.

        Raises:
            PortError: If it was not fulfilled in time; the text shows the last status.
        """
        deadline = time.monotonic() + seconds
        status: dict[str, Any]
        while not fulfilled(status := self.status()[name]):
            if time.monotonic() > deadline:
                raise PortError(f"{name} did not come to this in {seconds} s; it is {status}")
            time.sleep(0.02)
        return status

    def wait_live(self, name: str, live: int = 0, seconds: float = 5.0) -> dict[str, Any]:
        """Wait until that many sessions of one environment are live.

        Args:
            name: ``"dock"`` or ``"pantry"``.
            live: How many.
            seconds: How long to wait at most.

        Returns:
            The status then.

        Raises:
            PortError: If it did not happen in time.
        """
        return self.wait_for(name, lambda status: bool(status["sessions"]["live"] == live), seconds)

    def stop(self) -> None:
        """Stop the server and wait for its end; may be called again."""
        end(self.process)


def start(
    dock: Options | Mapping[str, Any] | None = None,
    pantry: Options | Mapping[str, Any] | None = None,
    *,
    number: int = 0,
    seconds: float = 90.0,
) -> Port:
    """Start the port and wait until it serves.

    Args:
        dock: Options of the dock.
        pantry: Options of the pantry.
        number: TCP port on 127.0.0.1; 0 lets the system choose a free one.
        seconds: How long to wait for it, not counting the making of its environment.

    Returns:
        The running port; its `Port.stop` ends it.

    Raises:
        PortError: If it ended early or was not ready in time; the text shows the end of its log.
        RuntimeError: If its environment could not be made.
    """
    python = prepare()
    config = {"port": number, "watch": True, "dock": plain(dock), "pantry": plain(pantry)}
    handle, name = tempfile.mkstemp(prefix="portsim-", suffix=".log")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "OPENENV"))}
    process = subprocess.Popen(
        [python, "-m", "benchmarks.portsim.server", json.dumps(config)],
        cwd=ROOT,
        env={**environment, **QUIET},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=handle,
        start_new_session=True,  # an interrupt at the terminal is the caller's to handle
    )
    os.close(handle)
    ready = first_line(process, seconds)
    if ready is None:
        end(process)
        raise PortError(
            f"portsim did not serve within {seconds} s (exit status {process.returncode}); "
            f"its log is {name} and ends:\n{tail(Path(name))}"
        )
    return Port(process, ready["port"], Path(name))


@contextlib.contextmanager
def running(
    dock: Options | Mapping[str, Any] | None = None,
    pantry: Options | Mapping[str, Any] | None = None,
    *,
    number: int = 0,
    seconds: float = 90.0,
) -> Iterator[Port]:
    """Run the port for the length of a ``with`` block; arguments and errors as `start`.

    The log is deleted in the end, but kept and shown with the error when the block raises.
    """
    port = start(dock, pantry, number=number, seconds=seconds)
    try:
        yield port
    except Exception as error:
        error.add_note(f"portsim's log is {port.log} and ends:\n{tail(port.log)}")
        raise
    else:
        port.log.unlink(missing_ok=True)
    finally:
        port.stop()


def plain(options: Options | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return options as plain values, checked."""
    if isinstance(options, Options):
        return options.to_dict()
    return Options.from_dict(dict(options or {})).to_dict()


def first_line(process: "subprocess.Popen[bytes]", seconds: float) -> dict[str, Any] | None:
    """Return the line a ready server prints, None if there is none in time."""
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], seconds)
    line = process.stdout.readline() if readable else b""
    ready: dict[str, Any] | None = json.loads(line) if line else None
    return ready


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a server process by closing its standard input, or by force after a while."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def ask(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Ask the port over HTTP, never through a proxy."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with OPENER.open(request, timeout=10) as response:
        answer: dict[str, Any] = json.load(response)
    return answer


def tail(log: Path) -> str:
    """Return the last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-LOG_LINES:])
