"""pydantic: descriptors that name its makers and hold what an attacker likes run nothing."""

import functools
import os
import subprocess
import typing
from typing import Annotated, Any

import dill
import pydantic
import pytest
from harbour import made_pydantic, tripped
from voyage.made import load

from envpickle import errors
from envpickle.makers import generics
from envpickle.makers import pydantic as maker

ORDINARY: dict[str, Any] = {
    "name": "Forged", "fields": [], "doc": None, "config": {}, "bases": (pydantic.BaseModel,), "validators": [],
}  # fmt: skip
CALLS = pydantic.GetPydanticSchema(tripped.trip)
BOUND = functools.partial(tripped.trip, 1)
LOADS = {"validator": "before", "function": dill.loads}
HOSTILE: dict[str, dict[str, Any]] = {
    "a name with code": {"name": "A(harbour.tripped.trip())"},
    "a keyword": {"name": "class"},
    "a special name": {"name": "__init_subclass__"},
    "a look-alike letter": {"name": "\uff21"},
    "a field with code": {"fields": [("x=trip()", int, [], {})]},
    "a special field": {"fields": [("__base__", int, [], {})]},
    "text for a type": {"fields": [("x", "harbour.tripped.trip()", [], {})]},
    "text in a type": {"fields": [("x", list[typing.ForwardRef("int")], [], {})]},  # type: ignore[misc]
    "a function for a type": {"fields": [("x", tripped.trip, [], {})]},
    "an object that makes schemas for a type": {"fields": [("x", CALLS, [], {})]},
    "one beside a type": {"fields": [("x", int, [CALLS], {})]},
    "one beside a type within": {"fields": [("x", list[Annotated[int, CALLS]], [], {})]},
    "one for a base": {"bases": (CALLS,)},
    "a base that is no model": {"bases": (subprocess.Popen,)},
    "a base that is told": {"bases": (made_pydantic.Registering,)},
    "a loader and what it loads": {
        "fields": [
            ("x", bytes, [{"validator": "before", "function": dill.loads}], {"default": b"1", "validate_default": True})
        ],
    },
    "a loader within, and what it loads": {
        "config": {"validate_default": True},
        "fields": [("x", list[Annotated[bytes, pydantic.AfterValidator(dill.loads)]], [], {"default": [b"1"]})],
    },
    "a model and what it is made of": {
        "config": {"validate_default": True},
        "fields": [("x", made_pydantic.Crate, [], {"default": {"weight": "1"}})],
    },
    "too many fields": {"fields": [(f"x{number}", int, [], {}) for number in range(2_000)]},
    "an object that chooses": {"fields": [("x", int, [], {"discriminator": pydantic.Discriminator(tripped.trip)})]},
    "a validator of the standard library": {"fields": [("x", str, [{"validator": "after", "function": os.system}], {})]},
    "a validator that holds arguments": {"fields": [("x", str, [{"validator": "after", "function": BOUND}], {})]},
    "another kind of validator": {"fields": [("x", str, [{"validator": "eval", "function": tripped.trip}], {})]},
    "a factory of the standard library": {"fields": [("x", int, [], {"default_factory": os.abort})]},
    "a factory that holds arguments": {"fields": [("x", int, [], {"default_factory": BOUND})]},
    "a function that names a title": {"fields": [("x", int, [], {"field_title_generator": tripped.trip})]},
    "a function for the schema": {"fields": [("x", int, [], {"json_schema_extra": tripped.trip})]},
    "an unknown attribute": {"fields": [("x", int, [], {"annotation": "harbour.tripped.trip()"})]},
    "a generator of aliases": {"fields": [("x", int, [], {})], "config": {"alias_generator": tripped.trip}},
    "a generator of titles": {"config": {"model_title_generator": tripped.trip}},
    "a metaclass": {"config": {"metaclass": tripped.trip}},
    "a setting that is none": {"config": {"__pydantic_generic_metadata__": {}}},
    "a body": {"validators": [("field", "__init_subclass__", tripped.trip, [], {})]},
    "a validator's function": {"validators": [("field", "check", os.system, ["x"], {})]},
    "a validator's bound function": {"validators": [("model", "check", BOUND, [], {"mode": "after"})]},
    "fields of another form": {"fields": [5]},
    "no list": {"fields": 5},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_descriptor_runs_nothing(what: str) -> None:
    """It names the maker, which looks at everything before pydantic does."""
    with pytest.raises(errors.RebuildError):
        load(maker.create_model, **ORDINARY | HOSTILE[what])

    assert tripped.RUN == []


def test_what_is_kept_is_not_called() -> None:
    """A function found by its name may be kept as a factory or a validator, and the class is made without calling it."""
    tripped.RUN.clear()
    kept = tripped.one_value
    fields = [("x", int, [{"validator": "before", "function": kept}], {"default_factory": kept})]
    model: Any = maker.create_model(**ORDINARY | {"name": "Kept", "fields": fields})
    assert tripped.RUN == []

    assert model(x=1).x == 1
    assert tripped.RUN == [1]


HOSTILE_GENERICS: dict[str, tuple[Any, Any]] = {
    "text": (made_pydantic.Box, ("harbour.tripped.trip()",)),
    "an object": (made_pydantic.Box, (CALLS,)),
    "no types": (made_pydantic.Box, ()),
    "no generic class": (made_pydantic.Crate, (int,)),
    "no class": (tripped.trip, (int,)),
    "a builtin": (list, (int,)),
    "itself": (made_pydantic.Box, (made_pydantic.T,)),
    "too many": (made_pydantic.Box, (int, int)),
}


@pytest.mark.parametrize("what", HOSTILE_GENERICS)
def test_a_hostile_parametrisation_runs_nothing(what: str) -> None:
    """Only a generic class gets types, and only a class of its own comes of it."""
    origin, args = HOSTILE_GENERICS[what]
    with pytest.raises(errors.RebuildError):
        load(generics.parametrized, origin=origin, args=args)

    assert tripped.RUN == []
    assert made_pydantic.Box.__qualname__ == "Box"
