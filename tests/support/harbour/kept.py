"""Classes that keep containers: cycles, much sharing, large ones, every kind that can change in place; and state names."""

import collections
import itertools
from collections.abc import Callable
from typing import Any

import envpickle


def tree(branches: int) -> Any:
    """A tree whose nodes know their parents."""
    root: dict[str, Any] = {"name": "root", "children": []}
    for number in range(branches):
        root["children"].append({"parent": root, "name": str(number), "children": []})
    return root


def diamonds(levels: int) -> Any:
    """A list that holds one list twice, which holds one list twice, and so on: 2**levels ways to the innermost."""
    inner: list[Any] = [["leaf"]]
    for _ in range(levels):
        inner = [inner, inner]
    return inner


def ring(length: int) -> Any:
    """Lists that hold each the next, the last one the first."""
    links: list[Any] = [[number] for number in range(length)]
    for number, link in enumerate(links):
        link.append(links[(number + 1) % length])
    return links[0]


def tangle(kind: str) -> Any:
    """A container of another kind that holds itself."""
    made: Any = {"list": list, "dict": dict, "deque": collections.deque, "counter": collections.Counter}[kind]()
    if isinstance(made, dict):
        made["me"] = made
    else:
        made.append(made)
    return made


def doubly_linked(length: int) -> Any:
    """Nodes with a previous and a next one."""
    nodes: list[dict[str, Any]] = [{"n": number} for number in range(length)]
    for before, after in itertools.pairwise(nodes):
        before["next"], after["previous"] = after, before
    return nodes[0]


def deep(levels: int) -> Any:
    """So many lists in each other."""
    made: list[Any] = ["leaf"]
    for _ in range(levels):
        made = [made]
    return made


SHAPES: dict[str, Callable[[], Any]] = {
    "tree": lambda: tree(2),
    "bushy tree": lambda: tree(200),
    "diamonds": lambda: diamonds(60),
    "ring": lambda: ring(50),
    "list in itself": lambda: tangle("list"),
    "dict in itself": lambda: tangle("dict"),
    "deque in itself": lambda: tangle("deque"),
    "counter in itself": lambda: tangle("counter"),
    "tuple in its list": lambda: (found := [], found.append((found, 1)))[0],
    "linked": lambda: doubly_linked(300),
    "deep": lambda: deep(5_000),
    "many": lambda: [[number] for number in range(20_000)],
    "large": lambda: list(range(90_000)),
    "larger than is watched": lambda: list(range(200_000)),
    "larger and in itself": lambda: (found := list(range(200_000)), found.append(found))[0],
}


def _innermost(value: Any, index: int = 0) -> Any:
    while isinstance(value[index], list):
        value = value[index]
    return value


CHANGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a child's name": ("tree", lambda root: root["children"][1].update(name="other")),
    "a child more": ("bushy tree", lambda root: root["children"].append({"parent": root})),
    "a grandchild": ("bushy tree", lambda root: root["children"][150]["children"].append(1)),
    "another parent, alike": ("tree", lambda root: root["children"][0].update(parent=dict(root))),
    "below the diamonds": ("diamonds", lambda top: _innermost(top).append("more")),
    "a diamond opened": ("diamonds", lambda top: top.__setitem__(1, list(top[1]))),
    "in the ring": ("ring", lambda first: first[1][1].insert(1, "x")),
    "the ring made shorter": ("ring", lambda first: first.__setitem__(1, first[1][1])),
    "no longer in itself": ("list in itself", lambda one: one.__setitem__(0, [])),
    "one round more": ("dict in itself", lambda one: one.update(me={"me": one})),
    "a deque in itself": ("deque in itself", lambda one: one.append(1)),
    "a counter in itself": ("counter in itself", lambda one: one.update(a=1)),
    "the tuple in its list": ("tuple in its list", lambda one: one.__setitem__(0, (one, 2))),
    "far along the links": ("linked", lambda one: one["next"]["next"]["next"].update(n=-1)),
    "very deep": ("deep", lambda top: _innermost(top).append("more")),
    "one of many": ("many", lambda top: top[15_000].append(1)),
    "one of a large list": ("large", lambda top: top.__setitem__(80_000, -1)),
    "the type of one": ("large", lambda top: top.__setitem__(1, True)),
}


@envpickle.builder
def keeping(shape: str) -> type:
    """Keeps one container of that shape."""

    class Keeping:
        KEPT = SHAPES[shape]()

    return Keeping


class Record(dict[str, Any]):
    """A user's dict."""


@envpickle.builder
def containers(name: str) -> type:
    """Keeps one container of each kind."""

    class Containers:
        label = name
        pending = collections.deque([1, [2]], maxlen=9)
        numbers = [1, 2.0, "3", float("nan")]
        table = {"a": [1], "b": {"c": {1, 2}}}
        letters = {"a", "b"}
        raw = bytearray(b"abc")
        pair = ([1], (2, [3]))
        frozen = frozenset([1, ("a", 2)])
        ordered = collections.OrderedDict(a=1, b=2)
        counted = collections.Counter("aab")
        grouped = collections.defaultdict(list, a=[1])
        record = Record(a=[1])
        queue_of_queues = collections.deque([collections.deque([1])])

    return Containers


class Declares:
    """An importable base that declares what its instances keep per process."""

    __envpickle_state__ = ("cache",)
    cache: Any = None


@envpickle.builder
def stateful(names: Any, where: str) -> type:
    """Declares its per-process state as told: itself, on an importable base, or on a base made with it."""
    body = {"cache": 1, "a": 1, "ca": 1, "count": 1}
    if where == "own":
        return type("Stateful", (), {**body, "__envpickle_state__": names})
    if where == "importable base":
        return type("Stateful", (Declares,), body)
    base = envpickle.RuntimeType("Base", (), {"__envpickle_state__": names})
    return envpickle.RuntimeType("Stateful", (base,), body)
