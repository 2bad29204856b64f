"""The columns: what is sent, how it is looked at in the process where it arrives, and what must hold when it is home again."""

import os
import pickle
from typing import Any

from envpickle.errors import EnvpickleError

from .builders import dock

COLUMNS = {
    "class": "class",
    "instance": "instance",
    "bound": "bound method",
    "closure": "closure",
    "nested": "nested class",
    "home": "returned home",
    "script": "script builder",
    "subclass": "subclass",
}
ARGUMENTS: tuple[list[str], str] = (["lift", "lower"], "north")
_SEEN: dict[str, Any] = {}


def make(script_class: type) -> dict[str, Any]:
    """What is sent, by its column; ``home`` is what becomes of ``class``."""
    cls: Any = dock(*ARGUMENTS)

    class Painted(cls):  # type: ignore[misc]  # the class is known at run time alone
        paint = "red"

    pieces = {"class": cls, "instance": cls(7), "bound": cls(7).weigh, "closure": lambda: cls, "nested": cls.Slot}
    return {**pieces, "script": script_class, "subclass": Painted}


def look(name: str, thing: Any) -> tuple[int, str, Any]:
    """In the other process: whose, how it arrived, and what goes back."""
    verdict, back = globals()[f"_look_at_{name}"](thing)
    if _SEEN.setdefault(name, back) is not back and isinstance(back, type):
        verdict = "a class for each message"
    return os.getpid(), verdict, back


def _look_at_class(thing: Any) -> tuple[str, Any]:
    works = thing(2).lift() == "lift 2"
    return "same class" if works and thing is dock(*ARGUMENTS) else "a copy", thing


def _look_at_instance(thing: Any) -> tuple[str, Any]:
    return "same class" if thing.load == 7 and type(thing) is dock(*ARGUMENTS) else "a copy", thing


def _look_at_bound(thing: Any) -> tuple[str, Any]:
    cls = type(thing.__self__)
    if thing() != ("north", 7) or cls is not dock(*ARGUMENTS):
        return "a copy", thing.__self__
    return "same class" if thing.__func__ is cls.__dict__["weigh"] else "function by value", thing.__self__


def _look_at_closure(thing: Any) -> tuple[str, Any]:
    return "by value, over the same class" if thing() is dock(*ARGUMENTS) else "a copy", thing()


def _look_at_nested(thing: Any) -> tuple[str, Any]:
    return "same class" if thing.number == 2 and thing is dock(*ARGUMENTS).Slot else "a copy", thing  # type: ignore[attr-defined]


def _look_at_script(thing: Any) -> tuple[str, Any]:
    return "same class" if thing(3).lift() == "lift 3 at south" else "a copy", thing


def _look_at_subclass(thing: Any) -> tuple[str, Any]:
    kept = thing.paint == "red" and issubclass(thing, dock(*ARGUMENTS)) and thing(2).lift() == "lift 2"
    return "by value" if kept else "its overrides are lost", thing(1).load


def at_home(name: str, sent: Any, back: Any) -> bool:
    """Whether what came back is what it has to be here."""
    cls: Any = dock(*ARGUMENTS)
    if name in ("instance", "bound"):
        return type(back) is cls and back.load == 7
    wanted = {"closure": cls, "subclass": 1}.get(name, sent)
    return back is wanted


def told(error: BaseException) -> str:
    """An error in a few words: whose refusal it is."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, EnvpickleError):
            return f"refused: `{type(cause).__name__}`"
        cause = cause.__cause__
    if "Weights only load failed" in str(error):
        return "torch's limit"
    if isinstance(error, (AttributeError, pickle.PicklingError)) and "pickle" in str(error):
        return "pickle's limit"
    return f"failed: {type(error).__name__}: {error}"


def answers(send: Any, pieces: dict[str, Any]) -> dict[str, str]:
    """A row: every piece sent twice by ``send(name, thing)``, which gives what :func:`look` gave, at home."""
    row: dict[str, str] = {}
    for name, thing in pieces.items():
        try:
            for _ in range(2):
                pid, row[name], back = send(name, thing)
                if pid == os.getpid():
                    row[name] = "never left"
        except Exception as error:  # noqa: BLE001 - whatever the carrier says is the answer
            row[name] = told(error)
            continue
        if name == "class":
            row["home"] = "same object" if back is thing else "another class"
        elif not at_home(name, thing, back):
            row[name] += ", came home as another"
    return {name: row.get(name, "never came") for name in COLUMNS}
