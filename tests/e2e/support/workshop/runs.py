"""Runs a training script as a user does: a process of its own, in an empty directory; bounded, its log kept."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .sessions import begin_session, end_session, members, tail

__all__ = ["Run", "run_script"]

SCRIPTS = Path(__file__).parents[2] / "scripts"
PROGRESS = "progress: "
LEAVE_SECONDS = 30.0


@dataclass(frozen=True)
class Run:
    """A training script that has ended.

    Attributes:
        status: Its exit status.
        text: What it and its rollout process printed.
        results: What it saved; empty if it did not come to that.
        seconds: How long it took.
        left: The processes it left behind, by their command lines.
    """

    status: int
    text: str
    results: dict[str, Any]
    seconds: float
    left: list[str]


def run_script(
    name: str,
    plan: Mapping[str, Any],
    directory: Path,
    *,
    surroundings: Mapping[str, str],
    seconds: float,
    say: Callable[[str], None],
) -> Run:
    """Run a script of `tests/e2e/scripts` to its end.

    Args:
        name: The script's file name.
        plan: What it is to do; it finds this as a JSON file named on its command line.
        directory: An empty directory for its plan, log, results and, within it, an empty working directory.
        surroundings: Further environment variables.
        seconds: How long it may take.
        say: Is told its progress.

    Returns:
        What became of it.

    Raises:
        TimeoutError: If it took too long; it has been killed, and the text shows the end of its log.
    """
    results, log, cwd = directory / "results.json", directory / f"{name}.log", directory / "empty"
    cwd.mkdir()
    (directory / "plan.json").write_text(json.dumps({**plan, "results": str(results)}), encoding="utf-8")
    began = time.monotonic()
    command = [sys.executable, str(SCRIPTS / name), str(directory / "plan.json")]
    process = begin_session(command, cwd, {**_clean_environment(), **surroundings}, log)
    try:
        _follow(process, log, began + seconds, say)
        left = _left(process.pid)
    finally:
        end_session(process)
    found = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
    return Run(process.returncode, log.read_text(errors="replace"), found, time.monotonic() - began, left)


def _clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENVPICKLE_"))}


def _follow(process: "subprocess.Popen[bytes]", log: Path, deadline: float, say: Callable[[str], None]) -> None:
    """Pass on a script's progress until it ends."""
    with log.open(errors="replace") as lines:
        while True:
            ended = process.poll() is not None
            for line in lines:
                if line.startswith(PROGRESS):
                    say(line.removeprefix(PROGRESS).rstrip())
            if ended:
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"the script did not end in time; its log is {log} and ends:\n{tail(log)}")
            time.sleep(0.5)


def _left(session: int) -> list[str]:
    """The processes still in a session once they have had time to leave, by their command lines."""
    deadline = time.monotonic() + LEAVE_SECONDS
    while (found := [line for _, line in members(session)]) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found
