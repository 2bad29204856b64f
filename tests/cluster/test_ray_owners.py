"""Owners on a Ray cluster of two nodes, of which no local line leads to the second."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ships.driving import until
from ships.fleet import Fleet
from ships.owning import HEAD
from voyage.fresh import end_group

from benchmarks.portsim.launch import running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where sessions are files."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def driver(fleet: Fleet, home: Path) -> Iterator[Callable[[str], "subprocess.Popen[str]"]]:
    """Starts a driver that goes on until it is ended, and ends it after the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(program: str) -> "subprocess.Popen[str]":
        started.append(fleet.start(HEAD + program, str(home)))
        return started[-1]

    yield begin
    for one in started:
        end_group(one)
        one.communicate()


def sessions(home: Path) -> int:
    """How many are open."""
    return len(list(home.glob("session_*")))


def word(process: "subprocess.Popen[str]", home: Path, name: str) -> str:
    """What a driver left under a name, once it is there."""

    def there() -> bool:
        assert process.poll() is None, process.communicate()
        return (home / name).exists()

    until(there, 90)
    return (home / name).read_text()


CLOSE = """
ray = start()
owner = envpickle.Owner()
cls = owner.build(berths.berth, home, ["lift"])
other = envpickle.Owner()
kept = other.build(berths.berth, home, ["drop"])
keep, Hand = ray.remote(num_cpus=0)(hands.keep), ray.remote(num_cpus=0)(hands.Hand)
tied, actors = {}, []
for node in ("head", "far"):
    where = dict(resources={node: 1})
    actors.append(Hand.options(**where).remote())
    tied[node] = [ray.get(keep.options(**where).remote(cls, 2))[1], ray.get(actors[-1].take.remote(cls))[1]]
ray.get(actors[1].take.remote(kept))
before = sessions()
one = cls()
owner.close()
until(lambda: sessions() == 1)
late = ray.remote(num_cpus=0, max_calls=1)(hands.try_one)
refused = [ray.get(late.options(resources={node: 1}, num_cpus=0).remote(cls)) for node in ("head", "far")]
again = [ray.get(actor.try_one.remote(cls)) for actor in actors]
unsent = envpickle.Owner()
never = unsent.build(berths.berth, home, ["turn"])
unsent.close()
again += [ray.get(actor.try_one.remote(never)) for actor in actors]
until(lambda: len(beacons()) == 1)  # those of drivers before are gone
report(dict(tied=tied, before=before, refused=refused, again=again, left=sessions(),
            other=ray.get(actors[1].try_one.remote(kept))))
"""


def test_closing_an_owner_closes_it_on_every_node(fleet: Fleet, home: Path) -> None:
    """In workers that keep instances and in actors; another owner's stay; who comes late, or gets a class late, is refused."""
    seen = fleet.run(HEAD + CLOSE, str(home))

    assert seen["tied"] == {"head": ["lines", "lines"], "far": ["carriers", "carriers"]}
    assert seen["before"] == 7
    assert seen["refused"] == ["OwnerClosed", "OwnerClosed"]
    assert seen["again"] == ["OwnerClosed"] * 4
    assert seen["left"] == 1
    assert seen["other"] == "made"


BEFORE = """
owner = envpickle.Owner()
cls = owner.build(berths.berth, home, [])
pickle.dumps(cls)
early = [name for name in ("ray", "asyncio", "envpickle_ray.signals") if name in sys.modules]
carried = "envpickle_ray.carrier" in sys.modules
gone = envpickle.Owner()
past = gone.build(berths.berth, home, ["past"])
pickle.dumps(past)
gone.close()
ray = start()
until(lambda: not beacons())  # those of drivers before
refused = ray.get(ray.remote(num_cpus=0, resources={"far": 1}, max_calls=1)(hands.try_one).remote(past))
tie = ray.get(ray.remote(num_cpus=0, resources={"far": 1})(hands.keep).remote(cls))[1]
open_before = sessions()
owner.close()
until(lambda: sessions() == 0)
report([early, carried, refused, tie, open_before])
"""


def test_a_class_that_was_pickled_before_ray_was_there(fleet: Fleet, home: Path) -> None:
    """Costs nothing of Ray then, and its owner reaches all nodes when the class goes through Ray later; also a closed one."""
    assert fleet.run(HEAD + BEFORE, str(home)) == [[], True, "OwnerClosed", "carriers", 1]


DETACHED = """
import ray
ray.init(log_to_driver=False, _node_ip_address="127.0.0.1", namespace="theirs")
Hand = ray.remote(num_cpus=0, resources={"far": 1})(hands.Hand)
hand = Hand.options(name="hand", lifetime="detached").remote()
ray.get(hand.__ray_ready__.remote())
berths.told(home, "theirs")
berths.wait_for_ever()
"""

GIVING = """
ray = start()
hand = ray.get_actor("hand", namespace="theirs")
owner = envpickle.Owner()
cls = owner.build(berths.berth, home, [])
pid, tie = ray.get(hand.take.remote(cls))
berths.told(home, "given", f"{pid} {tie}")
berths.wait_for_ever()
"""

ENDING = """
ray = start()
hand = ray.get_actor("hand", namespace="theirs")
until(lambda: not beacons())
lives = ray.get(hand.__ray_ready__.remote())
ray.kill(hand)
report(lives)
"""


def test_a_killed_driver_closes_what_other_jobs_hold(fleet: Fleet, home: Path, driver: Any) -> None:
    """In a detached actor of another job and namespace, which goes on."""
    theirs = driver(DETACHED)
    word(theirs, home, "theirs")
    ours = driver(GIVING)
    pid, tie = word(ours, home, "given").split()
    assert (tie, sessions(home)) == ("carriers", 1)

    os.kill(ours.pid, signal.SIGKILL)
    until(lambda: sessions(home) == 0)
    os.kill(int(pid), 0)
    assert fleet.run(HEAD + ENDING, str(home)) is True


LOST = """
ray = start()
owner = envpickle.Owner()
cls = owner.build(berths.berth, home, [])
hand = ray.remote(num_cpus=0, resources={"far": 1})(hands.Hand).remote()
assert ray.get(hand.take.remote(cls))[1] == "carriers"
name = f"envpickle-{owner.key[-6:].hex()}"
beacon = ray.get_actor(name, namespace="envpickle")
epoch, count, closed = ray.get(beacon.news.remote(b"", 0))
if sys.argv[2] == "process":
    os.kill(ray.get(beacon.__ray_call__.remote(lambda self: os.getpid())), signal.SIGKILL)
else:
    ray.kill(beacon)

def renewed():
    try:
        return ray.get(ray.get_actor(name, namespace="envpickle").news.remote(b"", 0))[0] != epoch
    except (ValueError, ray.exceptions.RayActorError):
        return False

until(renewed)
time.sleep(5)
still, another = sessions(), ray.get(hand.try_one.remote(cls))
owner.close()
until(lambda: sessions() == 0)
late = ray.get(ray.remote(num_cpus=0, resources={"far": 1}, max_calls=1)(hands.try_one).remote(cls))
report([still, another, late])
"""


@pytest.mark.parametrize("how", ["process", "ray.kill"])
def test_a_lost_beacon_closes_nothing(fleet: Fleet, home: Path, how: str) -> None:
    """Killed alone, while its driver lives: it is lit again, and closing the owner reaches everyone as before."""
    assert fleet.run(HEAD + LOST, str(home), how) == [1, "made", "OwnerClosed"]


FAR = """
said = os.open(home + "/said", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
os.dup2(said, 1), os.dup2(said, 2)
ray = start()

class Maker:
    def make(self, home):
        self.owner = envpickle.Owner()
        return self.owner.build(berths.berth, home, [])

    def close(self):
        self.owner.close()

    def pid(self):
        return os.getpid()

makers = [ray.remote(num_cpus=0, resources={"far": 1})(Maker).remote() for _ in range(2)]
hand = ray.remote(num_cpus=0, resources={"head": 1})(hands.Hand).remote()
ties = []
for maker in makers:
    ties.append(ray.get(hand.take.remote(maker.make.remote(home)))[1])
before = sessions()
ray.get(makers[0].close.remote())
until(lambda: sessions() == 1)
os.kill(ray.get(makers[1].pid.remote()), signal.SIGKILL)
until(lambda: sessions() == 0)
report([ties, before, "Beacon" in Path(home, "said").read_text()])
"""


def test_an_owner_that_an_actor_made(fleet: Fleet, home: Path) -> None:
    """Its process is a worker: closing it there, and its death, close what it gave to others. Ray prints nothing of it."""
    assert fleet.run(HEAD + FAR, str(home)) == [["carriers", "carriers"], 2, False]


PORT = """
from envpickle_openenv import AgentEnv
ray = start()

class Player:
    def play(self, cls):
        self.one = cls()
        self.one.reset(seed=1)
        return hands.tie(cls)

with AgentEnv(home) as dock:
    players = [ray.remote(num_cpus=0, resources={node: 1})(Player).remote() for node in ("head", "far", "far")]
    ties = ray.get([player.play.remote(dock.factory) for player in players])
    berths.told(sys.argv[2], "playing", " ".join(ties))
    until(lambda: Path(sys.argv[2], "enough").exists())
    dock.close()
    berths.told(sys.argv[2], "closed")
    berths.wait_for_ever()
"""


def test_sessions_of_a_real_server(fleet: Fleet, home: Path) -> None:
    """Closing an environment in the driver frees the sessions that actors on both nodes hold, while they live."""
    with running() as port:
        process = fleet.start(HEAD + PORT, port.dock_url, str(home))
        try:
            assert word(process, home, "playing").split() == ["lines", "carriers", "carriers"]
            assert port.status()["dock"]["sessions"]["live"] == 3
            (home / "enough").touch()
            word(process, home, "closed")
            port.wait_live("dock", 0, 60)
            assert process.poll() is None
        finally:
            end_group(process)
            process.communicate()
