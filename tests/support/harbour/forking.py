"""Forks at a chosen point of the library's own code, or of a user's code that it runs: deterministic, by a trace function.

A point is `module:qualified name` of a function. Either the thread that calls it forks there, or it waits there while the main
thread forks.
"""

import json
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

import envpickle

CLOSED: list[Any] = []
MAIN = os.getpid()


@envpickle.builder
def boat(number: Any) -> type:
    """A class whose instances note that they were closed."""

    class Boat:
        def __init__(self, name: Any = None) -> None:
            self.name = name

        def __reduce__(self) -> Any:
            return type(self), (self.name,)

        def _close(self) -> None:
            CLOSED.append(self.name)

    return Boat


class Point:
    """Does something once, when a function is called; `await_done` says whether it was."""

    def __init__(self, where: str, do: Callable[[], None]) -> None:
        self.module, self.name = where.split(":")
        self.do, self.reached = do, False

    def trace(self, frame: Any, event: str, arg: Any) -> None:
        """A trace function: of calls only."""
        if self.reached or frame.f_code.co_qualname != self.name or frame.f_globals.get("__name__") != self.module:
            return
        self.reached = True
        self.do()


def sail(again: Callable[[], Any], payload: bytes, owner: envpickle.Owner) -> dict[str, Any]:
    """All that a process wants to do: build, load, pickle, own, close, and do again what was under way."""
    signal.alarm(30)  # where it hangs
    CLOSED.clear()
    done: dict[str, Any] = {"again": again() is not None}
    loaded, built = pickle.loads(payload), boat(["new", os.getpid()])
    done["loaded"] = loaded.__name__ == "Boat" and pickle.loads(pickle.dumps(loaded)) is loaded is pickle.loads(payload)
    done["built"] = pickle.loads(pickle.dumps(built)) is built is boat(["new", os.getpid()])
    with envpickle.Owner() as mine:
        held = pickle.loads(pickle.dumps([mine.build(boat, "mine")("mine")]))
    kept = owner.build(boat, "theirs")("theirs") if not owner.closed else None
    owner.close()
    done["closed"] = sorted({str(name) for name in CLOSED} & {"mine", "theirs"}), len(held), kept is not None
    return done


class Voyage:
    """One operation, one point of it, one fork."""

    def __init__(self, where: str, manner: str, operation: Callable[[], Any], again: Callable[[], Any]) -> None:
        self.point = Point(where, self.fork if manner == "in" else self.stop)
        self.manner, self.operation, self.again = manner, operation, again
        self.owner = envpickle.Owner()
        self.payload = pickle.dumps(boat(["known", 1]))
        self.there, self.go_on = threading.Event(), threading.Event()
        self.child: int | None = None
        self.read, self.write = os.pipe()
        threading.settrace(self.point.trace)

    def fork(self) -> None:
        """Fork; in the child, see that everything works there."""
        goes_on = threading.current_thread() is threading.main_thread() and self.manner == "in"
        self.child = os.fork()
        if self.child:
            self.there.set()
            return
        sys.settrace(None)
        if not goes_on:
            self.answer()

    def stop(self) -> None:
        """The other thread is at the point, and waits."""
        self.there.set()
        self.go_on.wait(40)

    def answer(self) -> None:
        """In the child: say how it went."""
        try:
            said: Any = sail(self.again, self.payload, self.owner)
        except BaseException:
            said = traceback.format_exc()
        os.write(self.write, json.dumps(said).encode())
        os._exit(0)

    def sail(self) -> dict[str, Any]:
        """Do it all; what child and parent have to say."""
        if self.manner == "in":
            sys.settrace(self.point.trace)
            self.operation()
            sys.settrace(None)
            if self.child == 0:
                self.answer()
            assert self.there.wait(20), "the point was not reached"
        else:
            thread = threading.Thread(target=self.operation)
            thread.start()
            assert self.there.wait(20), "the point was not reached"
            self.fork()
        os.close(self.write)
        with os.fdopen(self.read, "rb") as answers:
            child = json.loads(answers.read() or b'"nothing was said"')
        os.waitpid(self.child or 0, 0)
        self.go_on.set()
        if self.manner == "beside":
            thread.join(20)
        threading.settrace(None)  # type: ignore[arg-type]
        return {"reached": self.point.reached, "child": child, "parent": sail(self.again, self.payload, self.owner)}
