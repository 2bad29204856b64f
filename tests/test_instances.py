"""Instances over bases that pickle in ways of their own: each comes back whole with every pickler, or is refused by name."""

import copy
import pickle
import weakref
from typing import Any

import pytest
from harbour import instances, peculiar
from voyage.picklers import TOOLS, dumps, loads
from voyage.trip import carried, pieces

from envpickle import errors
from envpickle.backends import cloudpickle_backend

REFUSED = {
    "deque of another constructor": "__init__",
    "ordered dict of another constructor": "__init__",
    "announced of another constructor": "__init__",
    "swapped pair": "__new__",
    "random": "label",
    "serializable that tells nothing": "says nothing of n",
    "slotted that adds a slot": "says nothing of b",
    "picking, with more to pick": "__setstate__ it inherits, which says nothing of width",
}


def one_of(kind: str) -> Any:
    return peculiar.KINDS[kind](peculiar.made(kind))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("kind", [kind for kind in peculiar.KINDS if kind not in REFUSED])
def test_instances_keep_value_and_attributes(kind: str, tool: str) -> None:
    """Whatever the base's reducer says: the value, the attributes added to it and the slots come back, nothing is doubled."""
    one = one_of(kind)

    back = loads(tool, dumps(tool, one))
    getattr(one, "__dict__", {}).pop("client", None)

    assert back is not one
    assert peculiar.shown(back) == peculiar.shown(one)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("kind", REFUSED)
def test_instances_that_would_change_are_refused(kind: str, tool: str) -> None:
    """A constructor that the base's reducer does not know, a state it has no room in: refused, naming what and what to do."""
    with pytest.raises(errors.InstanceRefused, match=rf"Made[\s\S]*{REFUSED[kind]}[\s\S]*Define __"):
        dumps(tool, [one_of(kind)])


def test_a_state_that_compares_in_a_way_of_its_own_is_no_hindrance() -> None:
    """An array in a state is not asked whether it is the name of an attribute: it would answer with an array."""

    class Array:
        def __eq__(self, other: object) -> Any:
            return Array()

        def __bool__(self) -> bool:
            raise ValueError("the truth value of an array is ambiguous")

    one = one_of("serializable that tells nothing")
    one.told = (Array(),)

    with pytest.raises(errors.InstanceRefused, match="says nothing of n"):
        pickle.dumps(one)


def test_instances_arrive_whole_in_a_fresh_child() -> None:
    """The same across a process that has built nothing of its own."""
    assert pieces("harbour.peculiar_trip") == ["whole"]
    assert carried("harbour.peculiar_trip", ["whole"]) == {"whole": "ok"}


@pytest.mark.parametrize("kind", [kind for kind in peculiar.KINDS if kind != "slotted error"])
def test_the_guard_leaves_copies_to_python(kind: str) -> None:
    """What a copy of such an instance is, Python decides: the guard does not stand in its way."""
    one = one_of(kind)
    unguarded: Any = type("Made", (peculiar.BASES[kind][0],), peculiar.BASES[kind][1](peculiar.BASES[kind][0]))
    try:
        expected = vars(copy.copy(peculiar.KINDS[kind](unguarded)))
    except TypeError:
        with pytest.raises(TypeError, match=r"argument|__dict__"):
            vars(copy.copy(one))
        return

    assert vars(copy.copy(one)) == expected


def test_a_reducer_in_the_class_itself_is_left_alone() -> None:
    """A class that writes its own reducer has no guard."""
    assert instances.own_reduce("x").__reduce_ex__ is object.__reduce_ex__  # type: ignore[attr-defined]


def weakly(where: str) -> Any:
    one, other = instances.linked("weak")(), instances.linked("weak")()
    held = {"reference": weakref.ref(other), "set": weakref.WeakSet([other]), "table": weakref.WeakValueDictionary(x=other)}
    one.other = {"seen": [held[where]]}
    return one, other


@pytest.mark.parametrize("where", ["reference", "set", "table"])
def test_weak_references_are_refused_with_their_path(where: str) -> None:
    """Plain pickle refuses them itself; cloudpickle would send an empty set, so the strict backend says where it stands."""
    one, other = weakly(where)
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(one)

    with pytest.raises(errors.PickleRefused, match=r"\.other\['seen'\]\[0\] is a \w+: a weak reference") as caught:
        cloudpickle_backend.dumps({"all": (one, other)})
    assert caught.value.path == "<dict>['all'][0].other['seen'][0]"  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(caught.value)).path == caught.value.path  # type: ignore[attr-defined]
