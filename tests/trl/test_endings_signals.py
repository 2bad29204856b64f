"""What signals leave behind: a training script of its own is interrupted, terminated and killed from outside."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted.endings import Table, live_on
from scripted.server import ScriptedServer
from scripted.watching import Watch, descendants, is_gone, wait_until

from benchmarks.portsim.launch import Port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
SUPPORT = Path(__file__).parent / "support"
LIVE = 28


@contextlib.contextmanager
def training(arguments: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A training script in a session of its own; whatever of it is left in the end is killed, process by process."""
    path = os.pathsep.join([str(ROOT), str(SUPPORT)])
    with log.open("wb") as output:
        script = subprocess.Popen(
            [sys.executable, "-m", "scripted.run", *arguments],
            env={**os.environ, "PYTHONPATH": path},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        below: list[int] = []
        try:
            yield script
        finally:
            with contextlib.suppress(Exception):
                below = descendants(script.pid)
            for pid in (script.pid, *below):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            script.wait()


@pytest.fixture
def ended_by(
    tiny_model: Path, model: ScriptedServer, port: Port, tmp_path: Path
) -> Callable[[Callable[[int], None]], tuple[Watch, int, float, str]]:
    """Have a script train, end it with many episodes in the middle, and tell what was left, its status, and what it said."""

    def end(how: Callable[[int], None]) -> tuple[Watch, int, float, str]:
        model.hold_from = 1  # after its first tool call every episode waits for the model
        model.gate.clear()
        log = tmp_path / "log"
        with training([str(tiny_model), model.url, port.dock_url, "32"], log) as script:
            wait_until(lambda: script.poll() is not None or live_on(port) >= LIVE, "28 live episodes")
            assert script.poll() is None, log.read_text()
            watch = Watch(lambda: live_on(port))
            processes = descendants(script.pid)  # the rollout process, and what multiprocessing keeps beside it
            began = time.monotonic()
            watch.begin(processes)
            how(script.pid)
            status = script.wait(60)
            seconds = time.monotonic() - began
            try:
                watch.finish()
            finally:
                for pid in processes:
                    if not is_gone(pid):
                        os.kill(pid, signal.SIGKILL)
        return watch, status, seconds, log.read_text()

    return end


def test_interrupt_from_the_terminal(
    ended_by: Callable[[Callable[[int], None]], tuple[Watch, int, float, str]], endings: Table
) -> None:
    """Ctrl-C goes to the trainer and to its rollout process at once."""
    watch, status, seconds, said = ended_by(lambda pid: os.killpg(pid, signal.SIGINT))
    assert status == -signal.SIGINT
    assert watch.sessions_at_first >= LIVE
    assert said.rstrip().endswith("KeyboardInterrupt")
    endings.add("`KeyboardInterrupt`, Ctrl-C", watch, seconds, "`KeyboardInterrupt`")


def test_terminated(ended_by: Callable[[Callable[[int], None]], tuple[Watch, int, float, str]], endings: Table) -> None:
    """The trainer dies at once; the rollout process notices, closes what it holds, and ends."""
    watch, status, seconds, _ = ended_by(lambda pid: os.kill(pid, signal.SIGTERM))
    assert status == -signal.SIGTERM
    assert watch.sessions_at_first >= LIVE
    assert max(watch.sessions_gone, watch.processes_gone) < 5
    endings.add("trainer SIGTERM", watch, seconds, "exit status 143")


def test_killed(ended_by: Callable[[Callable[[int], None]], tuple[Watch, int, float, str]], endings: Table) -> None:
    """No code of the trainer runs any more; its rollout process closes and ends all the same, within five seconds."""
    watch, status, seconds, _ = ended_by(lambda pid: os.kill(pid, signal.SIGKILL))
    assert status == -signal.SIGKILL
    assert watch.sessions_at_first >= LIVE
    assert max(watch.sessions_gone, watch.processes_gone) < 5
    endings.add("trainer SIGKILL", watch, seconds, "exit status 137")
