"""Registering by a maker keeps nothing alive: neither the class, nor the one it was compared with."""

import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import attrs
import marshmallow
import msgspec
import pydantic
import pytest
from harbour import made_generic, made_pydantic

import envpickle

MAKE: dict[str, Callable[[str], Any]] = {
    "pydantic": lambda name: pydantic.create_model(name, x=(list[int], pydantic.Field(default_factory=list))),
    "a parametrised model": lambda name: made_pydantic.Box[tuple[int, ...]],
    "a parametrised class": lambda name: made_generic.Vector[dict],
    "msgspec": lambda name: msgspec.defstruct(name, [("x", list[int], msgspec.field(default_factory=list))]),
    "attrs": lambda name: attrs.make_class(name, {"x": attrs.field(factory=list)}, slots=True),
    "marshmallow": lambda name: marshmallow.Schema.from_dict({"x": marshmallow.fields.Int()}, name=name),
}


def _living(name: str) -> int:
    return sum(1 for thing in gc.get_objects() if isinstance(thing, type) and name in thing.__name__)


@pytest.mark.parametrize("made_by", MAKE)
def test_a_class_nobody_holds_is_collected(made_by: str) -> None:
    """However often it was registered, pickled and loaded; it is made anew from its bytes, and collected again."""
    cls = envpickle.register(MAKE[made_by]("Passing"))
    name, payload = cls.__name__, pickle.dumps(cls)
    seen = weakref.ref(cls)
    assert pickle.loads(payload) is cls
    del cls
    gc.collect()
    assert seen() is None

    for _ in range(3):
        again = pickle.loads(payload)
        assert pickle.dumps(again) == payload
        del again
    gc.collect()
    assert _living(name) == 0
