"""Owners on a Ray cluster where something is in the way: Ray is shut down, processes fork, a beacon does not start."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ships.fleet import Fleet
from ships.owning import HEAD

from envpickle_ray import carrier, signals

AGAIN = """
ray = start()
owners = [envpickle.Owner() for _ in range(3)]
classes = [owner.build(berths.berth, os.path.join(home, str(number)), []) for number, owner in enumerate(owners)]

def hand():
    return ray.remote(num_cpus=0, resources={"far": 1})(hands.Hand).remote()

ties = [ray.get(hand().take.remote(classes[0]))[1]]
ray.shutdown()
closing = time.monotonic()
owners[0].close()
closed_in = time.monotonic() - closing
from envpickle_ray import signals
signals.home().tell(owners[0].key)
signals.holder().hold(owners[2].key, print)()
without = ray.is_initialized(), closed_in < 0.5

start()
first, second = hand(), hand()
refused = ray.get(first.try_one.remote(classes[0]))
ties += [ray.get(one.take.remote(cls))[1] for one, cls in ((first, classes[1]), (second, classes[2]))]
owners[1].close()
until(lambda: not list(Path(home, "1").glob("session_*")))
report(dict(without=without, refused=refused, ties=ties, other=ray.get(second.try_one.remote(classes[2])),
            left=len(list(Path(home, "2").glob("session_*")))))
"""


def test_ray_is_shut_down_and_there_again(fleet: Fleet, tmp_path: Path) -> None:
    """Closing an owner in between waits for nothing and starts no Ray; the next cluster knows that it is closed."""
    for name in "012":
        (tmp_path / name).mkdir()
    seen = fleet.run(HEAD + AGAIN, str(tmp_path))

    assert seen["without"] == [False, True]
    assert seen["refused"] == "OwnerClosed"
    assert seen["ties"] == ["carriers"] * 3
    assert (seen["other"], seen["left"]) == ("made", 2)


THREADS = """
ray = start()
owner = envpickle.Owner()
classes = [owner.build(berths.berth, home, [name]) for name in ("lift", "drop", "turn", "stop")]
known = []

def send(cls, line):
    line.wait()
    pickle.dumps(cls)
    known.append(f"envpickle-{owner.key[-6:].hex()}" in beacons())

line = threading.Barrier(len(classes))
threads = [threading.Thread(target=send, args=(cls, line)) for cls in classes]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
late = envpickle.Owner()
unsent = late.build(berths.berth, home, [])
late.close()
hand = ray.remote(num_cpus=0, resources={"far": 1})(hands.Hand).remote()
report([known, ray.get(hand.try_one.remote(unsent)), ray.get(hand.try_one.remote(classes[0]))])
"""


def test_the_first_pickles_of_several_threads(fleet: Fleet, tmp_path: Path) -> None:
    """Each waits until the cluster knows of the beacon; an owner closed before its class was ever sent is told of too."""
    assert fleet.run(HEAD + THREADS, str(tmp_path)) == [[True] * 4, "OwnerClosed", "made"]


FORKED = """
import ray

before = os.path.join(home, "before")
first = envpickle.Owner()
pickle.dumps(first.build(berths.berth, home, []))  # loads the carrier
if not os.fork():
    start()
    owner = envpickle.Owner()
    hand = ray.remote(num_cpus=0, resources={"far": 1})(hands.Hand).remote()
    tie = ray.get(hand.take.remote(owner.build(berths.berth, home, [])))[1]
    opened = sessions()
    owner.close()
    until(lambda: not sessions())
    Path(before).write_text(f"{tie} {opened}")
    os._exit(0)
os.wait()

start()
owner = envpickle.Owner()
cls = owner.build(berths.berth, home, [])
hand = ray.remote(num_cpus=0, resources={"far": 1})(hands.Hand).remote()
ray.get(hand.take.remote(cls))
read, write = os.pipe()
if not os.fork():
    began = time.monotonic()
    mine = envpickle.Owner()
    one = mine.build(berths.berth, home, ["mine"])()
    pickle.dumps(type(one)), pickle.dumps(cls)
    mine.close(), owner.close()
    os.write(write, f"{one.file.exists()} {time.monotonic() - began < 1.0}".encode())
    os._exit(0)
os.wait()
time.sleep(1)
report([Path(before).read_text(), os.read(read, 100).decode(), sessions()])
"""


def test_forks_of_a_driver(fleet: Fleet, tmp_path: Path) -> None:
    """A child from before Ray was started is a driver like any; one from after closes what is its own, not the driver's."""
    assert fleet.run(HEAD + FORKED, str(tmp_path)) == ["carriers 1", "False True", 1]


LATE = """
ray = start()
owners = [envpickle.Owner() for _ in range(10)]
classes = [owner.build(berths.berth, home, []) for owner in owners]
hand = ray.remote(num_cpus=0, resources={"far": 1})(hands.Hand).remote()
ray.get(hand.take.remote(classes[0]))
beacon = ray.get_actor(f"envpickle-{owners[0].key[-6:].hex()}", namespace="envpickle")
pid = ray.get(beacon.__ray_call__.remote(lambda self: os.getpid()))

def timed(work):
    began = time.monotonic()
    return work(), time.monotonic() - began

os.kill(pid, signal.SIGSTOP)
try:
    made, making = timed(lambda: ray.get([hand.try_one.remote(cls) for cls in classes[1:]]))
    _, closing = timed(lambda: [owner.close() for owner in owners[:9]])
finally:
    os.kill(pid, signal.SIGCONT)
until(lambda: sessions() == 1)
report([made, making, closing])
"""


def test_a_beacon_that_does_not_answer(fleet: Fleet, tmp_path: Path) -> None:
    """Who makes instances or closes owners waits for it once, and not for each owner; what it was told meanwhile, it tells."""
    made, making, closing = fleet.run(HEAD + LATE, str(tmp_path))

    assert made == ["made"] * 9
    assert making < 9  # once two seconds, not nine times
    assert closing < 4.5  # once one second


LACKING = """
import logging
from envpickle_ray import signals
signals._SOON, signals._RETRY = 0, 30  # so that none is there for longer than a holder waits
said = []
logging.getLogger("envpickle").addFilter(lambda record: said.append(record))
import ray
path = os.environ["PYTHONPATH"]
lacking = {"env_vars": {"PYTHONPATH": os.pathsep.join([home, path])}}
ray.init(log_to_driver=False, _node_ip_address="127.0.0.1", runtime_env=lacking)
remote = ray.remote(num_cpus=0, resources={"far": 1}, runtime_env={"env_vars": {"PYTHONPATH": path}})
hand = remote(hands.Hand).remote()
ray.get(hand.__ray_ready__.remote())
owner = envpickle.Owner()
cls = owner.build(berths.berth, home, [])
tie = ray.get(hand.take.remote(cls))[1]
until(lambda: said and not beacons())
time.sleep(signals.GRACE + 3)
report([tie, sessions(), ray.get(hand.try_one.remote(cls)), [one.levelname for one in said], said[0].getMessage()])
"""

NOT_THERE = """
import sys

class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name == "envpickle_ray":
            raise ModuleNotFoundError("No module named 'envpickle_ray'", name=name)

sys.meta_path.insert(0, Nowhere())
"""


def test_a_beacon_that_no_worker_can_start(fleet: Fleet, tmp_path: Path) -> None:
    """The log says so once, it is not tried again and again, and who looked for it closes nothing."""
    (tmp_path / "sitecustomize.py").write_text(NOT_THERE)
    tie, left, another, levels, text = fleet.run(HEAD + LACKING, str(tmp_path))

    assert (tie, left, another, levels) == ("carriers", 1, "made", ["WARNING"])
    assert "not closed on other nodes" in text
    assert text.endswith("No module named 'envpickle_ray'")


def test_threads_that_come_at_once_share_one_thread_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes to start."""

    def new_loop() -> asyncio.AbstractEventLoop:
        time.sleep(0.05)
        return loop()

    async def mine() -> int:
        return id(asyncio.get_running_loop())

    loop = asyncio.new_event_loop
    monkeypatch.setattr(asyncio, "new_event_loop", new_loop)
    signals._loop.cache_clear()
    with ThreadPoolExecutor(4) as threads:
        loops = [future.result().result(10) for future in [threads.submit(lambda: signals._run(mine())) for _ in range(4)]]

    assert len(set(loops)) == 1


def test_closed_owners_are_remembered_in_a_bounded_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process without Ray too; the oldest are forgotten."""
    monkeypatch.setattr(carrier, "MOST", 3)
    monkeypatch.setattr(carrier, "closed", {})
    for number in range(5):
        carrier.RayCarrier().end(bytes([number]) * 16)
    assert [key[0] for key in carrier.closed] == [2, 3, 4]
