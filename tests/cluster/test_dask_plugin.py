"""Dask, with sessions that only a closing method ends: files. What a worker holds when it is told to end is closed in time."""

from pathlib import Path
from typing import Any

import pytest
from voyage.fresh import run

PROGRAM = """
import os, sys, time
from pathlib import Path
import envpickle
from harbour import berths
from voyage.fresh import report

HOME, STEP = sys.argv[1:3]

def hold(cls, seconds=0):
    berths.HELD.append(cls())
    Path(HOME, f"held_{os.getpid()}").touch()
    time.sleep(seconds)
    return os.getpid()

def hold_own():
    owner = envpickle.Owner()
    berths.HELD.append(owner)
    return hold(owner.build(berths.berth, HOME, ["lift"]))

def left(wanted, seconds=30):
    deadline = time.monotonic() + seconds
    while (found := len([*Path(HOME).glob("session_*")])) != wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    return found

def workers():
    return sorted(client.scheduler_info()["workers"])

def in_both(*what):
    return [client.submit(*what, workers=[name], pure=False) for name in workers()]

def pids_of(futures):
    return [future.result(60) for future in futures]

def adapt():
    pids_of(in_both(hold, Berth) + in_both(hold_own))
    found = [left(4)]
    cluster.adapt(minimum=0, maximum=2, interval="200ms", wait_count=2)
    found.append(left(0))
    client.submit(hold, Berth, pure=False).result(60)  # a worker is started for it, retired again, and its session is closed
    return [*found, left(0), len([*Path(HOME).glob("held_*")])]

def busy():
    pids_of(in_both(hold_own))
    futures = in_both(hold, Berth, 60)
    found = [left(4)]
    cluster.scale(0)
    return [*found, left(0), [future.done() for future in futures]]

def owner():
    old = pids_of(in_both(hold, Berth))
    pids_of(in_both(hold_own))
    found = [left(4)]
    client.restart(timeout=60)
    found.append(left(0))
    names, new = workers(), pids_of(in_both(hold, Berth))
    os.kill(new[0], 9)  # its session is a file, which nobody is left to remove
    while names[0] in workers() or len(workers()) < 2:
        time.sleep(0.05)
    now = pids_of(in_both(hold_own))
    futures = in_both(hold, Berth, 60)
    found.append(left(6, 5))  # of the one that was killed, of the other, and two each of the other and of the one that came
    client.close()
    time.sleep(0.5)
    found.append(left(6))
    home_owner.close()
    return [*found, left(3), len({*old, *new, *now})]

if __name__ == "__main__":
    from distributed import Client, LocalCluster
    from envpickle.dask import ClosingPlugin
    home_owner = envpickle.Owner()
    Berth = home_owner.build(berths.berth, HOME, ["lift"])
    cluster = LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50)
    client = Client(cluster)
    if STEP != "owner":
        client.register_plugin(ClosingPlugin())
    report(globals()[STEP]())
    os._exit(0)  # at once: the workers do the same
"""


def told(step: str, home: Path) -> Any:
    return run(PROGRAM, str(home), step, seconds=120, quiet=False, PYTHONWARNINGS="default")


@pytest.mark.slow
def test_adaptive_scaling_closes_what_idle_workers_hold(tmp_path: Path) -> None:
    """Instances of an owner at home, and owners made in the workers; a worker that comes later is closed alike."""
    assert told("adapt", tmp_path) == [4, 0, 0, 3]


@pytest.mark.slow
def test_a_worker_that_is_scaled_away_closes_under_its_tasks(tmp_path: Path) -> None:
    """Its nanny kills it in the end, as it does with every worker whose task goes on: it has closed by then."""
    assert told("busy", tmp_path) == [4, 0, [False, False]]


@pytest.mark.slow
def test_restarts_and_owners_without_the_plugin(tmp_path: Path) -> None:
    """A restart closes; an owner reaches workers that came later, under their tasks, and after the client has gone."""
    assert told("owner", tmp_path) == [4, 0, 6, 6, 3, 5]
