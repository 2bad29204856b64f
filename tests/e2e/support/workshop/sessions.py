"""The processes of a session that a check has begun, and their end, one by one."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil

__all__ = ["end_session", "members", "tail"]


def members(session: int) -> Iterator[tuple[psutil.Process, str]]:
    """The living processes of a session, each with its command line."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                yield process, " ".join(process.cmdline())


def end_session(process: "subprocess.Popen[bytes]") -> None:
    """Kill the process that began a session, and whatever else is left of it."""
    if process.poll() is None:
        process.kill()
    for left, _ in list(members(process.pid)):
        with contextlib.suppress(psutil.NoSuchProcess):
            left.kill()
    process.wait()


def tail(log: Path, lines: int = 40) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
