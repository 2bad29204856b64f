"""Hostile descriptors with right keys and checksums are refused: nothing imported, opened or run, memory bounded."""

from typing import Any

import pytest
from voyage import hostile
from voyage.fresh import run

PROGRAM = """
import sys
from voyage import hostile, watched
from voyage.fresh import report
import envpickle
from envpickle.payload import rebuild_class

bad, pieces = hostile.descriptors(), hostile.pieces()
late = ("name: re-exported", "name: dunder", "name: through", "name: raw", "value: ",   # these name modules that exist
        "shape: another surface", "shape: another class", "shape: argument", "shape: 1 MB class name")
if sys.argv[1] == "here":
    import datetime, decimal, fractions, pathlib, subprocess, uuid, zoneinfo
    from harbour import cargo, docks, reexport
    docks.reset_runs()
else:
    bad = {name: found for name, found in bad.items() if not name.startswith(late)}
    pieces = {name: found for name, found in pieces.items() if not name.startswith(late)}
watched.warm_up()
before = set(sys.modules)
for descriptor in bad.values():   # once, so that what refusing them needs of ours is imported; nothing else may be
    watched.attempt(lambda: rebuild_class(*descriptor))
imported = sorted(name for name in set(sys.modules) - before if not name.startswith("envpickle."))
watched.install()
watched.limit_memory(300 << 20)
found = {}
for name, descriptor in bad.items():
    found["head: " + name] = watched.attempt(lambda: rebuild_class(*descriptor))
for name, data in pieces.items():
    found["bytes: " + name] = watched.attempt(lambda: envpickle.rebuild(data))
    found["allow: " + name] = watched.attempt(lambda: envpickle.rebuild(data, allow=["harbour.docks:lighthouse"]))
ran = sys.modules["harbour.docks"].RUNS if "harbour.docks" in sys.modules else []
report(dict(wrong={k: v for k, v in found.items() if v}, count=len(found), events=watched.events[:20], ran=ran,
            imported=imported))
"""


@pytest.fixture(scope="module")
def seen() -> Any:
    """All hostile descriptors tried in a fresh interpreter: in one that has the modules they name, and in one that has not."""
    return {place: run(PROGRAM, place, seconds=110) for place in ("here", "fresh")}


@pytest.mark.parametrize("place", ["here", "fresh"])
def test_hostile_descriptors_are_refused(seen: Any, place: str) -> None:
    """Each is an EnvpickleError; the builder does not run on any of them."""
    assert seen[place]["wrong"] == {}
    assert seen[place]["count"] >= 3 * 60
    assert len(seen[place]["ran"]) <= 6, "a builder ran for more than those whose surface or name alone is wrong"


def test_nothing_is_imported_opened_or_run(seen: Any) -> None:
    """The audit hook saw nothing in a process that has none of the modules they name; where they are, nothing new came."""
    for place in ("fresh", "here"):
        assert seen[place]["imported"] == []
        assert seen[place]["events"] == []


def test_there_are_more_than_twenty() -> None:
    """The list is as long as was promised, and no two of it are the same bytes."""
    found = hostile.descriptors()

    assert len(found) > 80
    assert len(set(found.values())) >= len(found) - 2


SPEED = """
import time
from voyage import hostile, watched
from voyage.fresh import report
from envpickle.payload import rebuild_class
watched.warm_up()
from voyage.forge import value_forged
import envpickle

def taken(descriptor):
    begun = time.perf_counter()
    watched.attempt(lambda: rebuild_class(*descriptor))
    return time.perf_counter() - begun

honest = max(taken(value_forged([text] * 16_000)) for text in ("x" * 30, "y" * 30, "z" * 30))
report({name: taken(descriptor) / honest for name, descriptor in hostile.descriptors().items()})
"""


def test_no_hostile_descriptor_takes_long() -> None:
    """None takes more than some times what an honest descriptor near the limits takes: no blow-up hides in a few bytes."""
    ratios = run(SPEED, seconds=110)

    assert {name: ratio for name, ratio in ratios.items() if ratio > 25} == {}
