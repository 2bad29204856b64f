"""Promise 3, the seed of it all: a subclass is never sent as its base."""

import dataclasses
import functools
import gc
import pickle
from typing import Any

import attrs
import pytest
from harbour import docks, named
from voyage.picklers import PLAIN_TOOLS, TOOLS, dumps, loads

from envpickle import errors


def _by_type() -> Any:
    return type("Louder", (docks.dock(["lift"]),), {"lift": lambda self: "LIFT", "volume": 11})


def _by_statement() -> Any:
    class Louder(docks.dock(["lift"])):  # type: ignore[misc]
        volume = 11

        def lift(self) -> str:
            return "LIFT " + super().lift()

    return Louder


def _disguised() -> Any:
    base = docks.dock(["lift"])
    body = {"__module__": base.__module__, "__qualname__": base.__qualname__, "volume": 11, "lift": lambda self: "LIFT"}
    return type(base.__name__, (base,), body)


def _with_the_record_copied() -> Any:
    base = docks.dock(["lift"])
    body = {k: v for k, v in vars(base).items() if k not in ("__dict__", "__weakref__")}
    return type("Louder", (base,), {**body, "volume": 11, "lift": lambda self: "LIFT"})


def _second_generation() -> Any:
    return type("Loudest", (_by_type(),), {"lift": lambda self: "LIFT!", "volume": 12})


SUBCLASSES = {
    "type()": _by_type,
    "class statement": _by_statement,
    "disguised as its base": _disguised,
    "with its base's record": _with_the_record_copied,
    "of a subclass": _second_generation,
}


@pytest.mark.parametrize("tool", PLAIN_TOOLS)
@pytest.mark.parametrize("how", SUBCLASSES)
def test_promise_3_a_runtime_subclass_is_refused(how: str, tool: str) -> None:
    """A subclass made at run time is refused, and the message names it, its base, what would be lost and a way out."""
    cls = SUBCLASSES[how]()

    for sent in (cls, [cls], cls(1), {"one": cls(2)}):
        with pytest.raises(errors.UnknownClass) as caught:
            dumps(tool, sent)
        for word in (cls.__name__, "lift", "volume", "builder", "register"):
            assert word in str(caught.value), f"{word!r} is not in {caught.value}"


@pytest.mark.parametrize("tool", ["cloudpickle", "dill"])
@pytest.mark.parametrize("how", SUBCLASSES)
def test_promise_3_a_runtime_subclass_goes_by_value_whole_or_not_at_all(how: str, tool: str) -> None:
    """Picklers that send classes by value send the whole subclass over its very base, or it is refused by name."""
    cls = SUBCLASSES[how]()
    try:
        payload = dumps(tool, [cls, cls(1)])
    except pickle.PicklingError as error:
        assert cls.__name__ in str(error)  # noqa: PT017 - either way out is right, a third is not
        return
    back, one = loads(tool, payload)

    assert type(one) is back
    assert (one.volume, one.lift()[:4], one.load) == (cls.volume, "LIFT", 1)
    assert docks.dock(["lift"]) in back.__mro__
    assert docks.dock(["lift"])(2).lift() == "lift crate at sea"


def _whole_copy(base: Any) -> Any:
    body = {k: v for k, v in vars(base).items() if k not in ("__dict__", "__weakref__")}
    return type(base)(base.__name__, base.__bases__, body)


COPIES = {
    "type(C)(name, bases, dict)": _whole_copy,
    "dataclass(slots=True)": dataclasses.dataclass(slots=True),
    "attrs.define": attrs.define,
}


@pytest.mark.parametrize("how", COPIES)
def test_promise_3_a_copy_of_a_class_is_not_the_class(how: str) -> None:
    """Another class object made of a built class's namespace has no record, though the record is in that namespace."""
    cls = docks.ordered(how)
    copy = COPIES[how](cls)
    assert copy is not cls

    with pytest.raises(pickle.PicklingError):
        pickle.dumps(copy)
    assert docks.ordered(how) is cls


@pytest.mark.parametrize("remake", [functools.total_ordering, dataclasses.dataclass])
def test_promise_3_a_decorator_in_place_is_a_change(remake: Any) -> None:
    """A class decorator that writes into the class after it was built is noticed."""
    cls = docks.ordered(remake.__name__)
    remake(cls)

    with pytest.raises(errors.ClassChanged):
        pickle.dumps(cls)


@pytest.mark.parametrize("tool", TOOLS)
def test_promise_3_a_subclass_found_by_name_goes_by_name(tool: str) -> None:
    """Subclasses at module level pickle by their names, overrides and all, and so do their instances."""
    for cls in (named.Derived, named.Outer.Inner, named.OverDock):
        got, one = loads(tool, dumps(tool, [cls, cls()]))
        assert got is cls
        assert type(one) is cls
    assert pickle.loads(pickle.dumps(named.Derived())).lift() == "derived lift"
    assert b"rebuild" not in pickle.dumps(named.Derived)


def test_promise_3_a_class_without_a_builder_is_refused() -> None:
    """A class of the metaclass that nobody built is refused with the ways out."""
    import envpickle

    cls = envpickle.RuntimeType("Stray", (), {})
    with pytest.raises(errors.UnknownClass, match="Stray") as caught:
        pickle.dumps(cls)
    assert "builder" in str(caught.value)


def test_promise_3_ordinary_classes_are_none_of_our_business() -> None:
    """For classes without a record the answer is exactly Python's."""
    import abc

    class Local(abc.ABC):  # noqa: B024 - it only has to have the metaclass
        pass

    docks.abstract_dock("x")
    with pytest.raises((pickle.PicklingError, AttributeError)) as caught:
        pickle.dumps(Local)
    assert not isinstance(caught.value, errors.EnvpickleError)
    assert pickle.loads(pickle.dumps(abc.ABC)) is abc.ABC


def test_promise_3_a_dead_bases_name_is_not_reused() -> None:
    """When a subclass outlives its base's other references, the base still goes as itself and the subclass not as it."""
    sub = type("Sub", (docks.dock(["orphan"]),), {})
    gc.collect()

    assert pickle.loads(pickle.dumps(sub.__base__)) is sub.__base__
    with pytest.raises(errors.UnknownClass, match="Sub"):
        pickle.dumps(sub)
