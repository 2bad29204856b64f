"""attrs: classes of `make_class` travel as their fields and options; no name reaches attrs that is none."""

import functools
import os
import pickle
import subprocess
import typing
from typing import Any

import attrs
import dill
import pytest
from attrs import validators
from harbour import made_attrs, made_generic, tripped
from voyage.made import legs, load, verdicts

import envpickle
from envpickle import errors
from envpickle.makers import attrs as maker

HOLD = "harbour.made_attrs"


@pytest.mark.parametrize(("tool", "piece"), legs(HOLD))
def test_a_class_crosses_and_comes_home(tool: str, piece: str) -> None:
    """A fresh child gets the class it would have made itself, and it comes home as the object that left."""
    assert verdicts(HOLD, tool)[piece] == "ok"


OPTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "slots": {"slots": True},
    "frozen": {"frozen": True},
    "frozen slots": {"frozen": True, "slots": True},
    "cached hash": {"frozen": True, "cache_hash": True},
    "hash": {"unsafe_hash": True},
    "no comparing": {"eq": False},
    "no order": {"order": False},
    "keywords": {"kw_only": True},
    "text": {"str": True},
    "no constructor": {"init": False},
    "no repr": {"repr": False},
    "no weak references": {"slots": True, "weakref_slot": False},
    "by mro": {"collect_by_mro": True},
    "an exception": {"bases": (Exception,), "auto_exc": True},
    "not matched": {"match_args": False},
}


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_comes_along(option: str) -> None:
    """Registering compares with the class made once more, so an option that was lost would refuse it."""
    fields = {"x": attrs.field(type=int, default=1), "_y": attrs.field(factory=list, repr=False)}
    cls: Any = envpickle.register(attrs.make_class("Optional", fields, **OPTIONS[option]))

    assert pickle.loads(pickle.dumps(cls)) is cls
    assert envpickle.describe(cls).builder == "envpickle.makers.attrs:make_class"
    assert attrs.fields(cls)._y.alias == "y"


def test_a_patched_class_is_refused() -> None:
    """What was changed after registering would be lost, so it is named."""
    cls: Any = envpickle.register(attrs.make_class("Patched", ["a"]))
    attrs.resolve_types(cls)
    assert pickle.loads(pickle.dumps(cls)) is cls
    cls.__init__ = lambda self, a: None

    with pytest.raises(errors.ClassChanged, match="__init__"):
        pickle.dumps(cls)


def _hooked() -> Any:
    @attrs.define
    class Defined:
        x: int

    return Defined


def _local_function() -> Any:
    return attrs.make_class("Local", ["a"], class_body={"method": lambda self: 1})


def _local_validator() -> Any:
    return attrs.make_class("Checked", {"a": attrs.field(validator=lambda self, field, value: None)})


def _constructor() -> Any:
    return attrs.make_class("Constructed", {"a": attrs.field(default=1), "__attrs_post_init__": tripped.trip})


REFUSED = {
    "a hook": (_hooked, "on_setattr"),
    "a function that no name leads to": (_local_function, "body|method"),
    "a validator that no name leads to": (_local_validator, "validator"),
    "a special method": (_constructor, "__attrs_post_init__"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_not_come_along_is_not_left_out(what: str) -> None:
    """It is refused, and the refusal names it, or the class goes by value with it."""
    make, named = REFUSED[what]
    with pytest.raises(errors.RegistrationError, match=named):
        envpickle.register(make(), by_value=False)


def test_what_no_call_makes_goes_by_value() -> None:
    """A class of `attrs.define` with a method of its own is sent as its code, with the method."""

    @attrs.define
    class Defined:
        x: int = 1

        def twice(self) -> int:
            return self.x * 2

    cls: Any = envpickle.register(Defined)
    del Defined

    assert envpickle.describe(cls).builder == "envpickle.makers.by_value:by_value"
    assert pickle.loads(pickle.dumps(cls(4))).twice() == 8


ORDINARY: dict[str, Any] = {"name": "Forged", "fields": [], "bases": (object,), "options": {}, "body": {}}
CODE = "x=__import__('harbour.tripped').tripped.trip()"
BOUND = functools.partial(tripped.trip, 1)
HOSTILE: dict[str, dict[str, Any]] = {
    "a name with code": {"name": f"A\n{CODE}"},
    "a keyword": {"name": "import"},
    "a look-alike letter": {"fields": [("\uff58", {})]},
    "a field with code": {"fields": [(CODE, {})]},
    "a field with a line of code": {"fields": [("x\n    harbour.tripped.trip()", {})]},
    "a special field": {"fields": [("__init_subclass__", {})]},
    "an alias with code": {"fields": [("x", {"alias": CODE})]},
    "text for a type": {"fields": [("x", {"type": CODE})]},
    "text in a type": {"fields": [("x", {"type": list[typing.ForwardRef("int")]})]},  # type: ignore[misc]
    "an attribute that is none": {"fields": [("x", {"on_setattr": tripped.trip})]},
    "a validator of the standard library": {"fields": [("x", {"validator": os.system})]},
    "one within attrs' own": {"fields": [("x", {"validator": validators.optional(os.system)})]},
    "a class within attrs' own": {"fields": [("x", {"validator": validators.deep_iterable(subprocess.Popen)})]},
    "a converter that is a class of the standard library": {"fields": [("x", {"converter": subprocess.Popen})]},
    "a factory that holds arguments": {"fields": [("x", {"factory": BOUND})]},
    "a function for a repr": {"fields": [("x", {"repr": tripped.trip})]},
    "a function for comparing": {"fields": [("x", {"eq": tripped.trip})]},
    "a transformer of fields": {"options": {"field_transformer": tripped.trip}},
    "a hook": {"options": {"on_setattr": tripped.trip}},
    "a function for an option": {"options": {"frozen": tripped.trip}},
    "a body with a special name": {"body": {"__init_subclass__": tripped.trip}},
    "a body that is made when it is named": {"body": {"__set_name__": tripped.trip}},
    "a body that makes instances": {"body": {"__new__": tripped.trip}},
    "a body of the standard library": {"body": {"run": os.system}},
    "a base that is none": {"bases": (tripped.trip,)},
    "a base with a metaclass": {"bases": (made_generic.Array,)},
    "a metaclass for a base": {"bases": (type,)},
    "a loader and what it loads": {"fields": [("x", {"default": b"1", "converter": dill.loads})]},
    "too many fields": {"fields": [(f"x{number}", {}) for number in range(2_000)]},
    "fields of another form": {"fields": {"x": 1}},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_descriptor_runs_nothing(what: str) -> None:
    """It names the maker, which looks at everything before attrs writes source text of it."""
    with pytest.raises(errors.RebuildError):
        load(maker.make_class, **ORDINARY | HOSTILE[what])

    assert tripped.RUN == []


def test_what_is_kept_is_not_called() -> None:
    """A function found by its name may be a factory, a validator or a method, and the class is made without calling it."""
    tripped.RUN.clear()
    fields = [("x", {"factory": tripped.one_value, "validator": tripped.trip})]
    cls: Any = maker.make_class(**ORDINARY | {"name": "Kept", "fields": fields, "body": {"area": made_attrs.area}})
    assert tripped.RUN == []

    cls()
    assert len(tripped.RUN) == 2
