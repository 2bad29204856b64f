"""What no call of the standard library's makers could have made is refused with the reason; hostile calls run nothing."""

import functools
import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from harbour import made_refused, made_standard, tripped
from voyage import made

import envpickle
from envpickle import errors
from envpickle.makers import annotations
from envpickle.makers import collections as of_collections
from envpickle.makers import dataclasses as of_dataclasses
from envpickle.makers import enum as of_enum
from envpickle.makers import types as of_types
from envpickle.makers import typing as of_typing
from envpickle.makers.checks import why_no_name


@pytest.mark.parametrize("what", made_refused.REFUSED)
def test_an_uncertain_class_is_refused_with_the_reason(what: str) -> None:
    """The message names what no call gives, and the class is as it was."""
    make, reason = made_refused.REFUSED[what]
    cls = make()
    noted = list(made_refused.Registering.known)
    with pytest.raises(errors.RegistrationError, match=reason):
        envpickle.register(cls, by_value=False)

    assert "__envpickle_record__" not in vars(cls)
    assert made_refused.Registering.known == noted
    assert tripped.RUN == []


class Tripping:
    """A value that takes part in making a class."""

    def __set_name__(self, owner: Any, name: str) -> None:
        tripped.trip(owner, name)


def _namedtuple(*names: Any, **said: Any) -> Callable[[], Any]:
    given = {"typename": "P", "field_names": list(names), "defaults": None, **said}
    return lambda: made.load(of_collections.namedtuple, **given)


def _record(*fields: Any, **said: Any) -> Callable[[], Any]:
    given = {"cls_name": "R", "fields": list(fields), "bases": (), "namespace": {}, "options": {}, **said}
    return lambda: made.load(of_dataclasses.make_dataclass, **given)


def _enum(*members: Any, **said: Any) -> Callable[[], Any]:
    import enum

    return lambda: made.load(of_enum.enum, **{"base": enum.Enum, "class_name": "E", "members": list(members), **said})


def _class(body: Any = None, **said: Any) -> Callable[[], Any]:
    return lambda: made.load(of_types.new_class, **{"name": "X", "bases": (), "body": body or {}, **said})


def _tuple(fields: Any, **said: Any) -> Callable[[], Any]:
    return lambda: made.load(of_typing.named_tuple, **{"typename": "P", "fields": fields, "defaults": {}, **said})


HOSTILE: dict[str, Callable[[], Any]] = {
    "namedtuple: code for a field": _namedtuple("x=__import__('os').system('true')"),
    "namedtuple: code for a name": _namedtuple("x", typename="P(tuple): pass\nimport os"),
    "namedtuple: a keyword": _namedtuple("class"),
    "namedtuple: a look-alike": _namedtuple("\u212ax"),
    "namedtuple: a number": _namedtuple(5),
    "namedtuple: a dict of fields": _namedtuple(field_names={"x": 1}),
    "namedtuple: too many defaults": _namedtuple("x", defaults=[1, 2]),
    "namedtuple: a doc of no field": _namedtuple("x", field_docs={"y": "doc"}),
    "namedtuple: a doc of its constructor": _namedtuple("x", field_docs={"__new__": "doc"}),
    "named_tuple: a call as a type": _tuple({"x": "__import__('os').system('true')"}),
    "named_tuple: a dunder as a type": _tuple({"x": "().__class__.__bases__"}),
    "named_tuple: code for a field": _tuple({"x: int = print()": int}),
    "named_tuple: a default of its own": _tuple({"x": int}, defaults={"__new__": tripped.trip}),
    "named_tuple: no types": _tuple([("x", int)]),
    "make_dataclass: code for a field": _record(("x: int = print()", int, {})),
    "make_dataclass: code for a type": _record(("x", "print(1)", {})),
    "make_dataclass: a factory of os": _record(("x", int, {"default_factory": os.getcwd})),
    "make_dataclass: a factory that runs": _record(("x", int, {"default_factory": functools.partial(os.system, "true")})),
    "make_dataclass: a program": _record(("x", int, {"default_factory": subprocess.Popen})),
    "make_dataclass: an option": _record(("x", int, {"kind": 1})),
    "make_dataclass: a module": _record(("x", int, {}), options={"module": "os"}),
    "make_dataclass: a constructor": _record(("x", int, {}), namespace={"__new__": tripped.trip}),
    "make_dataclass: a hook": _record(("x", int, {}), namespace={"__init_subclass__": tripped.trip}),
    "make_dataclass: a pair": _record(("x", int)),
    "make_dataclass: a base that notes": _record(("x", int, {}), bases=(made_refused.Registering,)),
    "namedtuple: thousands of fields": _namedtuple(*(f"f{number}" for number in range(2_000))),
    "named_tuple: thousands of fields": _tuple(dict.fromkeys((f"f{number}" for number in range(2_000)), int)),
    "make_dataclass: thousands of fields": _record(*((f"f{number}", int, {}) for number in range(2_000))),
    "enum: thousands of members": _enum(*((f"f{number}", number) for number in range(5_000))),
    "enum: a base with a constructor": _enum(("a", 1), base=made_refused.Numbered),
    "enum: no enumeration": _enum(("a", 1), base=dict),
    "enum: with members": _enum(("a", 1), base=made_standard.enum.FlagBoundary),
    "enum: a generator of values": _enum(("_generate_next_value_", tripped.trip)),
    "enum: names to ignore": _enum(("_ignore_", "a"), ("a", 1)),
    "enum: a program mixed in": _enum(("a", 1), mixin=subprocess.Popen),
    "enum: a member that is a class": _enum(("a", subprocess.Popen)),
    "enum: a member that is a function": _enum(("a", tripped.trip)),
    "enum: one name twice": _enum(("a", 1), ("a", 2)),
    "enum: a special name": _enum(("__init_subclass__", 1)),
    "enum: mro": _enum(("mro", 1)),
    "enum: no pairs": _enum("abc"),
    "enum: another boundary": _enum(("a", 1), boundary="strict"),
    "new_class: a constructor": _class({"__new__": tripped.trip}),
    "new_class: a hook": _class({"__init_subclass__": tripped.trip}),
    "new_class: a finaliser": _class({"__del__": tripped.trip}),
    "new_class: a record": _class({"__envpickle_record__": 1}),
    "new_class: a function of os": _class({"go": os.system}),
    "new_class: a partial": _class({"go": functools.partial(os.system, "true")}),
    "new_class: a partial in a list": _class({"go": [{"a": (functools.partial(os.system, "true"),)}]}),
    "new_class: a program": _class({"go": subprocess.Popen}),
    "new_class: a name that is none": _class({}, name="X(os.system('true'))"),
    "new_class: a metaclass": _class({}, metaclass=made_refused.Meta),
    "new_class: a base with a metaclass": _class({}, bases=(made_refused.Commanded,)),
    "new_class: a base that notes": _class({}, bases=(made_refused.Registering,)),
    "new_class: a function for a base": _class({}, bases=(tripped.trip,)),
    "new_class: code for a type": _class({"__annotations__": {"x": "print(1)"}}),
    "new_class: a slot and a value": _class({"__slots__": ["x"], "x": 1}),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_call_makes_no_class_and_runs_nothing(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused as a descriptor is, and neither a function it names nor a program has run."""
    ran: list[Any] = []
    noted = list(made_refused.Registering.known)
    monkeypatch.setattr(os, "system", lambda command: ran.append(command))
    try:
        HOSTILE[what]()
    except errors.NotPlainData:
        pass  # it cannot even be written (os.system is replaced here, so no name leads to it)
    except errors.RebuildMismatch:
        pytest.fail("a class was made")
    except errors.DescriptorError:
        pass
    else:
        pytest.fail("a class was made")
    assert ran == tripped.RUN == []
    assert made_refused.Registering.known == noted


@pytest.mark.parametrize("name", ["class", "a b", "1a", "", "\u212ax", "__new__", "x" * 300, 5, None, "a.b", "x\n"])
def test_a_name_is_looked_at_before_a_library_gets_it(name: Any) -> None:
    """Whatever the library would say to it itself."""
    assert why_no_name("fine", name)
    assert why_no_name("fine", "_fine2", "Fine") == ""


def test_annotations_run_nothing() -> None:
    """Hostile annotations are refused: no function is subscripted or called, no metaclass asked, no text evaluated."""
    bad: list[Any] = [
        ["alias", os.system, (1,)], ["alias", tripped.trip, (1,)], ["alias", dict, [1]], ["generic", made_standard.Spoken, "a"],
        ["generic", dict, int], ["generic", tripped.trip, int], ["typing", "get_type_hints", int], ["typing", "NewType", int],
        ["typing", "__builtins__", int], ["typing", "sys", int], ["form", "cast"], ["form", "_eval_type"], ["form", "Generic"],
        ["union", (1, 2)], ["union", (made_refused.Commanded,)], ["union", ()], ["forward", "print(1)"], ["forward", "a.__b__"],
        ["forward", "x" * 600], ["forward", 5], ["newtype", "a b", int, "m"],
        ["newtype", "N", 5, "m"], ["union", (int,) * 2_000], ["typing", "Union", (int,) * 2_000],
        ["newtype", "N", int, 5], ["eval", "1"], [], ["TypeVar"], ["TypeVar", "T", (), None, 1, 1], "form", 5, ["initvar"],
    ]  # fmt: skip
    for data in bad:
        with pytest.raises(errors.DescriptorError):
            made.load(of_typing.named_tuple, typename="P", fields={"x": Crafted(data)}, defaults={})
    assert tripped.RUN == []


class Crafted:
    """Stands for an annotation of any content; packed by the test's own hook."""

    def __init__(self, data: Any) -> None:
        self.data = data


@pytest.fixture(autouse=True)
def crafting() -> Any:
    """Have what is crafted written as an annotation, and nothing left of earlier calls."""
    from envpickle.manager import manager
    from envpickle.objects import Packed
    from envpickle.plugin import hookimpl

    class Plugin:
        @hookimpl
        def envpickle_pack(self, value: Any) -> Any:
            return Packed(annotations.annotation, value.data) if type(value) is Crafted else None

    plugin = Plugin()
    manager().register(plugin)
    tripped.RUN.clear()
    yield
    manager().unregister(plugin)


def test_registering_the_same_again_gives_the_same_class() -> None:
    """A cell that is run twice, or a function that is called twice, registers one class: the one that lives."""
    first = envpickle.register(made_standard.KINDS["namedtuple"].make())
    again = envpickle.register(made_standard.KINDS["namedtuple"].make())

    assert again is first
    assert pickle.loads(pickle.dumps(first(1, 2))) == first(1, 2)


def test_a_registered_class_goes_away() -> None:
    """Nothing of ours keeps a class that was registered, nor a new type."""
    cls = envpickle.register(made_standard.KINDS["dataclass"].make())
    payload = pickle.dumps(cls(5))
    identity = id(cls)
    del cls
    gc.collect()
    alive = [kind for kind in gc.get_objects() if isinstance(kind, type) and kind.__name__ == "Row" and id(kind) == identity]

    assert alive == []
    assert pickle.loads(payload).x == 5
    assert sys.getrefcount(type(pickle.loads(payload))) > 0


def test_an_allow_list_names_makers_as_it_names_builders() -> None:
    """The maker, what makes types, and the classes in them: each is on the list, or nothing is imported."""
    cls = envpickle.register(made_standard.typing.NamedTuple("Allowed", [("x", list[made_standard.Boxed[int]])]))  # type: ignore[misc]
    spec = envpickle.describe(cls)
    names = ["envpickle.makers.typing:named_tuple", "envpickle.makers.annotations:annotation", "builtins:int", "builtins:list"]

    with pytest.raises(errors.NotAllowed, match="Boxed"):
        envpickle.rebuild(spec.to_bytes(), allow=names)
    assert envpickle.rebuild(spec.to_bytes(), allow=[*names, "harbour.made_standard:Boxed"]) is cls
