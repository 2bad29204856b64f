"""`envpickle_ray.pool`: work shared out among actors of one class; the dead are replaced, and all is closed in the end."""

from pathlib import Path

import pytest
from ships.fleet import Fleet

SHARED = '''
import os
import itertools
import pickle
import signal
import sys
import threading
import time
from pathlib import Path

import ray

import envpickle
import envpickle_ray
from harbour.berths import berth
from ships import driving
from voyage.fresh import report


@envpickle.builder
def worker(base: type, home: str) -> type:
    """Berths that compute; one call ends the process it is in, the first time that it is made."""
    import time
    from pathlib import Path

    class Worker(base):
        def double(self, value):
            mark = Path(home, "died")
            if value == "fatal" and not mark.exists():
                mark.write_text("")
                os._exit(1)
            if value == "bad":
                raise ValueError("a bad value")
            return value * 2, os.getpid()

        def nap(self, seconds):
            time.sleep(seconds)
            return os.getpid()

        def _close(self):
            time.sleep(0.5)  # time enough for who does not wait
            super()._close()

    return Worker


def sessions(home, pids):
    """What is open of these processes."""
    return [path.name for path in Path(home).glob("session_*") if int(path.name.split("_")[1]) in pids]


def double(actor, value):
    return actor.double.remote(value)


def said(call):
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
'''

PROGRAM = """
def main(home):
    driving.connect()
    found = {}
    Worker = worker(berth(home, ["lift"]), home)
    with envpickle_ray.pool(Worker, 2, num_cpus=0.1) as pool:
        results = list(pool.map(double, range(20)))
        found["ordered"] = [value for value, _ in results]
        found["shared"] = len({pid for _, pid in results})
        found["unordered"] = sorted(value for value, _ in pool.map_unordered(double, range(10)))
        found["submitted"] = ray.get([pool.submit(double, value) for value in (1, 2)])[1][0]
        found["sequence"] = [len(pool), len(list(pool)), ray.get(pool[0].reset.remote())]
        found["died"] = said(lambda: [value for value, _ in pool.map(double, [1, "fatal", 3])])
        pool.heal(timeout=60)
        found["went on"] = [value for value, _ in pool.map(double, range(6))]
        Path(home, "died").unlink()
        found["again"] = [value for value, _ in pool.map(double, [1, "fatal", 3], retries=1)]
        found["bad"] = said(lambda: list(pool.map(double, ["bad"], retries=3)))
        ray.kill(pool[1])
        found["healed"] = [driving.until(pool.heal), pool.heal(), pool.replaced, len(pool)]
        at_work = {pid for _, pid in ray.get([actor.double.remote(1) for actor in pool])}
        found["open"] = [len(at_work), len(sessions(home, at_work))]
        pool.close(timeout=120)
    found["left"] = sessions(home, at_work)  # what a killed process left, nobody removes
    found["after"] = [said(lambda: list(pool.map(double, [1]))), said(lambda: pool.submit(double, 1))]
    report(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
"""


@pytest.mark.timeout(400)
def test_a_pool_shares_out_work_and_replaces_the_dead(fleet: Fleet, tmp_path: Path) -> None:
    """Results in order or as they come; a dead actor costs its own call, or none with a retry; closing leaves none at work."""
    found = fleet.run(SHARED + PROGRAM, str(tmp_path), seconds=240)
    assert found["ordered"] == [value * 2 for value in range(20)]
    assert found["shared"] == 2
    assert found["unordered"] == [value * 2 for value in range(10)]
    assert found["submitted"] == 4
    assert found["sequence"] == [2, 2, "go"]
    assert found["died"].startswith(("ActorDiedError", "ActorUnavailableError")), "Ray may not know yet"
    assert found["went on"] == [value * 2 for value in range(6)]
    assert found["again"] == [2, "fatalfatal", 6]
    assert "a bad value" in found["bad"]
    assert found["healed"] == [1, 0, 3, 2]
    assert found["open"] == [2, 2]
    assert found["left"] == [], "closing waits until the instances are closed"
    assert all(text.startswith("PoolClosed: this pool of actors was closed") for text in found["after"])


ROUGH = """
def nap(actor, seconds):
    return actor.nap.remote(seconds)


def shared(pool, home):
    '''Two threads at work on one pool, whose calls both meet the death of one actor.'''
    Path(home, "died").unlink(missing_ok=True)
    results = {}
    jobs = {"first": [*range(5), "fatal", *range(5)], "second": list(range(20))}

    def work(name):
        results[name] = said(lambda: [value for value, _ in pool.map(double, jobs[name], retries=3)])

    threads = [threading.Thread(target=work, args=(name,)) for name in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.heal(timeout=60)
    right = {name: repr([value * 2 for value in values]) for name, values in jobs.items()}
    return [results == right, pool.replaced, len({pid for _, pid in ray.get([double(actor, 1) for actor in pool])})]


def interrupted(Worker, home):
    '''Ctrl-C in the middle of a map without end.'''
    pids, heard = set(), threading.Event()

    def interrupt():
        while not heard.wait(0.5):
            os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with envpickle_ray.pool(Worker, 1, num_cpus=0.1) as pool:
            try:
                for pid in pool.map(nap, itertools.repeat(0.01)):
                    if not pids:
                        threading.Thread(target=interrupt).start()
                    pids.add(pid)
            finally:
                heard.set()
    except KeyboardInterrupt:
        return [len(pids), sessions(home, pids)]


def accepted(pool):
    try:
        return pool.submit(nap, 4)
    except ray.exceptions.PendingCallsLimitExceeded:
        return None


def full(Worker, home):
    '''An actor that takes no more calls.'''
    pool = envpickle_ray.pool(Worker, 1, num_cpus=0.1, max_pending_calls=1)
    pids = set(ray.get([nap(pool[0], 0)]))
    napping = driving.until(lambda: accepted(pool))  # Ray may still count the one that has just ended
    found = [pool.heal(timeout=0.1), pool.close(timeout=0.1), len(sessions(home, pids))]
    return [*found, driving.until(lambda: not sessions(home, pids))]


def main(home):
    driving.connect()
    found = {}
    Worker = worker(berth(home, ["lift"]), home)
    pool = envpickle_ray.pool(Worker, 3, num_cpus=0.1)
    found["shared"] = shared(pool, home)
    given = [lambda actor, value: value, lambda actor, value: [double(actor, value)], lambda actor, value: None]
    found["no call"] = [said(lambda: list(pool.map(function, [1]))) for function in given]
    one = double(pool[0], 1)
    found["one call"] = said(lambda: list(pool.map_unordered(lambda actor, value: one, [1, 2])))
    found["sent"] = said(lambda: pickle.dumps(pool))
    abandoned, unbegun = pool.map(double, range(100)), pool.map(double, [1])
    found["abandoned"] = [next(abandoned)[0], [value for value, _ in pool.map(double, range(3))]]
    at_work = set(ray.get([nap(actor, 0) for actor in pool]))
    napping = [pool.submit(nap, 8) for _ in pool]
    found["napping"] = pool.heal(timeout=0.1)
    begun = time.monotonic()
    pool.close(timeout=2)
    found["close"] = [time.monotonic() - begun, len(sessions(home, at_work))]
    uses = [lambda: list(abandoned), lambda: list(unbegun), lambda: pool.map(double, [1])]
    found["closed"] = [*[said(use) for use in uses], len(pool)]
    found["after"] = [driving.until(lambda: not sessions(home, at_work)), set(ray.get(napping)) == at_work]
    pool = envpickle_ray.pool(Worker, 1, num_cpus=0.1, max_restarts=2)
    Path(home, "died").unlink()
    found["restarted"] = [said(lambda: list(pool.map(double, ["fatal"]))), pool.heal(timeout=60), pool.replaced]
    Path(home, "died").unlink()
    found["again"] = [value for value, _ in pool.map(double, [1, "fatal", 3], retries=1)] + [pool.replaced]
    found["interrupted"] = interrupted(Worker, home)
    found["full"] = full(Worker, home)
    begun = pool.map(double, range(5))
    next(begun)
    ray.shutdown()
    uses = [lambda: list(begun), lambda: pool.map(double, [1]), lambda: pool.submit(double, 1), pool.heal, pool.close]
    found["shut down"] = [said(use) for use in uses]
    found["started"] = ray.is_initialized()
    report(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
"""


@pytest.mark.timeout(400)
def test_a_pool_that_is_used_roughly(fleet: Fleet, tmp_path: Path) -> None:
    """By two threads, wrongly, while actors nap or restart, after it was closed and after Ray was shut down."""
    found = fleet.run(SHARED + ROUGH, str(tmp_path), seconds=240)
    assert found["shared"] == [True, 1, 3], "a dead actor is replaced once"
    assert all(text.startswith("NoActorCall: a pool's map was given <function") for text in found["no call"])
    assert all("It has to return the one reference of a call" in text for text in found["no call"])
    assert "returned the reference that it had returned for another one" in found["one call"]
    assert found["sent"].startswith("PickleRefused: a pool of actors stays")
    assert found["abandoned"] == [0, [0, 2, 4]]
    assert found["napping"] == 0
    assert found["close"][0] < 6, "the actors are waited for together"
    assert found["close"][1] == 3, "they nap"
    assert found["closed"][0].startswith("PoolClosed: this pool of actors was closed")
    assert found["closed"][1:] == [found["closed"][0]] * 2 + [0]
    assert found["after"] == [True, True], "they close when they have napped"
    assert found["restarted"][0].startswith("ActorUnavailableError")
    assert found["restarted"][1:] == [0, 0], "Ray has brought it back"
    assert found["again"] == [2, "fatalfatal", 6, 0], "the call waits for the actor"
    assert found["interrupted"] == [1, []]
    assert found["full"] == [0, None, 1, True]
    assert all(text.startswith("PoolClosed: Ray was shut down") for text in found["shut down"][:4])
    assert found["shut down"][4] == "None"
    assert found["started"] is False
