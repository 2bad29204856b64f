"""The server's life hangs on its caller's, and its end is told."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.portsim import environment, launch
from benchmarks.portsim.launch import Port, PortError, running

CALLER = """
import os, sys, time
from benchmarks.portsim.launch import running
with running() as port:
    if "fork" in sys.argv and os.fork() == 0:
        time.sleep(30)
        os._exit(0)
    print(port.pid, flush=True)
    time.sleep(60)
"""


def gone(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("how", ["plain", "fork"])
def test_the_server_ends_when_its_caller_is_killed(how: str) -> None:
    command = [sys.executable, "-c", CALLER, how]
    caller = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=environment.ROOT, start_new_session=True)
    assert caller.stdout is not None
    with caller, caller.stdout:
        server = int(caller.stdout.readline())
        assert not gone(server, 0.1)
        caller.send_signal(signal.SIGKILL)
        caller.wait(10)
        try:
            assert gone(server, 10)
        finally:
            os.killpg(caller.pid, signal.SIGKILL) if how == "fork" else None


def test_a_block_that_raises_stops_the_server_and_shows_the_log_it_keeps() -> None:
    with pytest.raises(KeyError) as failure, running() as port:
        raise KeyError("the test's own")
    assert str(port.log) in failure.value.__notes__[0]
    assert port.log.exists()
    port.log.unlink()
    assert gone(port.pid, 1)
    assert port.process.returncode == 0
    port.stop()  # may be called again


def test_a_server_that_cannot_start_shows_its_log(port: Port) -> None:
    taken = int(port.url.rpartition(":")[2])
    with pytest.raises(PortError, match="Address already in use") as failure:
        launch.start(number=taken)
    log = Path(next(word for word in str(failure.value).split() if word.endswith(".log")))
    log.unlink()


def test_an_unknown_option_is_refused_before_anything_starts() -> None:
    with pytest.raises(ValueError, match=r"unknown portsim options \['slow'\]"):
        launch.start(dock={"slow": 1})
