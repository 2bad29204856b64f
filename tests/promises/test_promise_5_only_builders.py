"""Promise 5: a descriptor can only call a builder, and with an allow-list only a listed one; code is never run to find out."""

import gc
import pickle
import sys

import pytest
from harbour import docks
from voyage.forge import forged, one_piece
from voyage.fresh import run

import envpickle
from envpickle import errors


def renamed(name: str) -> bytes:
    """A descriptor whose key and checksum are right, naming another builder."""
    module, _, qualname = name.partition(":")
    return one_piece(forged(module, qualname))


def test_promise_5_the_forger_writes_what_we_write() -> None:
    """An unchanged forged descriptor is the real one, so that the refusals below are about what was changed."""
    cls = docks.lighthouse(5)

    assert renamed("harbour.docks:lighthouse") == envpickle.describe(cls).to_bytes()
    assert envpickle.rebuild(renamed("harbour.docks:lighthouse")) is cls


NOT_BUILDERS = [
    "os:system",
    "builtins:eval",
    "builtins:exec",
    "harbour.docks:make_method",
    "harbour.docks:RUNS",
    "harbour.docks:lighthouse.fn",
    "harbour.docks:envpickle.builder",
    "harbour.docks:missing",
    "harbour.reexport:borrowed",
    "harbour.reexport:docks.lighthouse",
    "harbour.reexport:os.system",
    "harbour.reexport:subprocess.Popen",
    "harbour.nowhere:lighthouse",
    "nowhere_at_all:lighthouse",
    "envpickle:rebuild",
    "envpickle.payload:rebuild_class",
    "pickle:loads",
]
NOT_NAMES = [
    "harbour.docks:lighthouse.__call__",
    "harbour.docks:lighthouse.__class__",
    "harbour.docks:__builtins__.eval",
    "",
    ":",
    "os",
    "os:",
    ":system",
    "harbour.docks.lighthouse",
    "harbour.docks:lighthouse ",
    " harbour.docks:lighthouse",
    "harbour.docks:lighthouse\n",
    "harbour.docks\x00:lighthouse",
    "harbour.docks:lighthouse\x00",
    "harbour..docks:lighthouse",
    ".docks:lighthouse",
    "harbour.docks:.lighthouse",
    "harbour/docks:lighthouse",
    "../harbour/docks:lighthouse",
    "h\u0430rbour.docks:lighthouse",
    "harbour.docks:l\u0456ghthouse",
    "harbour.docks:\uff4cighthouse",
    "harbour.docks:<lambda>",
    "harbour.docks:f.<locals>.lighthouse",
    "harbour.docks:" + "l" * 1_000_000,
    "h" * 1_000_000 + ":lighthouse",
    ".".join("a" * 100_000) + ":lighthouse",
    "harbour.docks:" + ".".join(["lighthouse"] * 1000),
    "1os:system",
]


@pytest.mark.parametrize("name", NOT_BUILDERS)
def test_promise_5_what_is_not_a_builder_is_not_called(name: str) -> None:
    """A name that leads to anything but a builder of that very name is refused."""
    data = renamed(name)
    docks.reset_runs()

    with pytest.raises(errors.EnvpickleError) as caught:
        envpickle.rebuild(data)
    assert docks.RUNS == []
    assert isinstance(caught.value, errors.RebuildError)
    assert name.split(":")[0] in str(caught.value)


@pytest.mark.parametrize("name", NOT_NAMES, ids=lambda name: ascii(name)[:40])
def test_promise_5_what_is_not_a_name_is_refused_before_any_import(name: str) -> None:
    """A name that is not `module:qualname` in ordinary ASCII identifiers is refused: no import, and a short message."""
    envpickle.rebuild(renamed("harbour.docks:lighthouse"))
    before = set(sys.modules)

    with pytest.raises(errors.EnvpickleError) as caught:
        envpickle.rebuild(renamed(name))
    assert set(sys.modules) == before
    assert len(str(caught.value)) < 2000


ALLOWED = "harbour.docks:dock"


def test_promise_5_the_allow_list_lets_pass_what_it_names() -> None:
    """A listed builder is called, from bytes and from a spec."""
    spec = envpickle.describe(docks.dock(["allowed"]))
    gc.collect()

    cls = envpickle.rebuild(spec.to_bytes(), allow=[ALLOWED])
    assert envpickle.rebuild(spec, allow=["x.y:z", ALLOWED]) is cls
    assert cls is docks.dock(["allowed"])


@pytest.mark.parametrize("allow", [[], ["harbour.docks"], ["harbour.docks:doc"], ["harbour.docks:*"], ["dock"]])
def test_promise_5_the_allow_list_is_exact(allow: list[str]) -> None:
    """Only the exact pair is on the list; an empty list allows nothing; the refusal names the builder."""
    spec = envpickle.describe(docks.dock(["refused"]))
    gc.collect()
    docks.reset_runs()

    with pytest.raises(errors.NotAllowed, match=ALLOWED):
        envpickle.rebuild(spec.to_bytes(), allow=allow)
    assert docks.RUNS == []


def test_promise_5_the_allow_list_also_guards_a_live_class() -> None:
    """A class that lives is not handed out to whoever may not build it."""
    cls = docks.dock(["alive"])

    with pytest.raises(errors.NotAllowed):
        envpickle.rebuild(envpickle.describe(cls), allow=["other:thing"])


def test_promise_5_the_allow_list_reaches_into_arguments() -> None:
    """Functions, classes and nested specs in the arguments are checked before anything is imported."""
    inner = docks.dock(["inside"])
    spec = envpickle.describe(docks.lighthouse([inner, docks.make_method]))
    mine = "harbour.docks:lighthouse"

    for allow in ([mine], [mine, ALLOWED], [mine, "harbour.docks:make_method"]):
        with pytest.raises(errors.NotAllowed):
            envpickle.rebuild(spec.to_bytes(), allow=allow)
    cls = envpickle.rebuild(spec.to_bytes(), allow=[mine, ALLOWED, "harbour.docks:make_method"])
    assert cls.value() == [inner, docks.make_method]


def test_promise_5_the_allow_list_is_checked_before_import() -> None:
    """A builder's module that is not on the list is never imported, one that is on it is."""
    verdict = run(TRIPWIRE)

    assert verdict == {"refused": "NotAllowed", "imported": False, "then": "Trap", "after": True}


TRIPWIRE = r"""
import os, subprocess, sys
from voyage.fresh import report
make = "import envpickle, sys; from harbour.tripwire import trap; " \
       "sys.stdout.buffer.write(envpickle.describe(trap(3)).to_bytes())"
payload = subprocess.run([sys.executable, "-c", make], capture_output=True, check=True).stdout
import envpickle
try:
    envpickle.rebuild(payload, allow=["harbour.docks:dock"])
    refused = None
except envpickle.errors.EnvpickleError as error:
    refused = type(error).__name__
imported = "harbour.tripwire" in sys.modules or "VOYAGE_TRIPPED" in os.environ
cls = envpickle.rebuild(payload, allow=["harbour.tripwire:trap"])
report(dict(refused=refused, imported=imported, then=cls.__name__, after="harbour.tripwire" in sys.modules))
"""


def test_promise_5_a_restricted_unpickler_needs_one_name() -> None:
    """Plain pickle's allow-list recipe works with the one documented function and no other name of ours."""
    import io

    cls = docks.dock(["narrow"])

    class Narrow(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> object:
            assert (module, name) == ("envpickle.payload", "rebuild_class")
            return super().find_class(module, name)

    assert Narrow(io.BytesIO(pickle.dumps([cls, cls]))).load() == [cls, cls]
