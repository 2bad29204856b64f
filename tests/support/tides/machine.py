"""The state machine: classes are built, changed, sent, loaded, dropped and closed in any order, and a model knows what must be.

The rules stand in `rules_*` modules, by what they do; this one holds the state they share.
"""

import collections
import gc
import importlib
import os
import time
import weakref
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

import envpickle
from envpickle import errors
from tides import shipyard, ways, weather
from tides.child import Child, Parcel
from tides.model import Call, Held, Latest, Owned, Sent

MOST = 8  # classes held at once; more are dropped, the oldest first
NUMBERS = iter(range(1000, 10**9))  # of owners and of instances that are held open; never the same again
COUNTED = {"steps": 0, "examples": 0, "refused": 0, "loaded": 0, "in the child": 0, "collected": 0, "closed": 0}
BY_RULE: collections.Counter[str] = collections.Counter()
AT = st.integers(0, MOST - 1)
_child: list[Child] = []


def child(fresh: bool = False) -> Child:
    """The warm child of this process; a new one if there is none, or `fresh` asks for it."""
    if fresh and _child:
        _child.pop().end()
    if not _child:
        _child.append(Child())
    return _child[0]


def end_child() -> None:
    """End the child, if there is one."""
    while _child:
        _child.pop().end()


class State(RuleBasedStateMachine):
    """The state of one run, and the questions every rule asks of it."""

    def __init__(self) -> None:
        super().__init__()
        COUNTED["examples"] += 1
        weather.MOOD[0] = False
        ways.forget_all()  # what the traceback of a failed example still holds
        if weather.VERSION[0]:
            self._reload(0)
        self.held: list[Held] = []
        self.ones: list[tuple[Any, Held, int]] = []  # instances that are held open, with their numbers
        self.sent: list[Sent] = []
        self.owners: list[Owned] = []
        self.latest: dict[Any, Latest] = {}
        self.seen: list[tuple[weakref.ref[type], str]] = []
        self.in_child = False  # whether anything went there
        self.failed = False
        self.log: list[str] = []  # the steps of this run

    @staticmethod
    def _reload(version: int) -> None:
        weather.VERSION[0] = version
        importlib.reload(shipyard)

    @property
    def version(self) -> int:
        """The version of the shipyard that is there now."""
        return weather.VERSION[0]

    def every(self) -> dict[int, Held]:
        """All that is known of classes which something here keeps alive, by the id of the class."""
        roots = [*self.held, *(held for _, held, _ in self.ones)]
        return {id(kin.cls): kin for root in roots for kin in root.around()}

    def pick(self, at: int) -> Held:
        """One of the classes held."""
        return self.held[at % len(self.held)]

    def note(self, cls: Any, call: Call, mood: bool | None = None) -> Held:
        """What is known of a class that a call gave just now; it is held from now on."""
        known = self.every().get(id(cls))
        if known is None:
            inner = None
            if call.inner is not None:
                inner = self.note(cls.__dict__["inner"] if call.kind == "holding" else cls.__bases__[0], call.inner)
            known = Held(cls, call, self.version, weather.MOOD[0] if mood is None else mood, inner)
            self.latest[call.key] = Latest(weakref.ref(cls), known.version, known.mood)
            self.seen.append((weakref.ref(cls), str(call)))
        if all(known is not held for held in self.held):
            self.hold(known)
        return known

    def hold(self, known: Held) -> None:
        """Hold a class; of too many the oldest is let go of, as it was made: it may be met again before it is collected."""
        self.held.append(known)
        while len(self.held) > MOST:
            oldest = self.held.pop(0)
            while oldest.changes:
                oldest.changes.popitem()[1].take_back()

    def home(self, call: Call) -> type | None:
        """The class of this process that a call must give, if there is one."""
        latest = self.latest.get(call.key)
        return latest.ref() if latest is not None and latest.version == self.version else None

    def told(self, held: Held) -> Callable[[int], str]:
        """What an instance of a class must say."""
        call, version = held.call, held.version
        return lambda number: ways.expected(call.kind, call.shape, call.text, version, number)

    def check_arrived(self, sent: Sent, got: Any, before: type | None) -> Held:
        """Look at what was loaded at home; `before` is the class that was there."""
        changed = False
        cls = ways.WRAPS[sent.wrap][1](got)[0]
        if before is not None:
            assert cls is before, f"{cls!r} came home, and {before!r} was there"
        else:
            assert id(cls) not in self.every(), f"{cls!r} was there, and is not what the call gives now"
        held = self.note(cls, sent.call, sent.mood)
        changed = held.changed()
        if not changed:
            ways.checked(sent.wrap, got, self.told(held), sent.number)
        COUNTED["loaded"] += 1
        return held

    def parcel(self, sent: Sent) -> Parcel:
        """What the child is told of what it is sent."""
        call = sent.call
        return Parcel(sent.tool, sent.payload, sent.wrap, call.kind, call.shape, call.text, sent.number)

    def refused(self, error: str, action: Callable[[], Any], *others: str) -> None:
        """The action must end in that error, or in one of the others, and leave nothing of it behind."""
        try:
            got = repr(action())[:200]
        except Exception as raised:
            got = f"{type(raised).__name__}: {raised}"
            fits = isinstance(raised, tuple(getattr(errors, name) for name in (error, *others)))
            raised.__traceback__ = raised.__context__ = raised.__cause__ = None
            if fits:
                COUNTED["refused"] += 1
                if error == "RebuildMismatch":
                    gc.collect()  # the class that was made and found to be another is a cycle, as every class is
                return
        raise AssertionError(f"{error} was to be raised, and not {got}")

    def unwanted(self) -> list[str]:
        """The classes that are here, though nothing the model knows of keeps them alive."""
        wanted = self.every()
        here = [(ref(), name) for ref, name in self.seen]
        return [name for cls, name in here if cls is not None and id(cls) not in wanted]

    def collect(self) -> None:
        """Collect, and see that nothing is left but what is held; an instance of an owner's is closed by a thread first."""
        deadline = time.monotonic() + 20
        gc.collect()
        while left := self.unwanted():
            patient = time.monotonic() < deadline and any("of an owner" in name for name in left)  # with what derives from it
            assert patient, f"nothing holds them, and they were not collected: {left}"
            time.sleep(0.005)
            gc.collect()
        gone = len(self.seen)
        self.seen[:] = [entry for entry in self.seen if entry[0]() is not None]
        COUNTED["collected"] += gone - len(self.seen)

    def nobody_elses_instances_are_closed(self) -> None:
        """Of the instances that are held, those of closed owners are closed, and no others."""
        for one, held, number in self.ones:
            if number in weather.CLOSED and not any(owned.closed for owned in held.call.owners()):
                raise AssertionError(f"{number}, {one!r} of {held.call}, {id(one):x}, was closed: {weather.CLOSED[number]}")

    def teardown(self) -> None:
        """Let go of everything, here and in the child, and see that it goes."""
        self.held.clear()
        self.ones.clear()
        for owned in self.owners:
            owned.owner.close()
        self.owners.clear()
        if self.failed:
            end_child()
            return
        try:
            self.collect()
            left = child().ask("drop")
            assert not left, f"in the child nothing holds them, and they were not collected: {left}"
        except Exception:
            importlib.import_module("tides.counting").end_at_once(self)
            raise
        weather.CLOSED.clear()


def needs_classes(state: Any) -> bool:
    """A precondition: there is a class to do something with."""
    return bool(state.held)


def needs_parcels(state: Any) -> bool:
    """A precondition: something was sent."""
    return bool(state.sent)


def has_lifeline() -> bool:
    """Whether closing an owner reaches other processes."""
    return importlib.util.find_spec("envpickle.lifeline") is not None and os.name == "posix" and envpickle is not None
