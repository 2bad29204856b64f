"""Classes whose instances say when and how they were closed."""

import enum
import threading
from typing import Any

import envpickle

CLOSED: list[Any] = []
BARRIERS: list[threading.Barrier] = []
GATE = threading.Event()


def _closer(name: str) -> Any:
    if name == "aclose":

        async def aclose(self: Any) -> None:
            CLOSED.append((name, self.number))

        return aclose

    def close(self: Any, *args: Any) -> None:
        CLOSED.append((name, self.number))

    return close


@envpickle.builder
def closable(names: list[str]) -> type:
    """Has the closing methods named."""

    class Closable:
        def __init__(self, number: int = 0) -> None:
            self.number = number

    for name in names:
        setattr(Closable, name, _closer(name))
    if "__exit__" in names:
        Closable.__enter__ = lambda self: self  # type: ignore[attr-defined]
    return Closable


@envpickle.builder
def together(number: int) -> type:
    """Closing one waits until all are being closed, so one after the other would never end."""

    class Together:
        def _close(self) -> None:
            BARRIERS[0].wait(10)
            CLOSED.append("together")

    return Together


@envpickle.builder
def difficult(how: str) -> type:
    """Closing raises, or does not end."""

    class Difficult:
        def __init__(self, number: int = 0) -> None:
            self.number, self.lock = number, threading.Lock()

        def work(self) -> None:
            with self.lock:
                GATE.wait(20)

        def _close(self) -> None:
            CLOSED.append((how, self.number))
            if how == "raises":
                raise RuntimeError("closing failed")
            if how == "exits":
                raise SystemExit(1)
            if how == "hangs":
                GATE.wait(60)

    return Difficult


@envpickle.builder
def slotted_closable(number: int) -> type:
    """Instances take no weak reference."""

    class Slotted:
        __slots__ = ("number",)

        def __init__(self, number: int = 0) -> None:
            self.number = number

        def _close(self) -> None:
            CLOSED.append(("slotted", self.number))

    return Slotted


@envpickle.builder
def unhashable(number: int) -> type:
    """Instances are equal to each other and have no hash."""

    class Unhashable:
        def __init__(self, number: int = 0) -> None:
            self.number = number

        def __eq__(self, other: object) -> bool:
            return True

        def _close(self) -> None:
            CLOSED.append(("unhashable", self.number))

    return Unhashable


@envpickle.builder
def foreign(names: list[str]) -> Any:
    """A class of a metaclass that is not ours."""
    return enum.Enum("Foreign", names)


@envpickle.builder
def registered(number: int) -> type:
    """A class of ABCMeta."""
    import abc

    class Registered(abc.ABC):  # noqa: B024 - only its metaclass counts
        def _close(self) -> None:
            CLOSED.append(("abc", number))

    return Registered


class Own(type):
    """A metaclass of the user's, with its own idea of calling."""

    def __call__(cls, *args: Any) -> Any:
        return super().__call__(*args)


@envpickle.builder
def own_meta(number: int) -> type:
    """A class of a user's metaclass."""
    return Own("OwnMeta", (), {"_close": lambda self: CLOSED.append(("own", number))})
