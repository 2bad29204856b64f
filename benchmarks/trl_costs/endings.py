"""How many sessions are left on the server when a run ends, and for how long."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..portsim.launch import Port, running
from .contenders import CONTENDERS
from .rollout import COUNT, ENDINGS

__all__ = ["LOOK", "endings"]

ROOT = Path(__file__).parents[2]
LOOK = 5.0
"""Seconds after which sessions are counted: what TRL itself leaves a rollout process after SIGTERM."""


def endings(patience: float, tick: Callable[[], None]) -> list[dict[str, Any]]:
    """End runs in every way, by both contenders.

    Args:
        patience: Seconds after which one gives up waiting for the last session to end.
        tick: Called after every run.

    Returns:
        One row per ending and contender: ``ending``, ``contender``, ``after`` (live sessions after `LOOK` seconds),
        ``seconds`` (until there were none, None if that took longer than the patience) and ``processes`` (left then).
    """
    rows = []
    with running({"max_sessions": 4 * COUNT}) as port:
        for ending in ENDINGS:
            for contender in CONTENDERS:
                rows.append({"ending": ending, "contender": contender, **ended(port, contender, ending, patience)})
                port.wait_live("dock", 0, 30)
                tick()
    return rows


def ended(port: Port, contender: str, ending: str, patience: float) -> dict[str, Any]:
    """Begin a run, end it, and watch the server."""
    with run(port, contender, ending) as (process, pids):
        port.wait_live("dock", COUNT, 30)
        begun = time.monotonic()
        assert process.stdin is not None
        process.stdin.write("end\n")
        process.stdin.flush()
        if ending.startswith("trainer"):
            os.kill(pids["trainer"], signal.SIGTERM if ending.endswith("TERM") else signal.SIGKILL)
        seconds, after = None, None
        while (spent := time.monotonic() - begun) < patience:
            live = port.status()["dock"]["sessions"]["live"]
            seconds = spent if live == 0 and seconds is None else seconds
            if spent >= LOOK or seconds is not None:
                after = live if after is None else after
            if after is not None and seconds is not None and not any(map(alive, left(ending, pids))):
                break
            time.sleep(0.05)
        return {"after": after, "seconds": seconds, "processes": sum(map(alive, left(ending, pids)))}


def left(ending: str, pids: dict[str, int]) -> list[int]:
    """The processes that should be gone; a trainer whose rollout process was killed is not told in this program."""
    return [pids["rollout"]] if ending.startswith("rollout") else [*pids.values()]


@contextmanager
def run(port: Port, contender: str, ending: str) -> Iterator[tuple["subprocess.Popen[str]", dict[str, int]]]:
    """Run a trainer's process for the length of a ``with`` block; what is left of it then is ended by its own id."""
    command = [sys.executable, "-m", f"{__package__}.rollout", contender, port.dock_url, str(COUNT), ending]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, text=True, **pipes)
    pids = {"trainer": process.pid}
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{contender}: the run ended before it had begun its episodes")
        pids = json.loads(line)
        yield process, pids
    finally:
        for pid in reversed(pids.values()):
            with contextlib.suppress(ProcessLookupError):
                if alive(pid):
                    os.kill(pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
