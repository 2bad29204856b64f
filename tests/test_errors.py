"""Every error: raised by what it is for, caught as what callers catch, whole after a pickle, and clear about what to do."""

import gc
import itertools
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harbour import changing, crossed, docks, instances, moody, owned, refused
from voyage import scripts, telling
from voyage.fresh import run

import envpickle
from envpickle import beside, errors, payload

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


def _taken() -> None:
    held = docks.dock(["taken"])
    envpickle.register(type("Unknown", (), {}), docks.dock, ["taken"])
    del held


def _unreachable() -> None:
    beside.refuse_unreachable(["dock_env"])  # as for a builder of this very script, which is pytest's


def _other_script() -> None:
    call = payload.Call("__main__", "dock_env", b"x" * 16, None, 0, [], [])
    head, parts = payload.lay_out(call, "Dock", "")
    payload.rebuild_class(head, *(part.data for part in parts))


def _switched_off() -> None:
    import dill

    cls = docks.dock(["x"])
    envpickle.disable("dill")
    try:
        dill.dumps(cls)
    finally:
        envpickle.enable("dill")


RAISED: dict[str, tuple[Callable[[], Any], type[BaseException], str]] = {
    "BuilderError": (lambda: refused.returns("none"), TypeError, r"returns.*NoneType|returns.*None"),
    "AdoptionError": (lambda: refused.set_name(), TypeError, r"Kept.*metaclass=envpickle\.RuntimeType"),
    "BuildCycleError": (lambda: crossed.selfish(5), RuntimeError, "selfish"),
    "RegistrationError": (_taken, ValueError, "Unknown.*too"),
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
    "BuilderNotFound": (_not_found, pickle.UnpicklingError, r"harbour\.docks.*replaced.*leads to nothing there"),
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
    "ScriptBuilderRefused": (_unreachable, pickle.PicklingError, "dock_env"),
    "ScriptMismatch": (_other_script, pickle.UnpicklingError, "dock_env"),
    "PluginError": (lambda: envpickle.enable("nothing"), RuntimeError, "nothing"),
    "PickleRefused": (_switched_off, pickle.PicklingError, r"harbour\.docks.*Dock"),
}
BRANCHES = ("EnvpickleError", "RebuildError")  # nothing raises these themselves: below it is seen that nothing does


def caught(name: str) -> BaseException:
    """The error of that name, raised by what it is for."""
    with pytest.raises(getattr(errors, name)) as info:
        RAISED[name][0]()
    assert type(info.value).__name__ == name
    return info.value


@pytest.mark.parametrize("name", RAISED)
def test_each_error_says_what_which_why_and_what_next(name: str) -> None:
    """The message names the object, says what happened and why, and gives an advice, in one readable piece."""
    error = caught(name)

    assert telling.faults(str(error), RAISED[name][2]) == []
    assert 40 < len(str(error)) < 1500
    assert str(error) == error.args[0]


@pytest.mark.parametrize("name", RAISED)
def test_each_error_is_what_callers_catch(name: str) -> None:
    """A caller that catches Python's own error catches ours."""
    assert isinstance(caught(name), RAISED[name][1])
    assert isinstance(caught(name), errors.EnvpickleError)


@pytest.mark.parametrize("name", RAISED)
def test_each_error_survives_pickle(name: str) -> None:
    """Type, text and attributes come back by every protocol and by cloudpickle, and the attributes are plain values."""
    assert telling.changed_by_pickling(caught(name)) == []


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: envpickle.describe(3), r"^describe takes a class, not 3\. For an instance, pass its class\."),  # type: ignore[arg-type]
        (lambda: envpickle.describe(int), r"was not made by a builder.*envpickle\.register\(cls\)"),
        (lambda: envpickle.torch_safe_globals(3), r"takes classes, not 3; for an instance, name its class"),  # type: ignore[arg-type]
        (lambda: docks.replaced(), r"^replaced\(\): missing a required argument: '"),
        (lambda: refused.forgotten_return(), r"returned None, not a class"),
        (lambda: pickle.dumps(docks.replaced(object())), r"a descriptor cannot hold it \(its type is builtins\.object\)"),
        (lambda: pickle.dumps(docks.replaced(refused.Text("x"))), r"its class derives from str, and a descriptor cannot"),
    ],
)
def test_a_small_mistake_is_answered_with_what_was_meant(call: Callable[[], Any], says: str) -> None:
    """What newcomers do first: an instance for a class, a builder without its return, an object among the arguments."""
    with pytest.raises((errors.EnvpickleError, TypeError), match=says):
        call()


def test_a_poor_message_is_noticed() -> None:
    """The form is one that can be missed: no object, no advice, or nothing but advice."""
    assert telling.faults("it went wrong somewhere in the middle of it. Use another.", "Dock") != []
    assert telling.faults("the class Dock was made at run time by no builder.", "Dock") != []
    assert telling.faults("Use Dock.", "Dock") != []
    assert telling.faults("the class Dock was made at run time by no builder. Use another.", "Dock") == []


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

    assert names == set(RAISED) | set(BRANCHES)
    assert names <= set(errors.__all__)


@pytest.mark.parametrize("name", BRANCHES)
def test_nothing_raises_a_branch(name: str) -> None:
    """What has leaves is caught, and never raised itself; made from a text it comes back from a pickle all the same."""
    raised = re.compile(rf"\b{name}\(\s*[frbu]*[\"'\w]")
    sources = Path(envpickle.__file__).parent.rglob("*.py")
    assert not [str(path) for path in sources if raised.search(re.sub(r"class \w+\(.*", "", path.read_text("utf-8")))]

    assert telling.changed_by_pickling(getattr(errors, name)("text")) == []


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
