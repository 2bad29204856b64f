"""The errors of envpickle-ray survive pickle, are also the builtin that callers catch, and bear words to go on with."""

import copy
import pickle
from collections.abc import Callable

import pytest
import ray
from ray import exceptions

import envpickle_ray
from envpickle.errors import EnvpickleError
from envpickle_ray import errors, pool_calls


class OfNothing:
    """A class that a pool of none is made of."""


BUILTIN = {"NoActorCall": TypeError, "NoActorClass": TypeError, "NoActors": ValueError, "PoolClosed": RuntimeError}


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


@pytest.mark.parametrize("count", [0, -1, 2.5, "4", None])
def test_a_pool_has_at_least_one_actor(count: object) -> None:
    """Before anything is started."""
    with pytest.raises(errors.NoActors, match=rf"a pool of {count!r} actors.*Pass how many"):
        envpickle_ray.pool(OfNothing, count)  # type: ignore[arg-type]


LOST = {  # what Ray raises, and whether the actor that was called is gone with it
    "ActorDiedError": (exceptions.ActorDiedError(), True),
    "ActorUnavailableError": (exceptions.ActorUnavailableError("it restarts", None), False),
    "NodeDiedError": (exceptions.NodeDiedError("the node is dead"), True),
    "ObjectLostError": (exceptions.ObjectLostError("0f", None, ""), True),
    "OutOfMemoryError": (exceptions.OutOfMemoryError("the node had none left"), True),
    "OwnerDiedError": (exceptions.OwnerDiedError("0f", None, ""), True),
    "WorkerCrashedError": (exceptions.WorkerCrashedError(), True),
}
KEPT = {
    "GetTimeoutError": exceptions.GetTimeoutError("in vain"),
    "TaskCancelledError": exceptions.TaskCancelledError(),
    "a method that has lost an actor itself": exceptions.RayTaskError(
        "play", "Traceback", exceptions.ActorDiedError(), proctitle="ray", ip="127.0.0.1"
    ).as_instanceof_cause(),
}


def raising(error: Exception) -> Callable[[object], None]:
    """What stands for `ray.get`: nobody can have a node run out of memory here."""

    def get(reference: object) -> None:
        raise error

    return get


@pytest.mark.parametrize("name", LOST)
def test_a_call_is_lost_by_any_of_rays_errors_that_say_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool makes the call again, and replaces the actor unless it may come back."""
    error, is_dead = LOST[name]
    monkeypatch.setattr(ray, "get", raising(error))
    outcome = pool_calls.outcome_of(object())
    assert (outcome.was_lost, outcome.is_dead) == (True, is_dead)
    with pytest.raises(type(error)):
        outcome.result()


@pytest.mark.parametrize("name", KEPT)
def test_any_other_error_is_the_calls_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised where the result is asked for, and the actor stays."""
    monkeypatch.setattr(ray, "get", raising(KEPT[name]))
    outcome = pool_calls.outcome_of(object())
    assert (outcome.was_lost, outcome.is_dead) == (False, False)
    with pytest.raises(type(KEPT[name])):
        outcome.result()
