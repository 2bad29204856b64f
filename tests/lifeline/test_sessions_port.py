"""Real sessions on the port pack: closing an AgentEnv here frees what other processes hold."""

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harbour import moored
from voyage.fresh import surroundings

from benchmarks.portsim.launch import Port, running
from envpickle_openenv import AgentEnv

METHODS = ["spawn", "forkserver", "fork"]
WORKERS, EACH = 4, 2


@pytest.fixture(scope="module")
def shared_port() -> Iterator[Port]:
    with running() as port:
        yield port


@pytest.fixture
def port(shared_port: Port) -> Port:
    """The port with nobody on it."""
    shared_port.wait_live("dock", 0)
    return shared_port


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")  # which is forked on purpose
def test_closing_frees_the_sessions_of_pool_workers(port: Port, home: Path, method: str) -> None:
    """Four workers play on; `AgentEnv.close()` in the parent ends all their sessions, and the workers take other work."""
    context = multiprocessing.get_context(method)
    with AgentEnv(port.dock_url) as dock, concurrent.futures.ProcessPoolExecutor(WORKERS, mp_context=context) as workers:
        tasks = [workers.submit(moored.play_on, dock.factory, str(home), EACH, WORKERS) for _ in range(WORKERS)]
        assert len({task.result(60) for task in tasks}) == WORKERS
        port.wait_live("dock", WORKERS * EACH)

        dock.close()

        port.wait_live("dock", 0)
        assert workers.submit(moored.makes_another, dock.factory).result(60) == "OwnerClosed"


HOLDER = """
import pickle, sys
from harbour import moored
moored.play_on(pickle.load(sys.stdin.buffer), sys.argv[1], 3, 1)
moored.wait_for_ever()
"""
OWNER = """
import pickle, subprocess, sys, time
from envpickle_openenv import AgentEnv
dock = AgentEnv(sys.argv[1])
holder = subprocess.Popen([sys.executable, "-c", sys.argv[2], sys.argv[3]], stdin=subprocess.PIPE, start_new_session=True)
holder.stdin.write(pickle.dumps(dock.factory))
holder.stdin.close()
print(holder.pid, flush=True)
time.sleep(300)
"""


def test_the_kill_of_the_owner_s_process_frees_the_sessions_of_a_detached_one(port: Port, home: Path) -> None:
    """A program in a session of its own, which nobody's death ends, has its sessions closed by its owner's."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, port.dock_url, HOLDER, str(home)], env=surroundings(), stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    holder = int(owner.stdout.readline())
    try:
        port.wait_live("dock", 3)
        owner.kill()
        port.wait_live("dock", 0)
        os.kill(holder, 0)  # it lives
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
        os.kill(holder, signal.SIGKILL)
