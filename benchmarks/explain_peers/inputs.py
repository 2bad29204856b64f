"""The ten inputs: objects that some pickler refuses, and the way to each thing in them that it refuses."""

import atexit
import collections
import functools
import tempfile
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import envpickle


class Holder:
    """An object with attributes."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


@envpickle.builder
def dock(tools: list[str]) -> type:
    """A class built at run time."""

    class Dock:
        def names(self) -> list[str]:
            return tools

    return Dock


class Input(NamedTuple):
    """One input.

    Attributes:
        title: What it is.
        make: Makes it.
        ways: For each pickler that refuses it, the words that lead to each refused thing, outermost first; an empty way is
            the object itself.
    """

    title: str
    make: Callable[[], Any]
    ways: dict[str, list[tuple[str, ...]]]


def lock_in_state() -> Any:
    """A lock four steps down."""
    return Holder(name="fleet", config={"metrics": [Holder(lock=threading.Lock())]})


def closure() -> Any:
    """A function made in a function, that closes over an object with an open file."""
    client = Holder(url="http://127.0.0.1", log=tempfile.TemporaryFile())  # noqa: SIM115 -- open is the point
    atexit.register(client.log.close)

    def reward(text: str) -> str:
        return f"{client.url} {text}"

    return reward


def lambda_in_table() -> Any:
    """A lambda among functions."""
    return {"length": len, "polite": lambda text: "please" in text}


def generator_in_list() -> Any:
    """A generator that has begun to run, in a list."""
    return {"batches": [range(3), (number for number in range(3))]}


def named_tuple() -> Any:
    """Rows of a named tuple made at run time."""
    row = collections.namedtuple("Cargo", ["name", "weight"])
    return Holder(rows=[row("crate", 3), row("barrel", 5)])


def subclass() -> Any:
    """A subclass of a built class, made in a function."""

    class Rewarded(dock(["lift"])):  # type: ignore[misc]
        def get_reward(self) -> float:
            return 0.5

    return Rewarded


def patched() -> Any:
    """A built class with a method replaced after it was built."""
    cls: Any = dock(["lift", "patched"])
    cls.names = lambda self: ["lower"]
    return cls


def two_faults() -> Any:
    """An event and a view of memory, in two branches."""
    return Holder(left=Holder(stop=threading.Event()), right={"view": memoryview(b"abc")})


def cycle() -> Any:
    """Objects that hold each other, one of them with a weak reference to a parent that lives."""
    parent = Holder(children=[])
    child = Holder(parent=weakref.ref(parent), up=parent)
    parent.children.append(child)
    parent.module = types
    return parent


def too_deep() -> Any:
    """A linked list of 20,000 links."""
    return functools.reduce(lambda link, number: Holder(number=number, next=link), range(20_000), None)


def _by_all(*ways: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    return {pickler: list(ways) for pickler in ("pickle", "cloudpickle", "dill")}


_LOCK = ("config", "metrics", "lock")
INPUTS = {
    "lock in state": Input("a lock, four steps down", lock_in_state, {"pickle": [_LOCK], "cloudpickle": [_LOCK]}),
    "closure": Input(
        "a closure over an object with an open file", closure, {"pickle": [()], "cloudpickle": [("client", "log")]}
    ),
    "lambda in a table": Input("a lambda in a dict", lambda_in_table, {"pickle": [("polite",)]}),
    "generator": Input("a generator in a list", generator_in_list, _by_all(("batches", "1"))),
    "named tuple": Input("rows of a run-time named tuple", named_tuple, {"pickle": [("rows", "0")]}),
    "subclass": Input("a run-time subclass of a built class", subclass, {"pickle": [()]}),
    "patched class": Input("a built class that was patched", patched, _by_all(())),
    "two faults": Input(
        "an event and a memory view, apart",
        two_faults,
        {"pickle": [("left", "stop"), ("right", "view")], "cloudpickle": [("left", "stop")], "dill": [("right", "view")]},
    ),
    "cycle": Input(
        "a cycle with a weak reference and a module",
        cycle,
        {"pickle": [("children", "parent"), ("module",)], "cloudpickle": [("children", "parent")]},
    ),
    "too deep": Input("a linked list of 20,000 links", too_deep, _by_all(("next",))),
}
