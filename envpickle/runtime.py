"""Builders, and the registry: which live class was built by which call, and how one call is built once.

Nothing here holds a class but weakly; what is known about a class lies in the class's own ``__dict__`` (see
:mod:`envpickle.classes`). No lock is held while a builder or an import runs: whoever builds puts a latch in the key's
place, whoever comes second waits for it and says for whom, so that a circle of waiting raises instead.
"""

from __future__ import annotations

import copyreg
import os
import sys
from _thread import RLock, allocate_lock, get_ident
from functools import partial, update_wrapper
from types import FunctionType
from weakref import WeakValueDictionary

from .classes import RECORD, DillWatch, Record, RuntimeType, adopt, found_by_name, has_kin, is_new, later, needs_guard, odds

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NO_PLAIN_CALL = 0x20 | 0x80 | 0x200  # code flags of generators, coroutines, asynchronous generators
MAIN = ("__main__", "__mp_main__")  # a spawned child knows the script by both names
_live: WeakValueDictionary[bytes, type] = WeakValueDictionary()  # key of a call -> its class
_addresses: WeakValueDictionary[str, type] = WeakValueDictionary()  # what stands behind the @ -> the class
_building: dict[bytes, Latch] = {}
_waiting: dict[int, Latch] = {}  # thread -> what it waits for
taught: set[type] = set()
_lock = RLock()  # a collection under it may run a __del__ that builds

live = _live.get


class Latch:
    """Stands in a key's place while its class is being built."""

    __slots__ = ("_gate", "open", "result", "thread")

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.result: type | None = None
        self._gate = allocate_lock()
        self._gate.acquire()
        self.open = self._gate.release

    def wait(self, seconds: float) -> bool:
        """Wait until it is opened, for so long at most; whether it was."""
        if opened := self._gate.acquire(timeout=seconds):
            self.open()
        return opened


class Reference:
    """A function kept under an importable name, which a descriptor may name: a builder, a plugin's unpacker."""

    kind = "function"

    def __init__(self, fn: Callable[..., Any], name: str | None = None) -> None:
        if type(fn) is not FunctionType or fn.__code__.co_flags & _NO_PLAIN_CALL:
            raise later("refusals").no_function(self.kind, fn)
        update_wrapper(self, fn)  # type: ignore[arg-type]  # callable in the derived classes
        self.fn = fn
        self.module = "__main__" if fn.__module__ in MAIN else fn.__module__
        self.qualname = name or fn.__qualname__
        self.__qualname__ = self.qualname
        top = self.module.partition(".")[0]
        if "<locals>" in self.qualname or not f"{self.module}{self.qualname}".isascii() or top in sys.stdlib_module_names:
            raise later("refusals").unfindable(self.kind, fn)

    def __repr__(self) -> str:
        return f"<envpickle {self.kind} {self.module}:{self.qualname}>"

    def __reduce__(self) -> Any:
        return self.qualname

    def __deepcopy__(self, memo: Any = None) -> Any:
        return self

    __copy__ = __deepcopy__


class Builder(Reference):
    """An importable function that makes and returns one class; made by ``envpickle.builder``.

    Attributes:
        fn: The function itself.
        module: Name of the module it is found in (``"__main__"`` for a script).
        qualname: Its name there.
    """

    kind = "builder"
    asks_again = False  # set on a maker's whose library lets classes be changed where no comparison looks

    def __init__(self, fn: Callable[..., type], name: str | None = None) -> None:
        super().__init__(fn, name)
        self.home = self.module  # the module that the addresses of its classes are found in
        self.script: bytes | None = None
        teach(RuntimeType)
        if self.module == "__main__":
            later("script").settle(self)

    def __call__(self, /, *args: Any, **kwargs: Any) -> type:
        """Return the class this call makes, building it if no live class is this call's.

        Args:
            *args: The function's arguments; plain data if the class is to travel.
            **kwargs: The same, by name.

        Raises:
            TypeError: The arguments do not fit the function's signature.
            BuilderError: What the function returned cannot be a run-time class.
            BuildCycleError: Builders wait for each other.
        """
        cls: type = later("building").call(self, args, kwargs)
        return cls

    def __getattr__(self, name: str) -> Any:
        cls = _addresses.get(name.rpartition("@")[2]) if "@" in name else None
        if cls is None or cls.__qualname__ != f"{self.qualname}.{name}" or cls.__module__ != self.home:
            raise AttributeError(f"{self!r} has no live class or attribute {name!r}", name=name, obj=self)
        return cls

    def run(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Run the function with arguments that came from elsewhere."""
        try:
            return self.fn(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # from inside the function
            raise later("refusals").other_arguments(self, error) from None

    def is_current(self) -> bool:
        """Whether the name of this builder still leads to it."""
        if self.script is not None:
            return bool(later("script").is_current(self))
        return find_reference(self.module, self.qualname) is self

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.script is not None and protocol >= 4:
            return later("beside").reduce_builder(self)
        return self.qualname


def builder(fn: Callable[..., Any] | None = None, *, name: str | None = None) -> Any:
    """Mark an importable function that makes and returns one class, so that its classes travel as the call.

    Args:
        fn: The function, at the top level of a module or of a script, or a static method of a class there.
        name: The name under which the builder is found, if it is not the function's own.

    Returns:
        The :class:`Builder`; a decorator that makes one if only ``name`` is given.

    Raises:
        BuilderError: It is not a plain function, or it is defined inside another one.
    """
    return Builder(fn, name) if fn is not None else partial(Builder, name=name)


def find_reference(module: str, qualname: str) -> Any:
    """What a name leads to among the module's own variables and its classes' own attributes; None if nowhere."""
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = getattr(found, "__dict__", {}).get(name) if found is not None else None
        if type(found) is staticmethod:
            found = found.__func__
    return found


def construct(builder: Builder, call: Any, run: Callable[[], type], owner: Any = None, finish: Any = None) -> type:
    """The class of a call, by its key: the live one, the one another thread is building, or a new one that ``run`` makes."""
    me = get_ident()
    with _lock:
        found = _live.get(call.key)
        if found is not None and found.__dict__[RECORD].builder is builder:
            return found
        latch = _building.get(call.key)
        if latch is None:
            mine = _building[call.key] = Latch(me)
        else:
            _refuse_cycle(builder, latch, me)
            _waiting[me] = latch
    if latch is not None:
        try:
            while not latch.wait(0.5):  # seconds until this thread looks whether that one can go on
                later("circles").refuse_import_circle(builder, latch.thread, _waiting)
        finally:
            _waiting.pop(me, None)
        return latch.result or construct(builder, call, run, owner, finish)
    try:
        mine.result = (finish or _finish)(builder, call, [run()], owner)
        return mine.result
    finally:
        with _lock:
            if _building.get(call.key) is mine:
                del _building[call.key]
        mine.open()


def _refuse_cycle(builder: Builder, latch: Latch, me: int) -> None:
    following: Latch | None = latch
    while following is not None:
        if following.thread == me:
            raise later("refusals").cycle(builder)
        following = _waiting.get(following.thread)


def _finish(builder: Builder, call: Any, box: list[Any], owner: Any) -> type:
    """Turn what a builder returned into a class that travels; ``box`` holds it so that nothing else does."""
    if not issubclass(type(box[0]), type) or not is_new(box[0]) or "<locals>" in type(box[0]).__qualname__:
        raise later("refusals").unfit(builder, box[0])
    kinds = odds(box[0])
    nested = later("nesting").adopt_nested(box[0], builder) if has_kin(box[0], kinds) else None
    cls: type = adopt(box, nested or (), kinds=kinds if nested is None else None) if type(box[0]) is type else box.pop()
    return enter(cls, builder, call, owner, nested)


def dress(cls: type, owner: Any) -> None:
    """Put into a class what its instances need: a guard where their pickling would lose something, and their owner."""
    if needs_guard(cls):
        later("instances").guard(cls)
    if owner is not None:
        owner.take(cls)


def enter(cls: type, builder: Builder, call: Any, owner: Any = None, nested: list[type] | None = None) -> type:
    """Give a class its address and its record, and enter it in the registry; ``nested`` is None where it has no kin."""
    key = call.key.hex()
    digits = next((key[:n] for n in (12, 20) if key[:n] not in _addresses), key)
    before = cls.__module__, cls.__qualname__
    try:
        type.__setattr__(cls, "__module__", builder.home)
    except TypeError as error:
        raise later("refusals").closed_metaclass(builder, cls, error) from None
    type.__setattr__(cls, "__qualname__", f"{builder.qualname}.{cls.__name__.replace('.', '_')}@{digits}")
    _addresses[digits] = cls
    if not found_by_name(cls):
        del _addresses[digits]
        type.__setattr__(cls, "__module__", before[0])
        type.__setattr__(cls, "__qualname__", before[1])
        raise later("refusals").not_found(builder)
    dress(cls, owner)
    record = Record(cls, builder, call, owner)
    type.__setattr__(cls, RECORD, record)
    if nested is not None:
        later("nesting").settle(cls, record, nested)
    record.snapshot(cls)
    teach(type(cls))
    _live[call.key] = cls
    return cls


def withdraw(cls: type, record: Record) -> None:
    """Take a class out of the registry again."""
    if _live.get(record.call.key) is cls:
        del _live[record.call.key]
    _addresses.pop(cls.__qualname__.rpartition("@")[2], None)
    type.__delattr__(cls, RECORD)


def reduce_class(cls: type, chained: Callable[[type], Any] | None = None) -> Any:
    """The copyreg reducer of run-time classes: the call if the class is what the call made, else a name, else a refusal."""
    record = cls.__dict__.get(RECORD)
    if record is None or record.reduced is None or record.ref() is not cls:
        return later("reducing").reduce_class(cls, chained)
    owner = record.owner
    if record.builder.is_current() and record.intact(cls) and not (owner and (owner.carriers or owner.closed)):
        return record.reduced
    return later("reducing").reduce_class(cls, chained)


def teach(metaclass: type) -> None:
    """Have the picklers that look into copyreg ask :func:`reduce_class` for classes of this metaclass, and dill likewise."""
    if metaclass in taught:
        return
    taught.add(metaclass)
    chained = copyreg.dispatch_table.get(metaclass)
    reducer: Any = reduce_class if metaclass is RuntimeType else partial(reduce_class, chained=chained)
    copyreg.pickle(metaclass, reducer)
    if sys.modules.get("dill") is not None:
        later("backends.dill_backend").teach(metaclass)
    elif len(taught) == 1:
        sys.meta_path.insert(0, DillWatch())


def _renew_after_fork() -> None:
    """Only the thread that forked lives on in the child: locks are made anew, latches of the others forgotten."""
    global _lock
    _lock = RLock()
    me = get_ident()
    for key in [key for key, latch in _building.items() if latch.thread != me]:
        del _building[key]
    _waiting.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_after_fork)
