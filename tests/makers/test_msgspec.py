"""msgspec: structs of `defstruct` travel as their fields and options."""

import functools
import os
import pickle
import typing
from typing import Annotated, Any

import msgspec
import pytest
from harbour import made_msgspec, tripped
from voyage.made import legs, load, verdicts

import envpickle
from envpickle import errors
from envpickle.makers import msgspec as maker

HOLD = "harbour.made_msgspec"


@pytest.mark.parametrize(("tool", "piece"), legs(HOLD))
def test_a_struct_crosses_and_comes_home(tool: str, piece: str) -> None:
    """A fresh child gets the struct it would have made itself, and it comes home as the object that left."""
    assert verdicts(HOLD, tool)[piece] == "ok"


OPTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "frozen": {"frozen": True},
    "not compared": {"eq": False},
    "ordered": {"order": True},
    "a tag": {"tag": True},
    "a tag of its own": {"tag": 3, "tag_field": "kind"},
    "names": {"rename": "camel"},
    "defaults left out": {"omit_defaults": True, "repr_omit_defaults": True},
    "strict": {"forbid_unknown_fields": True},
    "an array": {"array_like": True},
    "not collected": {"gc": False},
    "weak references": {"weakref": True},
    "a dict": {"dict": True},
    "a cached hash": {"frozen": True, "cache_hash": True},
    "keywords": {"kw_only": True},
}


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_comes_along(option: str) -> None:
    """Registering compares with the struct made once more, so an option that was lost would refuse it."""
    made = msgspec.defstruct("Optional", [("item_name", str), ("a_list", list[int], [])], **OPTIONS[option])
    cls: Any = envpickle.register(made)

    assert cls is made, "it has a metaclass of its own, so it is registered in place"
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert envpickle.describe(cls).builder == "envpickle.makers.msgspec:defstruct"
    one = cls(item_name="x")
    assert msgspec.json.decode(msgspec.json.encode(one), type=cls) == one or option == "not compared"
    assert pickle.loads(pickle.dumps(cls)) is cls, "using it changed it"


def test_a_patched_struct_is_refused() -> None:
    """What was changed after registering would be lost, so it is named."""
    cls: Any = envpickle.register(msgspec.defstruct("Patched", [("a", int)]))
    pickle.dumps(cls)
    cls.extra = 1

    with pytest.raises(errors.ClassChanged, match="extra"):
        pickle.dumps(cls)


REFUSED: dict[str, tuple[Any, str]] = {
    "a method": (lambda: msgspec.defstruct("Method", [("a", int)], namespace={"twice": lambda self: 2}), "twice"),
    "a value": (lambda: msgspec.defstruct("Value", [("a", int)], namespace={"__rich_repr__": 1}), "__rich_repr__"),
    "text for a type": (lambda: msgspec.defstruct("Text", [("a", "int")]), "text"),
    "a factory that no name leads to": (
        lambda: msgspec.defstruct("Factory", [("a", int, msgspec.field(default_factory=lambda: 1))]),
        "plain data",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_would_not_come_along_is_refused(what: str) -> None:
    """The refusal names it."""
    make, named = REFUSED[what]
    with pytest.raises(errors.RegistrationError, match=named):
        envpickle.register(make())


ORDINARY: dict[str, Any] = {"name": "Forged", "fields": [], "bases": (msgspec.Struct,), "options": {}, "doc": None}
BOUND = functools.partial(tripped.trip, 1)
HOSTILE: dict[str, dict[str, Any]] = {
    "a name with code": {"name": "A(trip())"},
    "a special name": {"name": "__new__"},
    "a field with code": {"fields": [("x=trip()", int, {})]},
    "a special field": {"fields": [("__post_init__", int, {})]},
    "text for a type": {"fields": [("x", "harbour.tripped.trip()", {})]},
    "text in a type": {"fields": [("x", list[typing.ForwardRef("int")], {})]},  # type: ignore[misc]
    "an object for a type": {"fields": [("x", BOUND, {})]},
    "a function beside a type": {"fields": [("x", Annotated[int, tripped.trip], {})]},
    "a factory of the standard library": {"fields": [("x", int, {"default_factory": os.abort})]},
    "a factory that holds arguments": {"fields": [("x", int, {"default_factory": BOUND})]},
    "a function that names fields": {"options": {"rename": tripped.trip}},
    "a function that makes a tag": {"options": {"tag": tripped.trip}},
    "an option that is none": {"options": {"namespace": {"__post_init__": tripped.trip}}},
    "a base that is no struct": {"bases": (int,)},
    "too many fields": {"fields": [(f"x{number}", int, {}) for number in range(2_000)]},
    "fields of another form": {"fields": ["x"]},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_descriptor_runs_nothing(what: str) -> None:
    """It names the maker, which looks at everything before msgspec does."""
    with pytest.raises(errors.RebuildError):
        load(maker.defstruct, **ORDINARY | HOSTILE[what])

    assert tripped.RUN == []


def test_a_hostile_constraint_is_refused() -> None:
    """What stands beside a type is a constraint that msgspec itself makes of plain values."""
    with pytest.raises(errors.DescriptorError):
        maker.meta({"gt": tripped.trip})
    with pytest.raises(errors.DescriptorError):
        maker.meta({"pattern": "("})

    assert maker.meta({"gt": 1}) == msgspec.Meta(gt=1)


def test_a_derived_struct_has_its_base() -> None:
    """A base found by its name is the very one."""
    cls = envpickle.register(msgspec.defstruct("Child", [("x", int, 1)], bases=(made_msgspec.Base,)))

    assert envpickle.describe(cls).kwargs["bases"] == (made_msgspec.Base,)
