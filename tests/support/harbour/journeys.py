"""A hold (see `voyage.trip`) of every way a class is sent; each piece is of a class of its own, so each arrives cold."""

from typing import Any

from harbour import docks
from harbour.docks import closure_over, dock, partial_of, yard


def play(tools: list[str], server: str) -> Any:
    """A task that itself calls the builder."""
    return dock(tools, server)


def make_bare() -> Any:
    return dock(["lift"], "bare")


def check_bare(got: Any) -> None:
    assert ["dock"] * len(docks.RUNS) == docks.RUNS, docks.RUNS
    _right(got, "bare")


def make_in_a_dict() -> Any:
    return {"env": dock(["lift"], "dict"), "more": [dock(["lift"], "dict")]}


def check_in_a_dict(got: Any) -> None:
    assert got["env"] is got["more"][0]
    _right(got["env"], "dict")


def home_in_a_dict(sent: Any, back: Any) -> None:
    assert back["env"] is back["more"][0] is sent["env"]


def make_instance() -> Any:
    return dock(["lift"], "instance")(5)


def check_instance(got: Any) -> None:
    assert got.describe() == "instance 1 5"
    _right(type(got), "instance")


def make_bound_method() -> Any:
    return dock(["lift"], "bound")(5).describe


def check_bound_method(got: Any) -> None:
    assert got() == "bound 1 5"
    _right(type(got.__self__), "bound")


def home_bound_method(sent: Any, back: Any) -> None:
    assert type(back.__self__) is type(sent.__self__)


def make_partial() -> Any:
    return partial_of(dock(["lift"], "partial"))


def check_partial(got: Any) -> None:
    assert got().describe() == "partial 1 7"
    _right(got.func, "partial")


def home_partial(sent: Any, back: Any) -> None:
    assert back.func is sent.func


def make_nested() -> Any:
    return [yard(8).Slot(2), yard(8).Slot.Label]


def check_nested(got: Any) -> None:
    assert type(got[0]) is yard(8).Slot
    assert got[1] is yard(8).Slot.Label
    assert got[0].number == 2


def home_nested(sent: Any, back: Any) -> None:
    assert [type(back[0]), back[1]] == [type(sent[0]), sent[1]]


def make_task() -> Any:
    return [play, (["lift"], "task"), dock(["lift"], "task")]


def check_task(got: Any) -> None:
    task, arguments, cls = got
    assert task(*arguments) is cls
    _right(cls, "task")


def home_task(sent: Any, back: Any) -> None:
    assert back[0] is sent[0]
    assert back[0](*back[1]) is sent[2] is back[2]


def make_closure() -> Any:
    return closure_over(dock(["lift"], "closure"))


def check_closure(got: Any) -> None:
    _right(got(), "closure")


def home_closure(sent: Any, back: Any) -> None:
    assert back() is sent()


def _right(cls: Any, server: str) -> None:
    """The class is the one the builder here makes, though nothing was built here before it was loaded."""
    ran = len(docks.RUNS)
    assert dock(["lift"], server) is cls
    assert len(docks.RUNS) == ran
    assert cls.__name__ == "Dock"
    assert cls(1).lift("tea") == f"lift tea at {server}"
