"""Parametrised generics that are real classes travel as the generic class and its types."""

import os
import pickle
import subprocess
from typing import Any

import pytest
from harbour import made_generic, tripped
from voyage.made import legs, load, verdicts

import envpickle
from envpickle import errors
from envpickle.makers import generics

HOLD = "harbour.made_generic"


@pytest.mark.parametrize(("tool", "piece"), legs(HOLD))
def test_a_parametrised_class_crosses_and_comes_home(tool: str, piece: str) -> None:
    """A fresh child asks the generic class for it, and it comes home as the object that left."""
    assert verdicts(HOLD, tool)[piece] == "ok"


def test_one_that_is_kept_stays_the_one() -> None:
    """What its library gives for these types is the registered class itself."""
    cls: Any = made_generic.Array[bytes]
    assert envpickle.register(cls) is cls is made_generic.Array[bytes]
    assert envpickle.describe(cls).arguments == {"origin": made_generic.Array, "args": (bytes,)}


def test_something_put_onto_a_kept_one_is_refused() -> None:
    """Nothing can be compared with it, so it may have nothing of its own; afterwards a change is seen as on any class."""
    patched: Any = made_generic.Array[float]
    patched.extra = 1
    with pytest.raises(errors.RegistrationError, match="extra"):
        envpickle.register(patched)
    later: Any = envpickle.register(made_generic.Array[complex])
    later.extra = 1

    with pytest.raises(errors.ClassChanged, match="extra"):
        pickle.dumps(later)


def test_a_new_one_that_was_patched_is_compared() -> None:
    """The class that is made once more does not have it."""
    patched: Any = made_generic.Vector[float]
    patched.extra = 1
    with pytest.raises(errors.RegistrationError, match="extra"):
        envpickle.register(patched, by_value=False)


HOSTILE: dict[str, tuple[Any, Any]] = {
    "a class that gives itself": (made_generic.Sly, (int,)),
    "a class that gives another": (made_generic.Sly, (str,)),
    "text": (made_generic.Vector, ("harbour.tripped.trip()",)),
    "a function": (made_generic.Vector, (tripped.trip,)),
    "no class": (os.system, (int,)),
    "a class of the standard library": (subprocess.Popen, (int,)),
    "a class without types": (tripped.Plain, (int,)),
    "no tuple": (made_generic.Vector, [int]),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_descriptor_runs_nothing(what: str) -> None:
    """Only a class that takes types gets types, and what it gives must say that it was made of them."""
    origin, args = HOSTILE[what]
    with pytest.raises(errors.RebuildError):
        load(generics.parametrized, origin=origin, args=args)

    assert tripped.RUN == []
    assert made_generic.Sly.__qualname__ == "Sly"
