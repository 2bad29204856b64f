"""Promise 4: a rebuilt class has the surface that was described, or loading says where it differs."""

import gc
import itertools
import pickle
from collections.abc import Iterator

import pytest
from harbour import alike, docks, moody

import envpickle
from envpickle import errors

NUMBERS = itertools.count()


@pytest.fixture
def payload() -> Iterator[bytes]:
    """A class described in one mood, and gone."""
    moody.MOOD[0] = "as described"
    yield pickle.dumps(moody.moody(next(NUMBERS)))
    moody.MOOD[0] = "as described"


def load_in(mood: str, payload: bytes) -> type:
    gc.collect()
    moody.MOOD[0] = mood
    cls: type = pickle.loads(payload)
    return cls


DIFFERENCES = {
    "method missing": "lift",
    "method added": "drop",
    "parameter renamed": "thing",
    "parameter missing": "speed",
    "parameters swapped": "speed",
    "attribute missing": "colour",
    "method is a value": "lift",
    "name differs": "Renamed",
}


@pytest.mark.parametrize("mood", DIFFERENCES)
def test_promise_4_a_difference_is_shown(payload: bytes, mood: str) -> None:
    """A builder that makes something else here is refused, and the message names builder and difference."""
    with pytest.raises(errors.RebuildMismatch, match=DIFFERENCES[mood]) as caught:
        load_in(mood, payload)
    assert "harbour.moody" in str(caught.value)
    assert isinstance(caught.value, pickle.UnpicklingError)


@pytest.mark.parametrize("mood", DIFFERENCES)
def test_promise_4_a_mismatch_leaves_nothing_behind(payload: bytes, mood: str) -> None:
    """After a refusal the same bytes load where the builder makes the right thing."""
    with pytest.raises(errors.RebuildMismatch):
        load_in(mood, payload)

    assert load_in("as described", payload)().lift("box") == "box"


@pytest.mark.parametrize("mood", ["private differs", "other code"])
def test_promise_4_what_is_not_surface_may_differ(payload: bytes, mood: str) -> None:
    """Private names and the code inside are the builder's business (a documented limit)."""
    assert load_in(mood, payload).__name__ == "Moody"


@pytest.mark.parametrize("mood", ["raises", "not a class"])
def test_promise_4_a_builder_that_fails_leaves_nothing_behind(payload: bytes, mood: str) -> None:
    """A builder that raises, or returns no class, on this side fails the load and not the next one."""
    with pytest.raises((RuntimeError, errors.EnvpickleError)):
        load_in(mood, payload)

    assert load_in("as described", payload).__name__ == "Moody"


def test_promise_4_the_surface_is_what_users_see() -> None:
    """`describe` shows public names with their parameters, read from code objects, and no private ones."""
    surface = envpickle.describe(docks.dock(["lift", "_secret"])).surface

    assert isinstance(surface, tuple)
    text = " ".join(surface)
    for word in ("lift", "item", "describe", "create", "load"):
        assert word in text
    assert "_secret" not in text
    assert "__init__" not in text or "load" in text


@pytest.mark.parametrize("pair", alike.PAIRS)
@pytest.mark.parametrize("turned", [False, True])
def test_promise_4_classes_that_are_alike_are_told_apart(pair: str, turned: bool) -> None:
    """The same names and the same code, seen again and again: what is remembered of one is not taken for another's."""
    one, other, surface, others = alike.PAIRS[pair]
    order = [(other, others), (one, surface)] if turned else [(one, surface), (other, others)]
    for kind, expected in order * 2:
        assert "\n".join(envpickle.describe(alike.alike(kind, next(NUMBERS))).surface) == expected
