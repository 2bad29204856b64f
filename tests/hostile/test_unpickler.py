"""What an attacker would put into a pickle is refused by the allow-listed unpickler: nothing imported, opened or run."""

import ast
from pathlib import Path
from typing import Any

import pytest
from voyage import attacks
from voyage.fresh import run

PROGRAM = """
import io, sys, time
from voyage import attacks, watched
from voyage.fresh import report
import envpickle

watched.warm_up()
for name, data in attacks.ATTACKS.items():   # once, so that what refusing them needs of ours is imported
    if len(data) < 10_000 and name not in attacks.LATE:
        watched.attempt(lambda: envpickle.loads(data, allow=attacks.ALLOW))
        watched.attempt(lambda: envpickle.inspect(data, allow=attacks.ALLOW))
ours = ("harbour", "harbour.light")
imported = sorted(name for name in sys.modules if name.startswith("harbour") and name not in ours)
for name in attacks.LATE:
    watched.attempt(lambda: envpickle.loads(attacks.ATTACKS[name], allow=attacks.ALLOW))
watched.install()
watched.limit_memory(700 << 20)
found, slow, inspected = {}, {}, {}
for name, data in attacks.ATTACKS.items():
    begun = time.process_time()
    found[name] = watched.attempt(lambda: envpickle.loads(data, allow=attacks.ALLOW))
    if len(data) < 1_000_000:
        unpickler = envpickle.Unpickler(io.BytesIO(data), allow=attacks.ALLOW)
        found[name + ", from a file"] = watched.attempt(unpickler.load)
    with watched.watching():
        seen = envpickle.inspect(data, allow=attacks.ALLOW)
        inspected[name] = bool(seen.allowed)
        assert str(seen) and seen.to_json()
    slow[name] = time.process_time() - begun
del found["nothing, from a file"]  # an end of file, as pickle has it
report(dict(wrong={k: v for k, v in found.items() if v}, count=len(found), events=watched.events[:20], imported=imported,
            allowed=[k for k, v in inspected.items() if v], slow={k: v for k, v in slow.items() if v > 60}))
"""


@pytest.fixture(scope="module")
def seen() -> Any:
    return run(PROGRAM, seconds=110)


def test_attacks_are_refused(seen: Any) -> None:
    """Each is an EnvpickleError, from bytes and from a file, under a limit of memory."""
    assert seen["wrong"] == {}
    assert seen["count"] > 170


def test_nothing_is_imported_opened_or_run(seen: Any) -> None:
    """The audit hook saw nothing. No module they name was imported, allowed ones included, where names alone tell enough."""
    assert seen["events"] == []
    assert seen["imported"] == []


def test_the_inspection_agrees(seen: Any) -> None:
    """What the unpickler refuses, the inspection does not call allowed, as far as that can be told without importing."""
    assert set(seen["allowed"]) == attacks.LATE
    assert seen["slow"] == {}


def test_each_attack_has_its_own_bytes() -> None:
    assert len(set(attacks.ATTACKS.values())) == len(attacks.ATTACKS)
    assert ast.parse(Path(attacks.__file__).read_text())  # written out, and not made by chance


OFTEN = """
import pickle, time
from voyage.fresh import report
import envpickle
from harbour import docks
from voyage import attacks, forge

big = docks.lighthouse(["x" * 900] * 1000)
head, parts = envpickle.describe(big).descriptor()
memo = b"\\x80\\x04cenvpickle.payload\\nrebuild_class\\nq\\x00(" + b"".join(map(attacks.blob, (head, *parts))) + b"tq\\x010"
often = memo + b"h\\x00h\\x01R0" * 100_000 + b"N."
begun = time.process_time()
found = envpickle.inspect(often, allow=["harbour.docks:lighthouse"])
assert found.allowed and [d.count for d in found.pickles[0].descriptors] == [100_000], str(found)[:2000]
seconds = time.process_time() - begun
code = b"\\x80\\x04N."
for _ in range(6):   # code that asks 40 times for a class whose code asks 40 times for ...
    pieces = forge.forged("envpickle.makers.by_value", "by_value", positional=1, keywords=(), values=[forge.packed(code)])
    asked = b"cenvpickle.payload\\nrebuild_with_code\\nq\\x00(" + b"".join(map(attacks.blob, pieces)) + b"tq\\x010"
    code = b"\\x80\\x04" + asked + b"h\\x00h\\x01R0" * 40 + b"N."
begun = time.process_time()
text = str(envpickle.inspect(code))
report([seconds, time.process_time() - begun, len(text)])
"""


def test_a_descriptor_that_is_asked_for_very_often_is_read_once() -> None:
    """Neither that nor code within code within code multiplies the work."""
    seconds, nested, length = run(OFTEN, seconds=110)
    assert seconds < 60
    assert nested < 60
    assert length < 10_000_000
