"""A fork at any moment leaves a child that builds, loads, pickles, owns and closes, and a parent that does so too.

The points were chosen by reading the code: every place where a lock, a latch, a half-entered class or a half-made instance
would be inherited, and every place where the library runs a user's code.
"""

import pickle
from collections.abc import Iterator

import pytest
from harbour.forking import boat
from voyage.fresh import run

import envpickle

PROGRAM = """
import os, pickle, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)   # a threaded process forks here on purpose
from voyage.fresh import report
from harbour import forking
from harbour.forking import boat
import envpickle

where, manner, operation, late, foreign = sys.argv[1:]
late, foreign = bytes.fromhex(late), bytes.fromhex(foreign)
owner = envpickle.Owner()
held = []

def build():
    return boat(["under way", 1])

def load():
    return pickle.loads(late)

def pickled():
    return pickle.dumps([boat(["sent", 1]), boat(["sent", 1])("instance")])

def own():
    return owner.build(boat, ["owned", 1])

def construct():
    return held.append(own()(1)) or True

def drop():
    own()(2)
    return True

def close():
    mine = envpickle.Owner()
    kept = [mine.build(boat, "closing")(number) for number in range(3)]
    mine.close()
    return kept

def close_owner():
    return voyage.owner.close() or True

def hold():
    return held.append(pickle.loads(foreign)(3)) or True

def send():
    return pickle.dumps(envpickle.Owner().build(boat, "sent"))

def import_late():
    import harbour.forking_late
    return True

operations = dict(
    build=build, load=load, pickled=pickled, own=own, construct=construct, drop=drop, close=close, close_owner=close_owner,
    hold=hold, send=send, import_late=import_late,
)
only_once = operation == "close_owner" or (manner, where) == ("beside", "harbour.forking_late:<module>")
again = build if only_once else operations[operation]
voyage = forking.Voyage(where, manner, operations[operation], again)
if operation in ("close", "drop", "hold"):
    construct()   # what is parked is parked, so that only the operation itself is left
report(voyage.sail())
"""

POINTS = {
    "in a builder": ("harbour.forking:boat", "build"),
    "under the registry's lock": ("envpickle.runtime:Latch.__init__", "build"),
    "while a class is entered": ("envpickle.runtime:enter", "build"),
    "while a class is loaded": ("envpickle.payload:keep", "load"),
    "in an import": ("harbour.forking_late:<module>", "load"),
    "while a class is pickled": ("envpickle.reducing:checked", "pickled"),
    "in the pickling of an instance": ("harbour.forking:boat.<locals>.Boat.__reduce__", "pickled"),
    "while an owner takes a class": ("envpickle.ownership:Ownership.take", "own"),
    "in a constructor": ("harbour.forking:boat.<locals>.Boat.__init__", "construct"),
    "while an instance is allocated": ("envpickle.ownership:Ownership.allocated", "construct"),
    "in a finalizer": ("envpickle.ownership:_closing_del.<locals>.__del__", "drop"),
    "under an owner's gate": ("envpickle.closing:_closed", "close"),
    "while an instance is closed": ("harbour.forking:boat.<locals>.Boat._close", "close"),
    "under the lock of the listeners": ("envpickle.lifeline:_open", "send"),
    "under the lock of the lines": ("envpickle.lines:_Watch.__init__", "hold"),
    "while plugins are loaded ahead": ("envpickle.manager:manager", "hold"),
}

BYTES = """
import pickle
from voyage.fresh import report
from harbour.forking_late import late
report(pickle.dumps(late(1)).hex())
"""


@pytest.fixture(scope="module")
def sent() -> Iterator[list[str]]:
    """Bytes of classes that other processes made; the owner of the second lives."""
    with envpickle.Owner() as owner:
        yield [run(BYTES), pickle.dumps(owner.build(boat, "foreign")).hex()]


@pytest.mark.parametrize("manner", ["in", "beside"])
@pytest.mark.parametrize("point", POINTS)
def test_a_fork_there(sent: list[str], point: str, manner: str) -> None:
    """In it: the thread that is there forks. Beside it: another thread is there and stays, while the main thread forks."""
    where, operation = POINTS[point]
    seen = run(PROGRAM, where, manner, operation, *sent, quiet=False)

    well = {"again": True, "loaded": True, "built": True, "closed": [["mine", "theirs"], 1, True]}
    assert seen == {"reached": True, "child": well, "parent": well}


def test_a_fork_while_another_thread_closes_the_owner(sent: list[str]) -> None:
    """The child closes what it makes under that owner itself; it waits for no gate that a thread holds which is not there."""
    seen = run(PROGRAM, "envpickle.closing:_closed", "beside", "close_owner", *sent, quiet=False)

    done = {"again": True, "loaded": True, "built": True}
    assert seen == {
        "reached": True,
        "child": {**done, "closed": [["mine", "theirs"], 1, True]},
        "parent": {**done, "closed": [["mine"], 1, False]},
    }
