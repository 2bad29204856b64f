"""`envpickle_ray.actor`: actors that hold an instance of the very class, used as Ray's own are, and closed in the end."""

from pathlib import Path

import pytest
from ships.fleet import Fleet

SCRIPT = '''
import asyncio
import sys

import ray

import envpickle
import envpickle_ray
from ships import driving
from voyage.fresh import report


@envpickle.builder
def dock(tools: list[str]) -> type:
    method = ray.method  # cloudpickle looks into no class body for the names it takes along

    class Dock:
        """A dock of this script."""

        def __init__(self, load: int = 1) -> None:
            self.load = load

        def lift(self, weight: int) -> int:
            self.load += weight
            return self.load

        def itself(self):
            return self

        def kind(self):
            return type(self)

        @staticmethod
        def still(value):
            return value

        @classmethod
        def named(cls, more=""):
            return cls.__name__ + more

        def loads(self, count):
            yield from range(count)

        @method(num_returns=2)
        def pair(self):
            return 1, 2

    for tool in tools:
        setattr(Dock, tool, lambda self, tool=tool: tool)
    return Dock


@envpickle.builder
def slow() -> type:
    class Slow:
        async def wait(self, barrier):
            self.waiting = getattr(self, "waiting", 0) + 1
            while self.waiting < barrier:
                await asyncio.sleep(0.01)
            return self.waiting

        async def loads(self, count):
            for number in range(count):
                yield number

    return Slow


def said(call):
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@ray.remote(num_cpus=0.1)
def through(handle):
    return ray.get(handle.lift.remote(100))


def main():
    driving.connect()
    Dock = dock(["my-tool", "options"])
    Actor = envpickle_ray.actor(Dock, num_cpus=0.1)
    one = Actor.remote(load=2)
    back = ray.get(one.itself.remote())
    Slow = envpickle_ray.actor(slow(), num_cpus=0.1).options(name="slow").remote()
    report({
        "home": [type(back) is Dock, back.load, ray.get(one.kind.remote()) is Dock, ray.get(one.still.remote(Dock)) is Dock],
        "calls": [ray.get(one.lift.remote(3)), ray.get(one.still.remote(4)), ray.get(one.named.remote(more="!"))],
        "tools": ray.get([getattr(one, "my-tool").remote(), one.options.remote()]),
        "reference": ray.get(one.lift.remote(ray.put(5))),
        "stream": [ray.get(part) for part in one.loads.remote(3)],
        "two": ray.get(list(one.pair.remote())),
        "passed on": ray.get(through.remote(one)),
        "far": ray.get(Actor.options(resources={"far": 1}).remote().kind.remote()) is Dock,
        "named": ray.get([ray.get_actor("slow").wait.remote(2) for _ in range(2)]),
        "async stream": [ray.get(part) for part in Slow.loads.remote(3)],
        "errors": [said(one.lift.remote), said(lambda: one.nothing), said(lambda: Actor.remote(1, 2, 3))],
        "plain": ray.get(envpickle_ray.actor(PlainInModule, num_cpus=0.1).remote().whoami.remote()),
    })


from harbour.outside import Plain as PlainInModule

if __name__ == "__main__":
    main()
'''


@pytest.mark.timeout(400)
def test_an_actor_is_used_as_rays_own_and_holds_the_very_class(fleet: Fleet) -> None:
    """Methods of every kind, options, names, handles that are passed on; classes and instances come home as themselves."""
    found = fleet.run(SCRIPT, seconds=240)
    assert found["home"] == [True, 2, True, True]
    assert found["calls"] == [5, 4, "Dock!"]
    assert found["tools"] == ["my-tool", "options"], "a tool may bear a name of Ray's"
    assert found["reference"] == 10
    assert found["stream"] == [0, 1, 2]
    assert found["two"] == [1, 2]
    assert found["passed on"] == 110
    assert found["far"] is True
    assert found["named"] == [2, 2], "both calls are at work at once"
    assert found["async stream"] == [0, 1, 2]
    assert found["plain"] == "plain"
    missing, unknown, many = found["errors"]
    assert missing.startswith("TypeError: missing a required argument: 'weight'")
    assert unknown.startswith("AttributeError")
    assert "nothing" in unknown
    assert many.startswith("TypeError: too many positional arguments")


CLOSING = '''
import asyncio
import os
import sys
from pathlib import Path

import ray

import envpickle
import envpickle_ray
from harbour.berths import berth
from ships import driving
from voyage.fresh import report

driving.connect()


def sessions(home):
    return len(list(Path(home).glob("session_*")))


def opened(cls, home, **options):
    """An actor that has opened its session."""
    before = sessions(home)
    actor = envpickle_ray.actor(cls, num_cpus=0.1).options(**options).remote()
    assert ray.get(actor.reset.remote()) == "go"
    assert sessions(home) == before + 1
    return actor


def closed(home):
    try:
        return driving.until(lambda: sessions(home) == 0, 60) is True
    except AssertionError:
        return False


@envpickle.builder
def looped(home: str) -> type:
    """What it holds belongs to the loop that its calls run in."""

    class Looped:
        def __init__(self) -> None:
            self.loop, self.file = asyncio.get_running_loop(), Path(home, f"session_{os.getpid()}")
            self.file.write_text("open")

        async def reset(self):
            type(self).resets = 1  # a class that is not as it was made is closed all the same
            return "go"

        def __ray_shutdown__(self):
            Path(home, "shut down").write_text("")

        async def aclose(self):
            await asyncio.wait_for(self.loop.create_task(asyncio.sleep(0.1)), 10)  # fails in another loop
            self.file.unlink()

    return Looped


def main(home):
    found = {}
    one = opened(looped(home), home)
    one.__ray_terminate__.remote()
    found["in its loop"] = [closed(home), Path(home, "shut down").exists()]
    with envpickle_ray.pool(looped(home), 1, num_cpus=0.1) as pool:
        found["in its loop"].append(ray.get(pool[0].reset.remote()))
    found["in its loop"].append(sessions(home))
    free = berth(home, ["lift"])
    one = opened(free, home)
    del one
    found["out of scope"] = closed(home)
    one = opened(free, home)
    one.__ray_terminate__.remote()
    found["terminated"] = closed(home)
    with envpickle.Owner() as owner:
        owned = owner.build(berth, home, ["lift"])
        with envpickle_ray.pool(owned, 1, num_cpus=0.1) as pool:
            assert ray.get(pool[0].reset.remote()) == "go"
            assert sessions(home) == 1
        found["owned, in a pool"] = sessions(home)
        actors = [opened(owned, home, resources={node: 1}) for node in ("head", "far")]
        owner.close()
        found["owner closed"] = closed(home)
        try:
            ray.get(envpickle_ray.actor(owned, num_cpus=0.1).remote().reset.remote())
        except Exception as error:
            found["after that"] = str(error)
    report(found)


main(*sys.argv[1:])
'''


@pytest.mark.timeout(400)
def test_an_instance_is_closed_with_its_actor_and_with_its_owner(fleet: Fleet, tmp_path: Path) -> None:
    """The last handle goes, the actor is told to end, the owner is closed at home: on each node no session stays open."""
    found = fleet.run(CLOSING, str(tmp_path), seconds=240)
    assert found["in its loop"] == [True, True, "go", 0]
    assert found["out of scope"] is True
    assert found["terminated"] is True
    assert found["owned, in a pool"] == 0
    assert found["owner closed"] is True
    assert "OwnerClosed" in found["after that"]
