"""Classes, instances and factories as task arguments and results; runtime environments; who refuses what, in which words."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ships.fleet import Fleet

SCRIPT = '''
import functools
import os
import threading

import ray

import envpickle
import envpickle_ray
from harbour import docks
from ships import driving
from voyage.fresh import report


@envpickle.builder
def local(tools: list) -> type:
    class Local:
        def __init__(self, load=0):
            self.load = load

        def label(self):
            return os.environ.get("BERTH", "none")

    for tool in tools:
        setattr(Local, str(tool), lambda self, tool=tool: tool)
    return Local


def said(call):
    try:
        return f"passed: {call()!r}"
    except Exception as error:
        return f"{type(error).__mro__[0].__name__}|{isinstance(error, envpickle.errors.EnvpickleError)}|{error}"


@ray.remote(num_cpus=0.1)
def same(value):
    return value


@ray.remote(num_cpus=0.1)
def play(cls, load):
    one = cls(load=load)
    return one, type(one) is cls, type(one)


@ray.remote(num_cpus=0.1)
def make(builder, tools):
    return builder(tools)


@ray.remote(num_cpus=0.1)
def label(cls):
    return cls().label()


def crossing(cls, node):
    on = {"resources": {node: 1}}
    one, inside, kind = ray.get(play.options(**on).remote(cls, load=3))
    factory = ray.get(same.options(**on).remote(functools.partial(cls, load=4)))
    stored = ray.get(ray.put({"cls": cls}))
    return [
        type(one) is cls,
        one.load == 3,
        inside,
        kind is cls,
        factory.func is cls,
        factory().load == 4,
        stored["cls"] is cls,
        ray.get(same.options(**on).remote([cls, cls(load=5)]))[0] is cls,
        ray.get(ray.remote(num_cpus=0.1, **on)(lambda: cls).remote()) is cls,
    ]


def variables():
    """Environment variables of a task and of an actor reach a script's class."""
    actor = envpickle_ray.actor(local(["lift"]), num_cpus=0.1, runtime_env={"env_vars": {"BERTH": "west"}}).remote()
    task = label.options(runtime_env={"env_vars": {"BERTH": "east"}})
    return [ray.get(task.remote(local(["lift"]))), ray.get(actor.label.remote())]


def derived():
    """The base of a class of one's own that is an actor: Ray puts something on the functions of both."""
    base = docks.dock(["lift"], "derived from")

    @ray.remote(num_cpus=0.1)
    class Own(base):
        pass

    actor = Own.remote()
    ray.get(actor.__ray_ready__.remote())
    return ray.get(same.remote(base)) is base


def refusals():
    class Sub(docks.dock(["lift"])):
        def more(self): ...

    with_lock = local([threading.Lock()])
    changed = docks.dock(["lift"], "changed")
    changed.more = 1
    lock = threading.Lock()
    return {
        "remote": said(lambda: ray.remote(docks.dock(["lift"]))),
        "remote with options": said(lambda: ray.remote(num_cpus=1)(local(["lift"]))),
        "not plain, argument": said(lambda: same.remote(with_lock)),
        "not plain, closure": said(lambda: ray.remote(lambda: with_lock).remote()),
        "not plain, put": said(lambda: ray.put(with_lock)),
        "not plain, actor": said(lambda: envpickle_ray.actor(with_lock)),
        "changed, actor": said(lambda: envpickle_ray.actor(changed)),
        "changed, argument": said(lambda: same.remote(changed)),
        "a lock, argument": said(lambda: same.remote(lock)),
        "a lock, closure": said(lambda: ray.remote(lambda: lock).remote()),
        "an instance": said(lambda: envpickle_ray.actor(docks.dock(["lift"])())),
        "a builder": said(lambda: envpickle_ray.actor(docks.dock)),
        "an actor class": said(lambda: envpickle_ray.actor(envpickle_ray.actor(docks.dock(["lift"])))),
        "no actors": said(lambda: envpickle_ray.pool(docks.dock(["lift"]), 0)),
    }


def main():
    driving.connect()
    found = {}
    for name, cls in (("script", local(["lift"])), ("module", docks.dock(["lift"]))):
        for node in ("head", "far"):
            found[f"{name} on {node}"] = crossing(cls, node)
    found["built there"] = ray.get(make.remote(local, ["lift"])) is local(["lift"])
    found["kept"] = ray.get(make.remote(docks.dock, ["moved"])).__name__
    found["variables"] = variables()
    found["derived from"] = derived()
    found["refusals"] = refusals()
    report(found)


if __name__ == "__main__":
    main()
'''


BROUGHT = """
import json
import sys

import ray

import envpickle_ray
from voyage.fresh import report

ray.init(log_to_driver=False, _node_ip_address="127.0.0.1", runtime_env=json.loads(sys.argv[2]))
sys.path.insert(0, sys.argv[1])
import cargo_sizes


@ray.remote(num_cpus=0.1)
def same(value):
    return value


def main():
    made = cargo_sizes.sizes("small")
    try:
        home = ray.get(same.remote(made)) is made
        said = ray.get(envpickle_ray.actor(made, num_cpus=0.1, resources={"far": 1}).remote().say.remote())
    except Exception as error:
        report(f"{type(error).__name__}: {error}")
    else:
        report([home, said])


if __name__ == "__main__":
    main()
"""
MODULE = """
import envpickle


@envpickle.builder
def sizes(text: str) -> type:
    class Size:
        def say(self):
            return text

    return Size
"""


@pytest.fixture(scope="module")
def found(fleet: Fleet) -> dict[str, Any]:
    """What one driver found out."""
    result: dict[str, Any] = fleet.run(SCRIPT, seconds=150)
    return result


@pytest.mark.timeout(200)
@pytest.mark.parametrize("where", ["script on head", "script on far", "module on head", "module on far"])
def test_classes_instances_and_factories_cross_and_come_home(found: dict[str, Any], where: str) -> None:
    """As arguments, results, in containers, in the object store and in closures, on both nodes."""
    assert found[where] == [True] * 9


def test_a_builder_runs_in_a_task(found: dict[str, Any]) -> None:
    """What it makes there is, at home, the class of the same call."""
    assert found["built there"] is True
    assert found["kept"] == "Dock"


def test_a_base_of_an_actor_class_is_not_changed(found: dict[str, Any]) -> None:
    assert found["derived from"] is True


def test_environment_variables_of_a_runtime_environment_reach_a_class(found: dict[str, Any]) -> None:
    """Of a task's and of an actor's."""
    assert found["variables"] == ["east", "west"]


@pytest.mark.timeout(200)
@pytest.mark.parametrize("way", ["working_dir", "py_modules", "nothing"])
def test_a_builders_module_may_come_with_the_runtime_environment(fleet: Fleet, tmp_path: Path, way: str) -> None:
    """Brought by the job it is found on both nodes; where nothing brings it, the error says which module is missing."""
    package = tmp_path / "brought"
    package.mkdir()
    module = package / "cargo_sizes.py"
    module.write_text(MODULE)
    brought = {"working_dir": {"working_dir": str(package)}, "py_modules": {"py_modules": [str(module)]}, "nothing": {}}[way]
    answer = fleet.run(BROUGHT, str(package), json.dumps(brought))
    if way == "nothing":
        assert "BuilderNotFound" in answer
        assert "cargo_sizes" in answer
    else:
        assert answer == [True, "small"]


OURS = {
    "remote": r"^UnknownClass\|True\|ray\.remote would make a subclass of harbour\.docks\.dock\.Dock@.*envpickle_ray\.actor",
    "remote with options": r"^UnknownClass\|True\|ray\.remote would make a subclass of script_main_.*local\.Local@",
    "not plain, argument": r"^NotPlainData\|True\|local\(tools=\[0\]\) is not plain data.*A lock belongs to one process",
    "not plain, closure": r"^NotPlainData\|True\|local\(tools=\[0\]\) is not plain data",
    "not plain, put": r"^NotPlainData\|True\|local\(tools=\[0\]\) is not plain data",
    "not plain, actor": r"^NotPlainData\|True\|local\(tools=\[0\]\) is not plain data",
    "changed, argument": r"^ClassChanged\|True\|.*more was added",
    "changed, actor": r"^ClassChanged\|True\|.*more was added",
    "an instance": r"^NoActorClass\|True\|.* is a dock\.Dock@.*Pass the class itself",
    "a builder": r"^NoActorClass\|True\|.* is a builder of classes: call it first",
    "an actor class": r"^NoActorClass\|True\|.* is what ray\.remote made of one",
    "no actors": r"^NoActors\|True\|a pool of 0 actors",
}
RAYS = ("a lock, argument", "a lock, closure")


@pytest.mark.parametrize("what", OURS)
def test_what_envpickle_refuses_reads_as_ours(found: dict[str, Any], what: str) -> None:
    """The error is raised at home as itself, with none of the words of Ray's own check around it."""
    text = found["refusals"][what]
    assert re.search(OURS[what], text, re.DOTALL), text
    assert "Could not serialize" not in text
    assert "Checking Serializability" not in text


@pytest.mark.parametrize("what", RAYS)
def test_what_ray_refuses_reads_as_rays(found: dict[str, Any], what: str) -> None:
    """Of what is none of ours Ray's own check speaks, and envpickle is not named."""
    text = found["refusals"][what]
    assert text.startswith("TypeError|False|Could not serialize the")
    assert "envpickle" not in text
