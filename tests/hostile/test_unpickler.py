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
