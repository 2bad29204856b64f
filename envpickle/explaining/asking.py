"""What a pickler would do with one object: its reducer is asked, as pickling would ask it, and nothing else is called."""

from __future__ import annotations

import copyreg
import io
import pickle
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..backends import cloudpickle_backend
from ..errors import PluginError
from ..switches import is_disabled
from .naming import of_class

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PICKLERS = ("pickle", "cloudpickle", "dill")
_SINGLETONS = {type(None): None, type(NotImplemented): NotImplemented, type(...): ...}


class Way:
    """One pickler's way with objects that are no plain containers.

    Attributes:
        name: Its name.
        protocol: The protocol it writes.
        by_value: Whether it copies functions and classes that no name leads to.
    """

    name, by_value = "pickle", False

    def __init__(self, handing: str = "") -> None:
        self.protocol = pickle.DEFAULT_PROTOCOL
        self._handing = handing

    def hands_over(self, value: Any) -> bool:
        """Whether multiprocessing, while it sends, hands the object over in a way of its own: a socket, a lock of its own."""
        kind = type(value)
        if not self._handing or kind is FunctionType or issubclass(kind, type):
            return False
        home = str(of_class(kind, "__module__")).partition(".")[0]
        if home == "multiprocessing" and self._handing == "start":
            return True
        return home not in ("builtins", "functools") and kind not in copyreg.dispatch_table and kind in _handed()

    def override(self, value: Any) -> Any:
        """What the pickler itself says before anyone else is asked; NotImplemented if nothing."""
        return NotImplemented

    def reducers(self) -> Mapping[Any, Callable[[Any], Any]]:
        """The table of reducers by type."""
        return copyreg.dispatch_table

    def call(self, reducer: Callable[[Any], Any], value: Any) -> Any:
        """Call a reducer of the table."""
        return reducer(value)

    def reduce(self, value: Any) -> Any:
        """What pickle gets to hear of one object.

        Args:
            value: The object; no exact None, number, text, tuple, list, dict or set.

        Returns:
            None if it goes by its own name, text if it goes by that name, else the tuple that says how to make it again.

        Raises:
            Exception: Whatever the object's own reducer raises.
        """
        said = self.override(value)
        if said is not NotImplemented:
            return checked(said)
        kind = type(value)
        if kind is type:
            return (type, (_SINGLETONS[value],)) if value in _SINGLETONS else None
        if kind is FunctionType:
            return None
        reducer = self.reducers().get(kind)
        if reducer is not None:
            return checked(self.call(reducer, value))
        if issubclass(kind, type):
            return None
        return checked(value.__reduce_ex__(self.protocol))


def checked(reduced: Any) -> Any:
    """A reducer's answer, if pickle would take it."""
    if isinstance(reduced, str):
        return reduced
    if not isinstance(reduced, tuple) or not 2 <= len(reduced) <= 6:
        raise pickle.PicklingError("its __reduce__ answers neither a string nor a tuple of two to six items")
    if not callable(reduced[0]) or not isinstance(reduced[1], tuple):
        raise pickle.PicklingError("its __reduce__ answers no callable with a tuple of arguments")
    for items in reduced[3:5]:
        if items is not None and not hasattr(type(items), "__next__"):
            raise pickle.PicklingError("its __reduce__ answers items that are no iterator")
    return reduced


class CloudpickleWay(Way):
    """cloudpickle's own: its pickler is asked first, and has a table of its own."""

    name, by_value = "cloudpickle", True

    def __init__(self) -> None:
        super().__init__()
        if is_disabled("cloudpickle"):
            raise PluginError("the cloudpickle backend is switched off. Switch it on with envpickle.enable('cloudpickle').")
        self._pickler = cloudpickle_backend.pickler(io.BytesIO())
        self.protocol = self._pickler.proto

    def override(self, value: Any) -> Any:
        """Functions and classes that no name leads to are copied."""
        return self._pickler.reducer_override(value)

    def reducers(self) -> Mapping[Any, Callable[[Any], Any]]:
        """Its reducers over copyreg's."""
        table: Mapping[Any, Callable[[Any], Any]] = self._pickler.dispatch_table
        return table

    def call(self, reducer: Callable[[Any], Any], value: Any) -> Any:
        """Call it from a frame that passes for cloudpickle: a script's builder travels by value where cloudpickle asks."""
        return _as_cloudpickle(reducer, value)


def _call(reducer: Callable[[Any], Any], value: Any) -> Any:
    return reducer(value)


_as_cloudpickle: Callable[..., Any] = FunctionType(_call.__code__, {"__name__": "cloudpickle"})


def _handed() -> Mapping[Any, Any]:
    """The types that multiprocessing's pickler has ways of its own for."""
    from multiprocessing.reduction import ForkingPickler

    table: Mapping[Any, Any] = ForkingPickler(io.BytesIO()).dispatch_table
    return table


def way_of(pickler: str, handing: str = "") -> Way:
    """The way of a pickler, by its name.

    Args:
        pickler: The name.
        handing: ``"start"`` for what multiprocessing hands to a process that it starts, ``"send"`` for what it sends later.
    """
    return CloudpickleWay() if pickler == "cloudpickle" else Way(handing)
