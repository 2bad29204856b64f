"""Dask has nothing to install: workers hold an owner's sessions, and every ending of theirs or of the client's frees them."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from voyage.closing import await_word
from voyage.fresh import end_group, start

from benchmarks.portsim.launch import Port, running

PROGRAM = """
import os, sys, time
from pathlib import Path
from envpickle_openenv import AgentEnv
from harbour import berths

def hold(cls, number):
    import builtins
    held = builtins.__dict__.setdefault("held_here", [])
    held.append(cls())
    held[-1].reset()
    return os.getpid()

def hold_own(url, number):
    import builtins
    builtins.own_owner = AgentEnv(url)
    return hold(builtins.own_owner.factory, number)

if __name__ == "__main__":
    from distributed import Client, LocalCluster
    url, home, ending = sys.argv[1:]
    owner = AgentEnv(url)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=ending != "threads", dashboard_address=None) as cluster:
        client = Client(cluster)
        names = sorted(client.scheduler_info()["workers"])
        pids = [client.submit(hold, owner.factory, n, workers=[name], pure=False).result(60) for n, name in enumerate(names)]
        if ending == "adapt":
            [client.submit(hold_own, url, n, workers=[name], pure=False).result(60) for n, name in enumerate(names)]
        berths.told(home, "ready", pids)
        while not Path(home, "go").exists():
            time.sleep(0.02)
        if ending == "retire":
            client.retire_workers([names[0]], close_workers=True)
        if ending == "scale":
            cluster.scale(1)
        if ending == "adapt":
            cluster.adapt(minimum=0, maximum=2, interval="200ms", wait_count=2)
        if ending == "restart":
            client.restart()
        if ending in ("close", "threads"):
            owner.close()
        if ending == "cluster":
            client.close()
            cluster.close()
        berths.told(home, "done")
        berths.wait_for_ever()
"""
LEFT = {"retire": 1, "scale": 1, "worker": 1, "adapt": 0, "restart": 0, "close": 0, "cluster": 0, "client": 0, "threads": 0}


@pytest.fixture(scope="module")
def port() -> Iterator[Port]:
    """The real server."""
    with running(dock={"max_sessions": 8}) as port:
        yield port


@pytest.mark.slow
@pytest.mark.parametrize("ending", LEFT)
def test_an_ending_frees_its_sessions(port: Port, tmp_path: Path, ending: str) -> None:
    """Two workers hold a session each, and under ``adapt()`` one more of an owner of theirs; what ends frees its own alone."""
    script = tmp_path / "cluster.py"
    script.write_text(PROGRAM)
    port.wait_live("dock", 0, 30)
    program: Any = start(script, port.dock_url, str(tmp_path), ending, cwd=tmp_path, PYTHONWARNINGS="default")
    try:
        await_word(str(tmp_path), "ready", 60)
        port.wait_live("dock", 4 if ending == "adapt" else 2, 30)
        if ending == "worker":
            os.kill(int((tmp_path / "ready").read_text().strip("[]").split(",")[0]), signal.SIGKILL)
        elif ending == "client":
            os.kill(program.pid, signal.SIGKILL)
        else:
            (tmp_path / "go").touch()
        port.wait_live("dock", LEFT[ending], 60)
    finally:
        end_group(program)
