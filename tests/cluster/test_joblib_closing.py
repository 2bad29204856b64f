"""Closing under joblib: loky keeps its workers between calls, and an owner reaches them; their endings close, bar a kill."""

import time
from pathlib import Path
from typing import Any

import pytest
from voyage.closing import await_word
from voyage.fresh import end_group, run, start

from benchmarks.portsim.launch import running

PROGRAM = """
import os, sys, threading, time
from pathlib import Path
import envpickle
from harbour import berths
from voyage.fresh import report

HOME, STEP = sys.argv[1:3]

def hold(cls, seconds=0.3):
    berths.HELD.append(cls())
    time.sleep(seconds)
    return os.getpid()

def fail(cls, raises, home):
    berths.HELD.append(cls())
    berths.HELD[-1].reset()
    while not Path(home, "go").exists():
        time.sleep(0.02)
    if raises:
        raise ZeroDivisionError
    os.kill(os.getpid(), 9)

def left(wanted, seconds=30):
    deadline = time.monotonic() + seconds
    while (found := len([*Path(HOME).glob("session_*")])) != wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    return found

def work(task, *arguments, backend="loky", **options):
    return Parallel(n_jobs=2, backend=backend, **options)(delayed(task)(*arguments) for _ in range(2))

def owner():
    idle = work(hold, Berth)
    at_work = threading.Thread(target=work, args=(hold, Berth, 3))
    at_work.start()
    found = [left(4)]
    home_owner.close()
    found += [left(0), at_work.is_alive()]
    at_work.join()
    with envpickle.Owner() as another:
        again = work(hold, another.build(berths.berth, HOME, ["lift"]))
        found += [left(2), set(again) <= set(idle)]
    return [*found, left(0)]

def idle():
    work(hold, Berth, idle_worker_timeout=1)
    return [left(2), left(0)]

def shutdown():
    work(hold, Berth)
    found = [left(2)]
    get_reusable_executor().shutdown(wait=True)
    return [*found, left(0)]

def left_behind():
    work(hold, Berth)
    return [left(2)]

def pool():
    return [len(work(hold, Berth, backend="multiprocessing")), left(0)]

def broken(url):
    from envpickle_openenv import AgentEnv
    env = AgentEnv(url)
    try:
        work(fail, env.factory, STEP == "raised", HOME)
    except (ZeroDivisionError, TerminatedWorkerError):
        berths.told(HOME, "broken", len(set(work(hold, env.factory))))
    berths.wait_for_ever()

if __name__ == "__main__":
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError
    home_owner = envpickle.Owner()
    Berth = home_owner.build(berths.berth, HOME, ["lift"])
    if STEP in ("raised", "killed"):
        broken(sys.argv[3])
    report(globals()[STEP]())
    os._exit(0)  # no exit hook runs
"""


def told(step: str, home: Path) -> Any:
    return run(PROGRAM, str(home), step, quiet=False, PYTHONWARNINGS="default")


@pytest.mark.slow
def test_an_owner_reaches_workers_at_work_and_idle_and_they_serve_the_next_owner(tmp_path: Path) -> None:
    assert told("owner", tmp_path) == [4, 0, True, 2, True, 0]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["idle", "shutdown", "pool"])
def test_workers_close_at_their_own_end(tmp_path: Path, ending: str) -> None:
    """Loky's when they were idle for long, or with their executor; multiprocessing's after each call."""
    assert told(ending, tmp_path) == [2, 0]


@pytest.mark.slow
def test_workers_close_when_their_program_was_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    assert told("left_behind", home) == [2]

    deadline = time.monotonic() + 30
    while [*home.glob("session_*")]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
def test_what_loky_kills_frees_its_sessions(tmp_path: Path) -> None:
    """A worker that dies, and a task that raises, have loky kill all of them; new ones take their place."""
    script = tmp_path / "main.py"
    script.write_text(PROGRAM)
    with running(dock={"max_sessions": 4}) as port:
        for ending in ("raised", "killed"):
            home = tmp_path / ending
            home.mkdir()
            program = start(script, str(home), ending, port.dock_url, cwd=home, PYTHONWARNINGS="default")
            try:
                port.wait_live("dock", 2, 60)
                (home / "go").touch()
                await_word(str(home), "broken", 60)
                assert (home / "broken").read_text() == "2"
                port.wait_live("dock", 0, 30)
            finally:
                end_group(program)
