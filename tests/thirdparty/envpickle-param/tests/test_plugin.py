"""The plugin keeps envpickle's contract for plugins, and does what it is for."""

import io
import pickle
from typing import Any

import param
import pytest

import envpickle
from envpickle.testing import PluginContract


def dock() -> type:
    return param.parameterized_class("Dock", {"berths": param.Integer(3, bounds=(1, 9)), "name_of": param.String("north")})


def odd() -> type:
    """A class that has more than parameters."""
    return type(param.Parameterized)("Odd", (param.Parameterized,), {"berths": param.Integer(3), "lift": lambda self: "up"})


class Reader(param.Parameterized):
    """An environment that reads from whatever it is given."""

    source = param.Parameter(None)


def open_a_source(reader: Any) -> None:
    reader.source = io.StringIO("a crate")


def is_closed(reader: Any) -> bool:
    return bool(reader.source.closed)


def same(one: Any, other: Any) -> bool:
    """Parameters compare as objects do, so that this says when two of them are alike."""
    looked_at = ("default", "bounds", "item_type", "doc", "allow_None", "constant")
    return all(getattr(one, name, None) == getattr(other, name, None) for name in looked_at)


class TestPlugin(PluginContract):
    name = "param"
    same = staticmethod(same)
    values = (param.Integer(3, bounds=(1, 9)), param.List([1, 2], item_type=int), param.String("north", doc="Where it lies."))
    makes = (dock,)
    closes = ((Reader, open_a_source, is_closed),)
    explains = (odd()(),)


def test_a_class_keeps_what_its_parameters_check() -> None:
    Dock = envpickle.register(dock())
    assert pickle.loads(pickle.dumps(Dock)) is Dock
    assert (Dock.param.berths.bounds, Dock().name_of) == ((1, 9), "north")


def test_a_class_with_a_method_is_not_taken_for_its_parameters() -> None:
    with pytest.raises(envpickle.errors.RegistrationError):
        envpickle.register(odd(), by_value=False)
