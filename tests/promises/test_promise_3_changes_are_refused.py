"""Promise 3: a class changed since it was built is refused by name; what changes by itself is not."""

import abc
import copy
import inspect
import itertools
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest
from harbour import changing
from voyage.picklers import TOOLS, dumps

from envpickle import errors

FRESH = map("crane {}".format, itertools.count())


def fresh() -> Any:
    """A crane that no other test has changed."""
    return changing.crane(next(FRESH))


def set_to(name: str, value: Any) -> Callable[[Any], None]:
    return lambda cls: setattr(cls, name, value)


def drop(name: str) -> Callable[[Any], None]:
    return lambda cls: delattr(cls, name)


def recoded(code: Any) -> Any:
    """The same code with another separator in its text."""
    return code.replace(co_consts=tuple("-" if const == " " else const for const in code.co_consts))


def renumber(function: Any) -> None:
    """Give a function other code."""
    function.__code__ = function.__code__.replace(co_firstlineno=1)


CHANGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "added value": ("extra", set_to("extra", 1)),
    "added None": ("extra", set_to("extra", None)),
    "added private": ("_extra", set_to("_extra", 1)),
    "added method": ("jump", set_to("jump", changing.other_lift)),
    "added dunder with behaviour": ("__call__", set_to("__call__", changing.other_lift)),
    "added __getattr__": ("__getattr__", set_to("__getattr__", lambda self, name: 1)),
    "added __eq__": ("__eq__", set_to("__eq__", lambda self, other: True)),
    "added __reduce__": ("__reduce__", set_to("__reduce__", lambda self: (int, ()))),
    "added __setstate__": ("__setstate__", set_to("__setstate__", lambda self, state: None)),
    "added __del__": ("__del__", set_to("__del__", lambda self: None)),
    "added descriptor": ("extra", set_to("extra", property(lambda self: 1))),
    "replaced int": ("number", set_to("number", 2)),
    "1 by True": ("number", set_to("number", True)),
    "1 by 1.0": ("number", set_to("number", 1.0)),
    "True by 1": ("flag", set_to("flag", 1)),
    "replaced str": ("text", set_to("text", "other")),
    "nan by number": ("nan", set_to("nan", 0.0)),
    "replaced tuple": ("pair", set_to("pair", (1, 3))),
    "tuple by list": ("pair", set_to("pair", [1, 2])),
    "replaced method": ("lift", set_to("lift", changing.other_lift)),
    "replaced object": ("thing", set_to("thing", object())),
    "replaced property": ("size", set_to("size", property(lambda self: 4))),
    "replaced classmethod": ("make", set_to("make", classmethod(lambda cls: None))),
    "replaced staticmethod": ("still", set_to("still", staticmethod(lambda: "other"))),
    "replaced __init__": ("__init__", set_to("__init__", lambda self: None)),
    "replaced __len__": ("__len__", set_to("__len__", lambda self: 6)),
    "replaced nested class": ("Hook", set_to("Hook", changing.Based)),
    "deleted value": ("number", drop("number")),
    "deleted method": ("lift", drop("lift")),
    "deleted __init__": ("__init__", drop("__init__")),
    "list appended": ("listed", lambda cls: cls.listed.append(3)),
    "list item replaced": ("listed", lambda cls: cls.listed.__setitem__(0, 9)),
    "list item 1 by True": ("listed", lambda cls: cls.listed.__setitem__(0, True)),
    "dict set": ("mapped", lambda cls: cls.mapped.__setitem__("c", 1)),
    "dict deleted": ("mapped", lambda cls: cls.mapped.pop("a")),
    "nested dict": ("mapped", lambda cls: cls.mapped["a"].__setitem__("c", 1)),
    "nested list": ("mapped", lambda cls: cls.mapped["a"]["b"].append(1)),
    "nested set": ("mapped", lambda cls: cls.mapped["a"]["b"][1].add(3)),
    "set added": ("chosen", lambda cls: cls.chosen.add(3)),
    "set emptied": ("chosen", lambda cls: cls.chosen.clear()),
    "list in a tuple": ("holds", lambda cls: cls.holds[0].append(2)),
    "mapping behind a proxy": ("shown", lambda cls: cls.shown["a"].append(2)),
    "namespace set": ("space", lambda cls: setattr(cls.space, "a", 2)),
    "in a namespace": ("space", lambda cls: cls.space.b.append(2)),
    "default 1 by True": ("__init__ .*defaults", lambda cls: setattr(cls.__init__, "__defaults__", (False,))),
    "annotations added": ("__annotations__", lambda cls: cls.__annotations__.update(late=int)),
    "annotations replaced": ("__annotations__", set_to("__annotations__", {"late": int})),
    "abstract methods set": ("__abstractmethods__", set_to("__abstractmethods__", frozenset(["lift"]))),
    "signature set": ("__signature__", set_to("__signature__", inspect.Signature())),
    "private attributes of no model": ("__private_attributes__", set_to("__private_attributes__", {"a": 1})),
    "code replaced": ("lift", lambda cls: setattr(cls.lift, "__code__", recoded(cls.lift.__code__))),
    "defaults replaced": ("lift", lambda cls: setattr(cls.lift, "__defaults__", ("barrel",))),
    "keyword defaults replaced": ("lift", lambda cls: setattr(cls.lift, "__kwdefaults__", {"speed": 2})),
    "keyword defaults in place": ("lift", lambda cls: cls.lift.__kwdefaults__.__setitem__("speed", 2)),
    "code of a classmethod": (
        "make",
        lambda cls: setattr(vars(cls)["make"].__func__, "__code__", (lambda cls: None).__code__),
    ),
    "nested class changed": ("Hook", lambda cls: setattr(cls.Hook, "weight", 3)),
    "bases replaced": ("base", lambda cls: setattr(cls, "__bases__", (changing.Based,))),
    "name replaced": ("name", lambda cls: setattr(cls, "__name__", "Other")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_promise_3_a_change_is_refused_by_name(what: str) -> None:
    """Each change is refused when dumped, and the message names the class, the attribute and the way out."""
    cls = fresh()
    pickle.dumps(cls)  # what was dumped before must not excuse what was changed since
    name, change = CHANGES[what]
    change(cls)

    with pytest.raises(errors.ClassChanged, match=name) as caught:
        pickle.dumps(cls)
    assert "crane" in str(caught.value).lower()
    assert isinstance(caught.value, pickle.PicklingError)


FIRST: dict[str, tuple[str, Callable[[Any], None]]] = {
    "docstring of a method": ("lift .*docstring", lambda cls: setattr(cls.lift, "__doc__", "Lift a crate.")),
    "attribute of a method": ("lift .*attribute is_tool", lambda cls: setattr(cls.lift, "is_tool", True)),
    "defaults where there were none": ("__len__ .*defaults", lambda cls: setattr(cls.__len__, "__defaults__", (1,))),
}


@pytest.mark.parametrize("what", FIRST)
def test_promise_3_what_is_said_of_methods_is_compared_when_a_class_is_first_pickled(what: str) -> None:
    """Patching goes before sending; after that, comparing it each time would double the time that pickling takes."""
    cls = fresh()
    name, change = FIRST[what]
    change(cls)

    with pytest.raises(errors.ClassChanged, match=name):
        pickle.dumps(cls)


@pytest.mark.parametrize("tool", TOOLS)
def test_promise_3_every_pickler_refuses(tool: str) -> None:
    """No pickler sends a changed class by value or by its old call: bare, in a dict or as an instance's class."""
    cls = fresh()
    one = cls(1)
    cls.number = 2

    for sent in (cls, {"env": cls}, one, [one]):
        with pytest.raises(pickle.PicklingError, match="number"):
            dumps(tool, sent)


def test_promise_3_putting_it_back_heals() -> None:
    """A class that is again what it was travels again."""
    cls = fresh()
    cls.listed.append(3)
    with pytest.raises(errors.ClassChanged):
        pickle.dumps(cls)
    cls.listed.pop()

    assert pickle.loads(pickle.dumps(cls)) is cls


def _slotnames(cls: Any) -> None:
    copy.copy(cls())
    copy.deepcopy(cls())
    pickle.dumps(cls())
    assert "__slotnames__" in vars(cls)


BY_ITSELF: dict[str, Callable[[Any], Any]] = {
    "annotations read": lambda cls: cls.__annotations__,
    "type hints": lambda cls: (typing.get_type_hints(cls), typing.get_type_hints(cls.lift)),
    "signature": lambda cls: (inspect.signature(cls), inspect.signature(cls.lift), inspect.getmembers(cls)),
    "what ray.remote puts on it": lambda cls: setattr(cls.lift, "__signature__", inspect.signature(cls.lift)),
    "what attrs writes into a function of its own": lambda cls: setattr(cls.shared, "__doc__", f"Made for {cls}."),
    "slotnames": _slotnames,
    "instances and subclasses": lambda cls: (cls(), type("Sub", (cls,), {})(), isinstance(1, cls)),
    "help": lambda cls: (inspect.getdoc(cls), dir(cls), vars(cls), repr(cls)),
    "hash and compare": lambda cls: (hash(cls), cls == cls, {cls: 1}),
    "instance state": lambda cls: cls().__dict__.update(number=9),
    "list alias": lambda cls: (list[cls], typing.Optional[cls]),  # noqa: UP045 - typing caches what it subscripts
}


@pytest.mark.parametrize("what", BY_ITSELF)
def test_promise_3_what_appears_by_itself_is_tolerated(what: str) -> None:
    """Looking at a class, copying its instances and deriving from it change nothing that counts."""
    cls = fresh()
    BY_ITSELF[what](cls)

    assert pickle.loads(pickle.dumps(cls)) is cls


def test_promise_3_abstract_caches_are_tolerated() -> None:
    """Virtual subclasses and `update_abstractmethods` leave an abstract class as it was."""
    cls = changing.abstract("caches")
    cls.register(changing.Based)
    assert issubclass(changing.Based, cls)
    assert not isinstance(1, cls)
    abc.update_abstractmethods(cls)

    assert pickle.loads(pickle.dumps(cls)) is cls


def test_promise_3_what_typing_puts_into_a_class_is_no_change() -> None:
    """A class that derives from a protocol is given an `__init__` of a base's when it is first called; another is a change."""
    cls: Any = changing.lifting(next(FRESH))
    one = cls()
    assert "__init__" in vars(cls)

    assert type(pickle.loads(pickle.dumps(one))) is cls
    cls.__init__ = changing.other_lift
    with pytest.raises(errors.ClassChanged, match="__init__"):
        pickle.dumps(one)


def test_promise_3_a_method_that_dispatches_works_once_adopted() -> None:
    """`super()` in a function that only the dispatcher holds leads to the class as adopted."""
    cls: Any = changing.scales(next(FRESH))

    assert (cls().weigh(3), cls().weigh([]), cls().weigh("x")) == ("3 crates", "many", "something")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("weigh", lambda method: method.register(str, changing.other_lift)),
        ("_ .*code", lambda method: renumber(method.dispatcher.dispatch(int))),
    ],
)
def test_promise_3_a_method_that_dispatches_is_looked_into(name: str, change: Callable[[Any], Any]) -> None:
    """One more type it knows, and other code for one it knew, are changes."""
    cls: Any = changing.scales(next(FRESH))
    pickle.dumps(cls)
    change(vars(cls)["weigh"])

    with pytest.raises(errors.ClassChanged, match=name):
        pickle.dumps(cls)


def test_promise_3_declared_state_is_exempt() -> None:
    """Names in `__envpickle_state__` may be changed, replaced, deleted and added; others may not."""
    cls = fresh()
    for step in (
        lambda: cls.state.update(a=1),
        lambda: setattr(cls, "state", {"new": 1}),
        lambda: setattr(cls, "later", 1),
        lambda: delattr(cls, "state"),
    ):
        step()
        assert pickle.loads(pickle.dumps(cls)) is cls
    cls.latest = 1
    with pytest.raises(errors.ClassChanged, match="latest"):
        pickle.dumps(cls)


def test_promise_3_the_list_of_exemptions_cannot_be_widened() -> None:
    """Replacing `__envpickle_state__` after building does not excuse a change."""
    cls = fresh()
    cls.number = 5
    cls.__envpickle_state__ = ("number",)

    with pytest.raises(errors.ClassChanged):
        pickle.dumps(cls)


def test_promise_3_values_compared_by_identity_are_held() -> None:
    """A replaced object is noticed though the old one's memory is used again at once."""
    for _ in range(200):
        cls = fresh()
        del cls.thing
        cls.thing = object()
        with pytest.raises(errors.ClassChanged, match="thing"):
            pickle.dumps(cls)
