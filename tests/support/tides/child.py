"""The other process: it loads what it is sent, says what it got, sends it back, and lets go when it is told to."""

import gc
import multiprocessing
import time
import traceback
import weakref
from typing import Any, NamedTuple

from tides import ways, weather


class Parcel(NamedTuple):
    """What is sent, and what the receiver must find in it."""

    tool: str
    payload: bytes
    wrap: str
    kind: str
    shape: str
    text: str
    number: int


class Child:
    """A spawned process and the pipe to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, what: str, *args: Any) -> Any:
        """Have the child do something; what goes wrong there goes wrong here."""
        self._ours.send((what, args))
        assert self._ours.poll(60), "the child gives no answer"
        fine, answer = self._ours.recv()
        assert fine, f"in the child:\n{answer}"
        return answer

    def end(self) -> None:
        """End it, by its own id."""
        self._ours.close()
        self.process.kill()
        self.process.join()


KEPT: dict[str, Any] = {}  # what the sender calls a class -> the class
OPEN: dict[int, Any] = {}  # number -> an instance that is kept open
SEEN: list["weakref.ref[type]"] = []  # every class that arrived


def serve(conn: Any) -> None:
    """Answer until the pipe ends."""
    while True:
        try:
            what, args = conn.recv()
        except EOFError:
            return
        try:
            conn.send((True, ANSWERS[what](*args)))
        except BaseException:
            conn.send((False, traceback.format_exc()))
        del args


def load(parcel: Parcel, name: str, keep: bool, back: str | None) -> dict[str, Any]:
    """Load a parcel; `name` is what the sender calls the class. Says how it went, and sends it back with that tool."""
    got = ways.loads(parcel.tool, parcel.payload)
    told = lambda number: ways.expected(parcel.kind, parcel.shape, parcel.text, 0, number)  # noqa: E731
    cls = ways.checked(parcel.wrap, got, told, parcel.number)
    again = ways.checked(parcel.wrap, ways.loads(parcel.tool, parcel.payload), told, parcel.number)
    assert again is cls, f"a second load gave {again!r} beside {cls!r}"
    kept = KEPT.get(name)
    assert kept is None or kept is cls, f"{cls!r} arrived, and {kept!r} was there"
    if hasattr(cls, "cache"):
        assert cls.cache == ["mine"] * len(cls.cache), cls.cache
        if kept is not None:
            assert cls.cache, "loading reset the class's own state"
        cls.cache[:] = ["mine"]
    if keep:
        KEPT[name] = cls
    SEEN.append(weakref.ref(cls))
    return {
        "name": cls.__name__,
        "surface": ways.surface(cls),
        "told": ways.instance(parcel.shape, cls, parcel.number).told(),
        "back": ways.dumps(back, got) if back else None,
    }


def refused(parcel: Parcel) -> str:
    """Load what must be refused; the error's class, or what came."""
    try:
        return repr(ways.loads(parcel.tool, parcel.payload))
    except Exception as error:
        return type(error).__name__


def back(tool: str, payload: bytes) -> bytes:
    """Load a class and an instance of it, or None, and send both back."""
    cls, one = ways.loads(tool, payload)
    assert one is None or type(one) is cls
    SEEN.append(weakref.ref(cls))
    return ways.dumps(tool, [cls, one])


def hold(parcel: Parcel) -> None:
    """Load the class and keep an instance of it open."""
    cls = ways.WRAPS[parcel.wrap][1](ways.loads(parcel.tool, parcel.payload))[0]
    OPEN[parcel.number] = ways.instance(parcel.shape, cls, parcel.number)


def await_closed(number: int, seconds: float) -> bool:
    """Wait until that instance is closed; whether it is."""
    deadline = time.monotonic() + seconds
    while number not in weather.CLOSED and time.monotonic() < deadline:
        time.sleep(0.002)
    return number in weather.CLOSED


def drop() -> list[str]:
    """Let go of everything; the names of the classes that are still here."""
    KEPT.clear()
    OPEN.clear()
    weather.CLOSED.clear()
    deadline = time.monotonic() + 20  # an instance that was open is closed by a thread
    while True:
        gc.collect()
        SEEN[:] = [ref for ref in SEEN if ref() is not None]
        if not SEEN or time.monotonic() > deadline:
            return sorted({repr(ref()) for ref in SEEN})
        time.sleep(0.01)


ANSWERS: dict[str, Any] = {
    "load": load,
    "refused": refused,
    "back": back,
    "hold": hold,
    "await_closed": await_closed,
    "drop": drop,
}
