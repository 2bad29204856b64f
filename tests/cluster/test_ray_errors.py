"""The errors of envpickle-ray survive pickle, are also the builtin that callers catch, and bear words to go on with."""

import copy
import pickle

import pytest

import envpickle_ray
from envpickle.errors import EnvpickleError
from envpickle_ray import errors


class OfNothing:
    """A class that a pool of none is made of."""


BUILTIN = {"NoActorClass": TypeError, "NoActors": ValueError, "PoolClosed": RuntimeError}


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_survives_pickle(name: str) -> None:
    """Its text and its attributes come through every protocol and a copy."""
    error = getattr(errors, name)("what, which, why and what next", argument="of it", version="1")
    assert isinstance(error, EnvpickleError)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(error, protocol))
        assert (type(back), back.args, vars(back)) == (type(error), error.args, vars(error))
    assert copy.copy(error).args == error.args


@pytest.mark.parametrize("name", BUILTIN)
def test_it_is_the_builtin_that_callers_catch(name: str) -> None:
    """As with Ray's own."""
    assert issubclass(getattr(errors, name), BUILTIN[name])
    assert issubclass(getattr(errors, name), errors.RayError)


@pytest.mark.parametrize("given", [1, "Dock", OfNothing(), None])
def test_no_actors_are_made_of_what_is_no_class(given: object) -> None:
    """The message says what was given, and what to pass."""
    with pytest.raises(errors.NoActorClass, match=rf"is a {type(given).__qualname__}\. Pass the class itself"):
        envpickle_ray.actor(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, -1])
def test_a_pool_has_at_least_one_actor(count: int) -> None:
    """Before anything is started."""
    with pytest.raises(errors.NoActors, match=rf"a pool of {count} actors.*Pass how many"):
        envpickle_ray.pool(OfNothing, count)
