"""DEAP: what `creator.create` made travels as its base and attributes, and is never taken from where DEAP put it."""

import functools
import os
import pickle
import subprocess
from typing import Any

import pytest
from deap import base, creator
from harbour import made_deap, made_generic, tripped
from voyage.made import legs, load, verdicts

import envpickle
from envpickle import errors
from envpickle.makers import deap as maker

HOLD = "harbour.made_deap"


@pytest.mark.parametrize(("tool", "piece"), legs(HOLD))
def test_a_class_crosses_and_comes_home(tool: str, piece: str) -> None:
    """A fresh child gets it, where DEAP would put it; coming home it replaces nothing, as DEAP's own way does."""
    assert verdicts(HOLD, tool)[piece] == "ok"


def test_without_envpickle_the_class_is_replaced() -> None:
    """What DEAP itself does, and what registering mends: a class that comes home is another one."""
    creator.create("Replaced", list)
    before: Any = creator.Replaced
    again = pickle.loads(pickle.dumps(before))
    assert again is creator.Replaced
    assert again is not before

    registered = envpickle.register(again)
    assert pickle.loads(pickle.dumps(registered)) is registered is creator.Replaced


def test_what_it_needs_is_registered_first() -> None:
    """A fitness is in no other process, so the refusal of the individual names it."""
    creator.create("FitnessFirst", base.Fitness, weights=(1.0,))
    creator.create("IndividualFirst", list, fitness=creator.FitnessFirst)
    with pytest.raises(errors.RegistrationError, match=r"FitnessFirst.*Register that first"):
        envpickle.register(creator.IndividualFirst)
    envpickle.register(creator.FitnessFirst)

    assert pickle.loads(pickle.dumps(envpickle.register(creator.IndividualFirst))) is creator.IndividualFirst


def test_a_class_whose_name_is_taken_is_refused() -> None:
    """DEAP has one class of a name, and the other process would have the wrong one."""
    creator.create("Taken", list)
    first: Any = creator.Taken
    with pytest.warns(RuntimeWarning, match="Taken"):
        creator.create("Taken", dict)

    with pytest.raises(errors.RegistrationError, match="another class by now"):
        envpickle.register(first)


def test_a_patched_class_is_refused() -> None:
    """What was changed after registering would be lost, so it is named."""
    cls: Any = made_deap.individual("Patched")
    one = cls([1])
    one.age = 3
    assert pickle.loads(pickle.dumps(one)) == one
    cls.age = 5

    with pytest.raises(errors.ClassChanged, match="age"):
        pickle.dumps(one)


@pytest.mark.parametrize("value", [lambda: 1, os.getcwd, functools.partial(int, "1"), subprocess.Popen])
def test_an_attribute_that_would_be_called_is_refused(value: Any) -> None:
    """A class is called for each instance, so it is one that a name leads to, and not any of the standard library."""
    creator.create("Calling", list, value=value)
    try:
        with pytest.raises(errors.RegistrationError, match="value"):
            envpickle.register(creator.Calling)
    finally:
        del creator.Calling


ORDINARY: dict[str, Any] = {"name": "Forged", "base": list, "attributes": {}}
HOSTILE: dict[str, dict[str, Any]] = {
    "a name with code": {"name": "A(trip())"},
    "the name of a builtin": {"name": "isinstance"},
    "a special name": {"name": "__name__"},
    "an attribute with a special name": {"attributes": {"__init_subclass__": tripped.trip}},
    "an attribute with code": {"attributes": {"a b": 1}},
    "a class of the standard library": {"attributes": {"run": subprocess.Popen}},
    "a function of the standard library": {"attributes": {"run": os.system}},
    "a function that holds arguments": {"attributes": {"run": functools.partial(tripped.trip, 1)}},
    "a metaclass for a base": {"base": type},
    "a base with a metaclass": {"base": made_generic.Array},
    "too many attributes": {"attributes": {f"x{number}": 1 for number in range(2_000)}},
    "a function for a base": {"base": tripped.trip},
    "a base of the standard library": {"base": subprocess.Popen},
    "attributes of another form": {"attributes": [1]},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_descriptor_runs_nothing(what: str) -> None:
    """It names the maker, which looks at everything before DEAP does, and puts nothing into DEAP's module."""
    before = dict(vars(creator))
    with pytest.raises(errors.RebuildError):
        load(maker.create, **ORDINARY | HOSTILE[what])

    assert tripped.RUN == []
    assert vars(creator) == before


def test_it_never_takes_the_place_of_what_is_there() -> None:
    """A descriptor with the name of something in DEAP's module makes its class, and leaves that alone."""
    before = creator.create
    cls = maker.create("create", list, {"x": 1})

    assert creator.create is before
    assert cls.__name__ == "create"
