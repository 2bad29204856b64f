"""dill: it never asks copyreg for classes, so it is taught through its own public ``dill.register``.

dill need not be there, and need not be imported first: when it is imported after a class was built, the watch that
:mod:`envpickle.runtime` left on ``sys.meta_path`` brings it here.
"""

import io
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from ..classes import record_of
from ..errors import PickleRefused, PluginError
from ..runtime import reduce_class, taught
from ..switches import is_disabled

name = "dill"
_registered: set[type] = set()


def dumps(obj: Any) -> bytes:
    """Pickle an object with dill, its run-time classes as the calls that made them."""
    import dill

    data: bytes = dill.dumps(obj)
    return data


def dumps_with(reduce: Callable[[Any], Any], obj: Any) -> bytes:
    """Pickle an object, asking ``reduce`` for each part first; NotImplemented leaves the part to dill.

    Raises:
        PluginError: The backend is switched off.
    """
    if is_disabled(name):
        raise PluginError("the dill backend is switched off. Switch it on with envpickle.enable('dill').")

    class TakingPickler(pickler_class()):  # type: ignore[misc]  # dill has no types
        def reducer_override(self, item: Any) -> Any:
            return reduce(item)

    with io.BytesIO() as file:
        TakingPickler(file, protocol=5, recurse=True).dump(obj)
        return file.getvalue()


def shipped_modules() -> frozenset[str]:
    """None: dill has no list of modules that are to go by value."""
    return frozenset()


def loads(data: bytes) -> Any:
    """Load what :func:`dumps` or :func:`dumps_with` made."""
    import dill

    return dill.loads(data)


def pickler_class() -> type:
    """The pickler of dill itself, to derive from."""
    import dill

    enter()
    found: type = dill.Pickler
    return found


def teach(metaclass: type) -> None:
    """Have dill pickle classes of a metaclass as the pickle module does; classes without a record stay as they were."""
    import dill

    if metaclass in _registered:
        return
    _registered.add(metaclass)
    before = dill.Pickler.dispatch.get(metaclass) or dill.Pickler.dispatch[type]

    def save(pickler: Any, cls: type) -> None:
        if record_of(cls) is not None and is_disabled(name):
            raise PickleRefused(
                f"dill would write no more than the address of {cls.__module__}.{cls.__qualname__}, which no other process can "
                f"follow, and its backend is switched off. Switch it on with envpickle.enable('dill')."
            )
        reduced = reduce_class(cls) if record_of(cls) is not None else None
        if reduced is None:
            before(pickler, cls)
        else:
            pickler.save_reduce(*reduced, obj=cls)

    dill.register(metaclass)(save)


def enter() -> None:
    """Teach dill every metaclass known so far, if dill is loaded."""
    if "dill" in sys.modules:
        for metaclass in tuple(taught):
            teach(metaclass)


def found(module: str, watch: Any) -> ModuleSpec | None:
    """Find dill as Python would, and have it taught, and the watch gone, once it is loaded; who asks may only be looking."""
    spec = PathFinder.find_spec(module)
    if spec is not None and spec.loader is not None:
        spec.loader = _Loader(spec.loader, watch)  # type: ignore[assignment]  # quacks as one
    return spec


class _Loader:
    """dill's own loader, with one thing to do after it."""

    def __init__(self, loader: Any, watch: Any) -> None:
        self._loader = loader
        self._watch = watch

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if self._watch in sys.meta_path:
            sys.meta_path.remove(self._watch)
        enter()

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._loader, attribute)
