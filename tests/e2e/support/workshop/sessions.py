"""Sessions of processes that a check begins: each ends with the check, and what is left of it is ended one by one."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

__all__ = ["begin_session", "end_session", "members", "tail"]

WATCHED = Path(__file__).with_name("watched.py")


def begin_session(command: Sequence[str], cwd: Path, environment: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
    """Start a command in a session of its own, which ends with this process, or when the pipe to it is closed.

    Args:
        command: The command.
        cwd: Its working directory.
        environment: Its environment variables.
        log: Where what it prints goes.

    Returns:
        The process at the head of the session.
    """
    with log.open("wb") as sink:
        return subprocess.Popen(
            [sys.executable, str(WATCHED), *command],
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def members(session: int) -> Iterator[tuple[psutil.Process, str]]:
    """The living processes of a session, each with its command line."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                yield process, " ".join(process.cmdline())


def end_session(process: "subprocess.Popen[bytes]") -> None:
    """Kill whatever is left of a session."""
    assert process.stdin is not None
    process.stdin.close()
    for left, _ in list(members(process.pid)):
        with contextlib.suppress(psutil.NoSuchProcess):
            left.kill()
    process.wait()


def tail(log: Path, lines: int = 40) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
