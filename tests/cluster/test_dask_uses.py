"""The ways of Dask and joblib that lead a class or an instance round other corners than a task's arguments."""

import pytest
from voyage.fresh import run

DASK = """
import os, sys, time
from pathlib import Path
import envpickle
from harbour import berths, docks
from voyage.fresh import report

HOME = os.getcwd()

def here(thing):
    kind = thing if isinstance(thing, type) else type(thing)
    return kind is docks.dock(["lift"])

def make(cls):
    return cls()

def left(wanted, seconds=30):
    deadline = time.monotonic() + seconds
    while (found := len([*Path(HOME).glob("session_*")])) != wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    return found

def travel(client, cls):
    near, far = sorted(client.scheduler_info()["workers"])
    made = client.submit(cls, 3, workers=[near])
    bag = dask.bag.from_sequence([cls(1), cls(2)], npartitions=2)
    client.publish_dataset(dock=cls)
    return {
        "a result on another worker": client.submit(here, made, workers=[far]).result(),
        "scattered": [client.submit(here, one).result() for one in client.scatter([cls, cls(1)], broadcast=True)],
        "a bag": bag.map(here).compute(),
        "delayed": dask.compute(dask.delayed(here)(dask.delayed(cls)(1)), dask.delayed(cls(2)).lift("keg")),
        "published": client.get_dataset("dock") is cls,
        "run": sorted(client.run(here, cls).values()),
        "keys": [client.submit(make, docks.dock([tool])).key != client.submit(make, cls).key for tool in ("lift", "drop")],
    }

def actors(client, owner):
    cls = owner.build(berths.berth, HOME, ["lift"])
    future = client.submit(cls, actor=True, pure=False)
    actor = future.result()
    found = [left(1), actor.lift().result()]
    kept = client.submit(make, cls, pure=False)
    dropped = client.submit(make, cls, pure=False)
    wait([kept, dropped])
    found.append(left(3))
    del dropped
    found.append(left(2))
    owner.close()
    return [*found, left(0)]

if __name__ == "__main__":
    import dask, dask.bag
    from distributed import Client, wait
    from joblib import Parallel, delayed, parallel_config
    Dock = docks.dock(["lift"])
    with Client(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50) as client:
        found = travel(client, Dock)
        with parallel_config(backend="dask"):
            found["joblib"] = Parallel()(delayed(here)(thing) for thing in (Dock, Dock(1)))
        found["actors"] = actors(client, envpickle.Owner())
    report(found)
"""
EXPECTED = {
    "a result on another worker": True,
    "scattered": [True, True],
    "a bag": [True, True],
    "delayed": [True, "lift keg at sea"],
    "published": True,
    "run": [True, True],
    "keys": [False, True],
    "joblib": [True, True],
    "actors": [1, "lift", 3, 2, 0],
}

JOBLIB = """
import envpickle, joblib
from harbour.docks import dock, yard
from voyage.fresh import report

RUNS = []

def made(cls, load):
    RUNS.append(load)
    return cls(load)

def asked(instance):
    RUNS.append(instance.load)
    return instance.load

Dock = dock(["lift"])
memory = joblib.Memory("cache", verbose=0)
make, ask = memory.cache(made), memory.cache(asked)
same = [type(make(Dock, 3)) is Dock for _ in range(2)]
loads = [ask(Dock(load)) for load in (4, 5, 4)]
owned = [type(make(envpickle.Owner().build(dock, ["lift"]), 6)) for _ in range(2)]
kept = []
for compress in (0, 3):
    joblib.dump({"class": Dock, "instances": [Dock(7)]}, "kept", compress=compress)
    back = joblib.load("kept")
    kept += [back["class"] is Dock, type(back["instances"][0]) is Dock]
hashes = {joblib.hash(yard(rows).Slot) for rows in (1, 2, 1)}
report([same, loads, RUNS, len(set(owned)), kept, len(hashes)])
"""


@pytest.mark.slow
def test_ways_of_dask() -> None:
    """Actors and results are closed when nobody holds them any more, or with their owner."""
    assert run(DASK, seconds=120, quiet=False, PYTHONWARNINGS="default") == EXPECTED


def test_what_joblib_keeps_in_files() -> None:
    """A cache and a dump give instances of the very class; to a cache, each owner's class is another."""
    assert run(JOBLIB, quiet=False) == [[True, True], [4, 5, 4], [3, 4, 5, 6, 6], 2, [True] * 4, 2]
