"""What libraries write into a class while it is used is no change of it; the same done by others is."""

import dataclasses
import io
import itertools
import pickle
import types
import typing
import unittest
from collections.abc import Callable
from typing import Any

import msgspec
import pydantic
import pytest
from harbour import used
from voyage.fresh import run

import envpickle
from envpickle import errors

FRESH = map("used {}".format, itertools.count())


def _msgspec(cls: Any) -> None:
    assert msgspec.convert({"crates": 3}, cls).crates == 3
    assert "__msgspec_cache__" in vars(cls)


def _resolve_fields(cls: Any) -> None:  # as transformers.HfArgumentParser does, and other parsers of commands
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        field.type = hints[field.name]
    cls.__dataclass_fields__["by"].type = int


def _complete(cls: Any) -> None:
    used.Weight = int  # type: ignore[attr-defined]  # what the annotation speaks of
    before = vars(cls)["__init__"]
    pydantic.dataclasses.rebuild_dataclass(cls, force=True)
    assert vars(cls)["__init__"] is not before
    assert cls(crates="3").crates == 3


def _run_tests(cls: Any) -> None:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(cls)
    assert unittest.TextTestRunner(stream=io.StringIO()).run(suite).wasSuccessful()


USES: dict[str, tuple[Any, Callable[[Any], None]]] = {
    "msgspec reads a dataclass": (used.bill, _msgspec),
    "an argument parser resolves the types of fields": (used.bill, _resolve_fields),
    "pydantic completes a dataclass": (used.checked_bill, _complete),
    "unittest and hypothesis run tests": (used.inspection, _run_tests),
}


@pytest.mark.parametrize("first", ["used first", "pickled first"])
@pytest.mark.parametrize("what", USES)
def test_use_by_a_library_changes_nothing(what: str, first: str) -> None:
    builder, use = USES[what]
    cls: Any = builder(next(FRESH))
    if first == "pickled first":
        pickle.dumps(cls)
    use(cls)

    assert pickle.loads(pickle.dumps(cls)) is cls
    assert pickle.loads(pickle.dumps(cls)) is cls  # what it looks like now has been noted


@pytest.mark.parametrize("first", ["used first", "registered first"])
def test_what_msgspec_keeps_on_a_class_by_value_stays_here(first: str) -> None:
    """It knows the class by its address in this process, and msgspec finds it out anew in any other."""

    @dataclasses.dataclass
    class Bill(metaclass=envpickle.RuntimeType):
        crates: int = 1

    cls: Any = Bill
    if first == "used first":
        _msgspec(cls)
    cls = envpickle.register(cls, by_value=True)
    _msgspec(cls)

    assert pickle.loads(pickle.dumps(cls)) is cls
    assert b"msgspec_cache" not in pickle.dumps(cls)


CHANGES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "a field's type, where a class stood": (used.bill, lambda cls: setattr(cls.__dataclass_fields__["crates"], "type", str)),
    "a field's default with its type": (
        used.bill,
        lambda cls: (_resolve_fields(cls), setattr(cls.__dataclass_fields__["to"], "default", "ship")),
    ),
    "a constructor of a user's": (used.checked_bill, lambda cls: setattr(cls, "__init__", lambda self: None)),
    "a function that closes over something else": (used.winch, lambda cls: setattr(cls, "lift", used.functions_alike("x", 1))),
    "a function of another default": (used.winch, lambda cls: setattr(cls, "lift", used.functions_alike("x"))),
    "other code of one length": (used.winch, lambda cls: setattr(cls, "plain", lambda self: True)),
    "a step that is no optimizer's": (used.bill, lambda cls: setattr(cls, "step", cls.words)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_others_change_is_refused(what: str) -> None:
    builder, change = CHANGES[what]
    cls: Any = builder(next(FRESH))
    pickle.dumps(cls)
    change(cls)

    with pytest.raises(errors.ClassChanged):
        pickle.dumps(cls)


@pytest.mark.parametrize(
    "again",
    [
        lambda f: types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__),
        lambda f: setattr(f, "__code__", f.__code__.replace(co_varnames=f.__code__.co_varnames)) or f,  # as torch does
    ],
)
def test_a_function_made_once_more_is_the_same(again: Callable[[Any], Any]) -> None:
    cls: Any = used.winch(next(FRESH))
    pickle.dumps(cls)
    cls.lift = again(cls.lift)

    assert pickle.loads(pickle.dumps(cls)) is cls


THERE = """
import multiprocessing, pickle
from voyage.fresh import report

def work(conn):
    import msgspec
    cls = pickle.loads(conn.recv_bytes())
    conn.send_bytes(pickle.dumps(msgspec.convert({"crates": 4}, cls)))

if __name__ == "__main__":
    import msgspec
    from harbour import used
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.get_context("spawn").Process(target=work, args=(theirs,))
    worker.start()
    cls = used.bill("there")
    msgspec.convert({"crates": 3}, cls)
    ours.send_bytes(pickle.dumps(cls))
    back = pickle.loads(ours.recv_bytes())
    report([type(back) is cls, back.crates])
    worker.join()
"""


def test_used_on_both_sides_of_a_crossing() -> None:
    assert run(THERE) == [True, 4]
