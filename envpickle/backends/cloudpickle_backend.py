"""cloudpickle: it defers to copyreg for every class that is found by its name, as built classes are; this one is strict.

cloudpickle itself sends a run-time subclass of a built class by value, over the base's call. That loses nothing, but the
copy is a new class in every process. The pickler here refuses it instead, as the pickle module does.
"""

import io
from collections.abc import Callable
from typing import Any

from ..classes import found_by_name, record_of
from ..errors import PickleRefused, PluginError
from ..reducing import unknown
from ..switches import is_disabled
from ..whereabouts import WEAK, path_to_culprit

name = "cloudpickle"


def teach(metaclass: type) -> None:
    """Nothing: cloudpickle looks into copyreg for classes that their name leads to."""


def dumps(obj: Any, protocol: int | None = None) -> bytes:
    """Pickle an object with cloudpickle, refusing subclasses of built classes that no builder made.

    Args:
        obj: The object.
        protocol: The pickle protocol; cloudpickle's default if None.

    Raises:
        UnknownClass: A run-time subclass of a built class is in it.
        PickleRefused: A weak reference is in it; the message says where.
        PluginError: The backend is switched off.
    """
    if is_disabled(name):
        raise PluginError("the cloudpickle backend is switched off. Switch it on with envpickle.enable('cloudpickle').")
    import cloudpickle

    class StrictPickler(cloudpickle.Pickler):  # type: ignore[misc]  # cloudpickle has no types
        def reducer_override(self, item: Any) -> Any:
            if isinstance(item, type) and record_of(item) is None and not found_by_name(item):
                built = [base for base in item.__mro__[1:] if record_of(base) is not None]
                if built:
                    raise unknown(item, built)
            if isinstance(item, WEAK):
                raise _WeakReference
            return super().reducer_override(item)

    def written(part: Any) -> bytes:
        with io.BytesIO() as file:
            StrictPickler(file, protocol=protocol).dump(part)
            return file.getvalue()

    try:
        return written(obj)
    except _WeakReference:
        path, found = path_to_culprit(obj, written, WEAK)
        raise PickleRefused(
            f"{path} is a {type(found).__qualname__}: a weak reference does not keep what it leads to, so there "
            f"would be nothing at its end. Leave it out of the state (__getstate__), or keep the thing itself.",
            path=path,
        ) from None


class _WeakReference(Exception):
    """A weak reference was met."""


def pickler(file: io.BytesIO) -> Any:
    """The pickler of cloudpickle itself, for whoever asks it about single objects; it writes to ``file``."""
    import cloudpickle

    return cloudpickle.Pickler(file)


def dumps_with(reduce: Callable[[Any], Any], obj: Any) -> bytes:
    """Pickle an object, asking ``reduce`` for each part first; NotImplemented leaves the part to cloudpickle."""
    import cloudpickle

    class TakingPickler(cloudpickle.Pickler):  # type: ignore[misc]  # cloudpickle has no types
        def reducer_override(self, item: Any) -> Any:
            reduced = reduce(item)
            return super().reducer_override(item) if reduced is NotImplemented else reduced

    with io.BytesIO() as file:
        TakingPickler(file, protocol=5).dump(obj)
        return file.getvalue()


def shipped_modules() -> frozenset[str]:
    """Names of the modules whose contents the user told cloudpickle to send by value."""
    import cloudpickle

    return frozenset(cloudpickle.list_registry_pickle_by_value())


def loads(data: bytes) -> Any:
    """Load what :func:`dumps` or :func:`dumps_with` made."""
    import cloudpickle

    return cloudpickle.loads(data)
