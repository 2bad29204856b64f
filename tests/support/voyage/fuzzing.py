"""Very many bad inputs to the three readers of foreign bytes, in one process, watched from outside and from inside.

What must hold of each input: the reader of descriptors and the allow-listed unpickler answer with an object or with an error of
ours; the inspector never raises; nothing is imported, opened, compiled or run for an input that is refused; the memory stays
under a limit; and every name that Python's own unpickler asks for (tried with one that gives out dummies) is in the inspection.
"""

import contextlib
import datetime
import decimal
import io
import pickle
import sys
import time
import uuid
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict, deque
from typing import Any

import envpickle
from envpickle import errors
from voyage import watched
from voyage.mutating import Changer, good_pickles

TARGETS = ("descriptors", "inspector", "unpickler")
ALLOW = ("harbour.docks:dock", "harbour.docks:lighthouse", "harbour.cargo:Point", "harbour.cargo:Colour")
STRICTER = ("frame", "memo", "nests", "buffer", "follow", "steps")  # of what the inspection speaks where unpicklers may go on
MEMORY = 300 << 20  # bytes beyond what the process has at the start


def corpus() -> tuple[list[bytes], list[bytes], list[type]]:
    """Good pickles and good descriptors to begin with, and the classes of these, so that they live on."""
    from harbour import cargo, docks

    dock, owner = docks.dock(["lift"]), envpickle.Owner()
    classes = [dock, docks.lighthouse({"a": [1, (2.5, None)], "b": {"x"}}), docks.lighthouse([dock, docks.make_method])]
    classes.append(owner.build(docks.lighthouse, 2**70))
    shared = [1]
    values = [
        None,
        True,
        7,
        2**80,
        1.5,
        "text",
        b"bytes",
        bytearray(b"more"),
        (1, (2, "x")),
        [shared, shared],
        {"a": {1, 2}},
        frozenset([3]),
        1j,
        range(3),
        slice(1, 2),
        OrderedDict(a=1),
        deque([1], 3),
        Counter("aab"),
        decimal.Decimal("1.5"),
        uuid.UUID(int=5),
        datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        cargo.Point(1, 2),
        ValueError("x"),
        dock,
        [dock, dock()],
        classes[1],
        [classes[2], {"k": classes[3]}],
    ]
    return good_pickles(values), [envpickle.describe(cls).to_bytes() for cls in classes], classes


class Dummy:
    """What every name leads to when Python's own unpickler is asked which names it would look up."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Dummy()

    def append(self, item: Any) -> None:
        """Whatever a pickle puts into it."""

    add = append

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        pass


class Asking(pickle.Unpickler):
    """Python's own unpickler, which notes the names it looks up and gets dummies."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.asked: list[tuple[str, str]] = []

    def find_class(self, module: str, name: str) -> Any:
        self.asked.append((module, name))
        return Dummy

    def persistent_load(self, pid: Any) -> Any:
        return Dummy()


def names_asked(data: bytes) -> list[tuple[str, str]]:
    """The names that Python's own unpickler looks up in a pickle, as far as it gets."""
    unpickler = Asking(data)
    with contextlib.suppress(Exception):  # whatever it says to a broken one
        unpickler.load()
    return unpickler.asked


def as_of_python_3(module: str, name: str) -> tuple[str, str]:
    """What an old protocol's name means today, in the words of the standard library."""
    return NAME_MAPPING.get((module, name)) or (IMPORT_MAPPING.get(module, module), name)


def read_descriptor(data: bytes) -> str:
    """Read as a descriptor, and rebuild against an empty list: "" if it was refused both times, else what it is."""
    try:
        spec = envpickle.Spec.from_bytes(data)
    except errors.EnvpickleError:
        return ""
    if spec.to_bytes() != data or envpickle.Spec.from_json(spec.to_json()).to_bytes() != data:
        raise AssertionError("a descriptor that was read is not written as it was")
    try:
        envpickle.rebuild(spec, allow=[])
    except errors.EnvpickleError:
        return "read"
    raise AssertionError("it was rebuilt, and nothing is allowed")


def look_into(data: bytes) -> str:
    """Inspect, and hold what was found against what Python's own unpickler asks for."""
    found = envpickle.inspect(data, allow=ALLOW)
    if found.kind == "pickle":
        first = found.pickles[0]
        told = f"{first.error}; {first.unknown}"  # it is said, and unpicklers may go on from there as they like
        if told and any(word in told for word in STRICTER):
            return ""
        known = {item.name for item in first.globals}
        hidden = [asked for asked in names_asked(data) if not known & {":".join(asked), ":".join(as_of_python_3(*asked))}]
        if hidden:
            raise AssertionError(f"the unpickler looks up {hidden}, of which the inspection says nothing: {first.error}")
    return "allowed" if found.allowed else ""


def unpickle(data: bytes) -> str:
    """Unpickle against a list: "" if it was refused."""
    try:
        envpickle.loads(data, allow=ALLOW, max_memory=1 << 24)
    except errors.EnvpickleError:
        return ""
    return "loaded"


def run(inputs: int, seed: int, seconds: float = 1e9) -> dict[str, Any]:
    """Try so many inputs, spread over the three, for so long at most.

    Returns:
        ``tried`` and ``accepted`` by target, ``wrong`` (what must not be, with the bytes), ``seconds`` it took.
    """
    pickles, descriptors, _kept = corpus()
    changer = Changer(seed, pickles, descriptors)
    kinds = ((read_descriptor, changer.a_descriptor), (look_into, changer.a_pickle), (unpickle, changer.a_pickle))
    tried, accepted, wrong = dict.fromkeys(TARGETS, 0), dict.fromkeys(TARGETS, 0), []
    for read, make in kinds * 3_000:  # once, so that all of ours is imported that reading needs
        read(make())
    watched.install()
    watched.limit_memory(MEMORY)
    watched.armed[0] = True
    begun = time.monotonic()
    for number in range(inputs):
        target = number % 3
        read, make = kinds[target]
        data = make()
        watched.events.clear()
        try:
            verdict = read(data)
        except BaseException as error:  # also a MemoryError: each one is a failure
            verdict = ""
            wrong.append(f"{TARGETS[target]}: {type(error).__name__}: {str(error)[:200]}: {data!r}")
        if watched.events and not verdict:
            wrong.append(f"{TARGETS[target]}: {watched.events[:3]}: {data!r}")
        tried[TARGETS[target]] += 1
        accepted[TARGETS[target]] += bool(verdict)
        if len(wrong) >= 20 or (number % 1_000 == 0 and time.monotonic() - begun > seconds):
            break
    watched.armed[0] = False
    took = time.monotonic() - begun
    return {"tried": tried, "accepted": accepted, "wrong": wrong, "seconds": took, "python": sys.version.split()[0]}
