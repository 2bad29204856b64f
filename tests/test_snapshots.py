"""What a class keeps in containers is watched for changes in place, whatever their shape, and costs no more than it has."""

import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle
import pytest
from harbour import kept
from voyage.fresh import run

from envpickle import errors

SURVEY = """
import pickle, sys
from harbour import kept
from voyage import watched
from voyage.fresh import report
from envpickle import errors

def refusal(cls):
    try:
        pickle.dumps(cls)
    except errors.ClassChanged as error:
        return str(error)
    return ""

shape, change = sys.argv[1:]
watched.limit_memory(300 << 20)
cls = kept.keeping(shape)
same = all(pickle.loads(pickle.dumps(cls, protocol)) is cls for protocol in range(6))
if change:
    kept.CHANGES[change][1](cls.KEPT)
else:
    cls.KEPT = kept.SHAPES[shape]()
found = refusal(cls)
report([same, "KEPT was replaced" in found, "KEPT was changed in place" in found])
"""


@pytest.mark.parametrize("shape", kept.SHAPES)
def test_a_container_of_any_shape_is_built_and_pickled(shape: str) -> None:
    """Cycles, sharing and size neither hang the build nor eat memory; an equal one in its place is a change."""
    assert run(SURVEY, shape, "", seconds=20) == [True, True, False]


@pytest.mark.parametrize("change", kept.CHANGES)
def test_a_change_in_place_is_found_in_any_shape(change: str) -> None:
    """What is changed behind cycles and sharing, or far down, refuses the class."""
    assert run(SURVEY, kept.CHANGES[change][0], change, seconds=20) == [True, False, True]


IN_PLACE: dict[str, Callable[[Any], Any]] = {
    "deque appended": lambda cls: cls.pending.append(3),
    "deque appended left": lambda cls: cls.pending.appendleft(0),
    "deque rotated": lambda cls: cls.pending.rotate(1),
    "deque popped": lambda cls: cls.pending.popleft(),
    "deque item set": lambda cls: cls.pending.__setitem__(0, 9),
    "list in a deque": lambda cls: cls.pending[1].append(9),
    "deque in a deque": lambda cls: cls.queue_of_queues[0].append(2),
    "list item": lambda cls: cls.numbers.__setitem__(0, 9),
    "list item's type": lambda cls: cls.numbers.__setitem__(0, True),
    "list sorted": lambda cls: cls.numbers.reverse(),
    "dict entry": lambda cls: cls.table.update(c=1),
    "dict order": lambda cls: cls.table.update(a=cls.table.pop("a")),
    "list in a dict": lambda cls: cls.table["a"].append(2),
    "set in dicts": lambda cls: cls.table["b"]["c"].add(3),
    "set": lambda cls: cls.letters.add("c"),
    "set, an item's type": lambda cls: (cls.table["b"]["c"].discard(1), cls.table["b"]["c"].add(True)),
    "bytearray": lambda cls: cls.raw.extend(b"d"),
    "list in a tuple": lambda cls: cls.pair[0].append(2),
    "list in a tuple in a tuple": lambda cls: cls.pair[1][1].append(4),
    "ordered dict": lambda cls: cls.ordered.update(c=3),
    "ordered dict's order": lambda cls: cls.ordered.move_to_end("a"),
    "counter": lambda cls: cls.counted.update("b"),
    "default dict asked": lambda cls: cls.grouped["new"],
    "list in a default dict": lambda cls: cls.grouped["a"].append(2),
    "a user's dict": lambda cls: cls.record.update(b=1),
    "list in a user's dict": lambda cls: cls.record["a"].append(2),
}


@pytest.mark.parametrize("change", IN_PLACE)
def test_every_kind_of_container_is_watched(change: str) -> None:
    """A container of each kind, at the top and inside others, is compared by value when the class is pickled."""
    cls: Any = kept.containers(change)
    assert pickle.loads(pickle.dumps(cls)) is cls
    name = {"ordered dict": "ordered", "counter": "counted"}.get(change, "")

    IN_PLACE[change](cls)

    for dumps in (pickle.dumps, cloudpickle.dumps, pickle.dumps):
        with pytest.raises(errors.ClassChanged, match=f"{name} was changed in place"):
            dumps(cls)


BACK: dict[str, Callable[[Any], Any]] = {
    "deque": lambda cls: (cls.pending.append(3), cls.pending.pop()),
    "set, grown and shrunk": lambda cls: (cls.letters.update(map(str, range(999))), cls.letters.intersection_update("ab")),
    "list": lambda cls: (cls.numbers.append(1), cls.numbers.pop()),
    "inner list": lambda cls: (cls.table["a"].append(1), cls.table["a"].pop()),
    "read": lambda cls: (list(cls.pending), repr(cls.table), cls.grouped["a"], cls.counted["x"], sorted(cls.letters)),
    "equal list set anew": lambda cls: setattr(cls, "numbers", cls.numbers),
}


@pytest.mark.parametrize("change", BACK)
def test_a_change_taken_back_is_none(change: str) -> None:
    """Containers are compared by what they hold, not by how they came to it: NaN and sets whose table grew included."""
    cls: Any = kept.containers(f"back: {change}")

    BACK[change](cls)

    assert pickle.loads(pickle.dumps(cls)) is cls


WHERES = ["own", "importable base", "run-time base"]
NAMES: dict[str, Any] = {"tuple": ("cache",), "list": ["cache"], "one text": "cache", "set": {"cache"}}


@pytest.mark.parametrize("where", WHERES)
@pytest.mark.parametrize("kind", NAMES)
def test_declared_state_alone_is_exempt(kind: str, where: str) -> None:
    """The names declared, by the class or a base of it, are exempt, and no other: not a part of one, not a letter of it."""
    cls: Any = kept.stateful(NAMES[kind], where)
    cls.cache = 2
    assert pickle.loads(pickle.dumps(cls)) is cls

    for name in ("a", "ca", "count"):
        setattr(cls, name, 2)
        with pytest.raises(errors.ClassChanged, match=f"{name} was replaced"):
            pickle.dumps(cls)
        setattr(cls, name, 1)


STATE_CHANGES: dict[str, Callable[[Any], Any]] = {
    "appended": lambda cls: cls.__envpickle_state__.append("a"),
    "replaced": lambda cls: setattr(cls, "__envpickle_state__", ["cache", "a"]),
    "deleted": lambda cls: delattr(cls, "__envpickle_state__"),
}


@pytest.mark.parametrize("change", STATE_CHANGES)
def test_the_declaration_itself_is_watched(change: str) -> None:
    """Declaring more state after the class was built is a change as any other."""
    cls: Any = kept.stateful(["cache", change], "own")
    assert pickle.loads(pickle.dumps(cls)) is cls

    STATE_CHANGES[change](cls)

    with pytest.raises(errors.ClassChanged, match="__envpickle_state__"):
        pickle.dumps(cls)
