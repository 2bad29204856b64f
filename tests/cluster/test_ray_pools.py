"""`envpickle_ray.pool`: work shared out among actors of one class; the dead are replaced, and all is closed in the end."""

from pathlib import Path

import pytest
from ships.fleet import Fleet

PROGRAM = '''
import os
import sys
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
        found["went on"] = [value for value, _ in pool.map(double, range(6))]
        Path(home, "died").unlink()
        found["again"] = [value for value, _ in pool.map(double, [1, "fatal", 3], retries=1)]
        found["bad"] = said(lambda: list(pool.map(double, ["bad"], retries=3)))
        ray.kill(pool[1])
        found["healed"] = [pool.heal(), pool.heal(), pool.replaced, len(pool)]
        at_work = {pid for _, pid in ray.get([actor.double.remote(1) for actor in pool])}
        found["open"] = [len(at_work), len(sessions(home, at_work))]
        pool.close(timeout=120)
    found["left"] = sessions(home, at_work)  # what a killed process left, nobody removes
    found["after"] = [said(lambda: list(pool.map(double, [1]))), said(lambda: pool.submit(double, 1))]
    report(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
'''


@pytest.mark.timeout(200)
def test_a_pool_shares_out_work_and_replaces_the_dead(fleet: Fleet, tmp_path: Path) -> None:
    """Results in order or as they come; a dead actor costs its own call, or none with a retry; closing leaves none at work."""
    found = fleet.run(PROGRAM, str(tmp_path))
    assert found["ordered"] == [value * 2 for value in range(20)]
    assert found["shared"] == 2
    assert found["unordered"] == [value * 2 for value in range(10)]
    assert found["submitted"] == 4
    assert found["sequence"] == [2, 2, "go"]
    assert found["died"].startswith("ActorDiedError")
    assert found["went on"] == [value * 2 for value in range(6)]
    assert found["again"] == [2, "fatalfatal", 6]
    assert "a bad value" in found["bad"]
    assert found["healed"] == [1, 0, 3, 2]
    assert found["open"] == [2, 2]
    assert found["left"] == [], "closing waits until the instances are closed"
    assert all(text.startswith("PoolClosed: this pool of actors was closed") for text in found["after"])
