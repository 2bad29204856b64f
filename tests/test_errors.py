"""Every error: raised by what it is for, caught as what callers catch, whole after a pickle, and clear about what to do."""

import gc
import itertools
import os
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
from harbour import changing, crossed, docks, instances, moody, owned, refused
from voyage import scripts
from voyage.fresh import run

import envpickle
from envpickle import errors

NUMBERS = itertools.count(10_000)


def _changed() -> None:
    cls = changing.crane("for errors")
    cls.number = 2
    pickle.dumps(cls)


def _builder_changed() -> None:
    cls = docks.replaced("x")
    original, docks.replaced = docks.replaced, None  # type: ignore[assignment]
    try:
        pickle.dumps(cls)
    finally:
        docks.replaced = original


def _mismatch() -> None:
    moody.MOOD[0] = "as described"
    data = envpickle.describe(moody.moody(next(NUMBERS))).to_bytes()
    gc.collect()
    moody.MOOD[0] = "method added"
    try:
        envpickle.rebuild(data)
    finally:
        moody.MOOD[0] = "as described"


def _not_found() -> None:
    cls = docks.replaced("y")
    data = envpickle.describe(cls).to_bytes()
    del cls
    gc.collect()
    original = docks.replaced
    del docks.replaced
    try:
        envpickle.rebuild(data)
    finally:
        docks.replaced = original


def _closed() -> None:
    owner = envpickle.Owner()
    cls = owner.build(owned.closable, ["_close"])
    owner.close()
    cls()


def _secret() -> None:
    os.environ.pop("HARBOUR_MISSING", None)
    envpickle.Secret("HARBOUR_MISSING").resolve()


RAISED: dict[str, tuple[Callable[[], Any], type[BaseException], str]] = {
    "BuilderError": (lambda: refused.returns("none"), TypeError, r"returns.*NoneType|returns.*None"),
    "AdoptionError": (lambda: refused.set_name(), TypeError, r"Kept.*metaclass=envpickle\.RuntimeType"),
    "BuildCycleError": (lambda: crossed.selfish(5), RuntimeError, "selfish"),
    "RegistrationError": (lambda: envpickle.register(type("Unknown", (), {})), ValueError, "Unknown.*builder"),
    "NotPlainData": (lambda: pickle.dumps(docks.lighthouse(object())), pickle.PicklingError, r"lighthouse\(value.*object"),
    "ClassChanged": (_changed, pickle.PicklingError, "crane.*number"),
    "UnknownClass": (
        lambda: pickle.dumps(type("Sub", (docks.dock(["x"]),), {"extra": 1})),
        pickle.PicklingError,
        "Sub.*extra",
    ),
    "BuilderChanged": (_builder_changed, pickle.PicklingError, "replaced"),
    "InstanceRefused": (
        lambda: pickle.dumps(instances.reducing("document")("x")),
        pickle.PicklingError,
        "Reducing.*__reduce__",
    ),
    "DescriptorError": (lambda: envpickle.rebuild(b"no descriptor"), pickle.UnpicklingError, "descriptor"),
    "BuilderNotFound": (_not_found, pickle.UnpicklingError, r"harbour\.docks.*replaced"),
    "NotAllowed": (
        lambda: envpickle.rebuild(envpickle.describe(docks.dock(["x"])), allow=[]),
        pickle.UnpicklingError,
        r"harbour\.docks:dock.*allow",
    ),
    "UnsafePickle": (
        lambda: envpickle.loads(b"cos\nsystem\n(S'true'\ntR.", allow=[]),
        pickle.UnpicklingError,
        r"os:system.*allow=",
    ),
    "RebuildMismatch": (_mismatch, pickle.UnpicklingError, "moody.*drop"),
    "OwnerClosed": (_closed, RuntimeError, "Closable.*clos"),
    "SecretMissing": (_secret, LookupError, "HARBOUR_MISSING"),
}
ELSEWHERE = {
    "ScriptBuilderRefused": "tests/test_script.py",
    "ScriptMismatch": "tests/test_script.py",
    "PluginError": "below and with the plugin manager",
    "EnvpickleError": "the root",
    "PickleRefused": "a branch",
    "RebuildError": "a branch",
}


def caught(name: str) -> BaseException:
    """The error of that name, raised by what it is for."""
    with pytest.raises(getattr(errors, name)) as info:
        RAISED[name][0]()
    assert type(info.value).__name__ == name
    return info.value


@pytest.mark.parametrize("name", RAISED)
def test_each_leaf_is_raised_and_says_what_and_which(name: str) -> None:
    """The message names the object and the reason, in one readable piece."""
    error = caught(name)

    assert re.search(RAISED[name][2], str(error), re.DOTALL), str(error)
    assert 40 < len(str(error)) < 1500
    assert str(error) == error.args[0]


@pytest.mark.parametrize("name", RAISED)
def test_each_leaf_is_what_callers_catch(name: str) -> None:
    """A caller that catches Python's own error catches ours."""
    assert isinstance(caught(name), RAISED[name][1])
    assert isinstance(caught(name), errors.EnvpickleError)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("name", RAISED)
def test_each_leaf_survives_pickle(name: str, protocol: int) -> None:
    """Type, text and attributes come back, and the attributes are plain values."""
    error = caught(name)
    back = pickle.loads(pickle.dumps(error, protocol))

    assert type(back) is type(error)
    assert (str(back), back.args) == (str(error), error.args)
    assert vars(back) == vars(error)
    assert all(isinstance(value, str | int | float | bool | tuple | type(None)) for value in vars(error).values())


def test_the_script_errors_survive_pickle() -> None:
    """The refusal of a script's builder is raised and comes back whole too."""
    text = (
        scripts.GUARDED
        + """
    try:
        pickle.dumps(cls)
    except envpickle.errors.ScriptBuilderRefused as error:
        back = pickle.loads(pickle.dumps(error))
        report([type(back).__name__, str(back) == str(error), isinstance(error, pickle.PicklingError)])
"""
    )
    assert run(text) == ["ScriptBuilderRefused", True, True]


def test_every_error_is_tested() -> None:
    """No error of the module is without a test, and each is exported once."""
    names = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, BaseException)}

    assert names == set(RAISED) | set(ELSEWHERE)
    assert names <= set(errors.__all__)


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_every_error_can_be_made_from_its_text(name: str) -> None:
    """Errors take one text, so that they can be pickled, chained and shown by anyone."""
    error = getattr(errors, name)("text")

    assert str(pickle.loads(pickle.dumps(error))) == "text"


def test_mistakes_in_a_call_are_told_at_once() -> None:
    """Wrong kinds of argument are refused by name, and never end in an AttributeError deep inside."""
    for call in (
        lambda: envpickle.describe(int),
        lambda: envpickle.describe(5),  # type: ignore[arg-type]
        lambda: envpickle.describe(docks.dock(["x"])()),
        lambda: envpickle.rebuild("text"),  # type: ignore[arg-type]
        lambda: envpickle.rebuild(None),  # type: ignore[arg-type]
        lambda: envpickle.register(5),  # type: ignore[arg-type]
        lambda: envpickle.register(int, docks.dock, ["x"]),
        lambda: envpickle.unregister(int),
        lambda: envpickle.enable("nothing"),
        lambda: envpickle.disable("nothing"),
        lambda: envpickle.Owner().build(len),  # type: ignore[arg-type]
        lambda: envpickle.Secret(""),
        lambda: envpickle.Secret(5),  # type: ignore[arg-type]
    ):
        with pytest.raises((errors.EnvpickleError, TypeError, ValueError)) as info:
            call()
        assert len(str(info.value)) > 20
