"""What ties classes and their instances to an owner's key in this process; :class:`envpickle.Owner` stands above it.

The key travels with the class. A process that rebuilds the class gets an ownership of its own under the same key, so that
closing finds everything of this owner here, whoever built it.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from functools import update_wrapper
from types import FunctionType
from weakref import WeakValueDictionary

from .classes import later

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

_known: WeakValueDictionary[bytes, Ownership] = WeakValueDictionary()
busy: list[int] = []  # threads that are closing, an entry for each time
told: list[int] = []  # the signal that arrived meanwhile
_hooked_in = 0
mark = os.urandom(6)  # the end of the keys of owners that are made in this process
_kept: set[Ownership] = set()  # those with something hung on them, which must not be forgotten with their owner
inherited_parent: Any = None  # of whom multiprocessing speaks in a process that was forked past it
_closed: set[bytes] = set()  # 16 bytes each: classes that arrive later must know
fresh: dict[int, int] = {}  # thread -> id of the class it allocates an instance of, then of that, until a constructor is done
making: dict[int, int] = {}  # id of an instance -> the thread whose constructor is at work on it
unmade: set[int] = set()  # ids of instances whose constructor failed or was refused while their owner closed


class Ownership:
    """One owner's part in this process.

    Attributes:
        key: The owner's key, 16 bytes.
        closed: Whether it was closed in this process.
        found: Ids of the instances it was closed with, until they are gone; any other that is dropped is closed by itself.
        classes: Its classes, weakly.
        callbacks: What else to run on closing, last first.
        gate: Held by the thread that closes it.
        line: What ties it to the same owner in other processes; None where nothing does.
        carriers: Those of plugins that are told when its classes are pickled at home.
    """

    __slots__ = ("__weakref__", "armed_in", "callbacks", "carriers", "classes", "closed", "found", "gate", "key", "line")

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.closed = key in _closed
        self.found: set[int] = set()
        self.classes: WeakValueDictionary[int, type] = WeakValueDictionary()
        self.callbacks: list[Callable[[], Any]] = []
        self.gate = threading.Lock()  # held while it is being closed
        self.armed_in = 0
        self.line: Any = None
        self.carriers: tuple[Any, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return arrived, (self.key,)  # in a class that somebody sends by value

    def take(self, cls: type) -> None:
        """Make a class this owner's: its instances are admitted until the owner is closed, and closed when dropped open."""
        self.classes[id(cls)] = cls
        if not any("__del__" in base.__dict__ for base in cls.__mro__):
            type.__setattr__(cls, "__del__", _closing_del(self))
        type.__setattr__(cls, "__new__", staticmethod(_admitting_new(cls, self)))
        if type(cls.__init__) is FunctionType:  # type: ignore[misc]
            type.__setattr__(cls, "__init__", _announcing_init(cls, self))

    def admit(self, cls: type) -> None:
        """Let an instance be made, or refuse; with the first one, see to it that this process closes it in the end.

        Raises:
            OwnerClosed: The owner is closed in this process.
        """
        if self.closed:
            raise later("refusals").class_closed(cls)
        if self.armed_in != os.getpid():
            self.arm()
            if self.closed:  # in its own process, before this one held it
                raise later("refusals").class_closed(cls)
        fresh[threading.get_ident()] = id(cls)

    def allocated(self, cls: type, instance: Any) -> None:
        """Note an instance that has nothing in it yet; refuse it if the owner was closed meanwhile: closing has not seen it."""
        if self.closed:
            unmade.add(id(instance))
            raise later("refusals").class_closed(cls)
        unmade.discard(id(instance))  # of one that had this id before
        fresh[threading.get_ident()] = id(instance)

    def arm(self) -> None:
        """See to it that this process closes what it holds when it ends, or when the owner is closed in its own process."""
        self.armed_in = os.getpid()
        later("closing").arm()
        if not self.is_at_home and self.line is None and not self.closed:
            later("lines").hold(self)

    @property
    def is_at_home(self) -> bool:
        """Whether the owner was made in this process."""
        return self.key[-len(mark) :] == mark

    def listen(self) -> None:
        """Once a class of it may be in another process, let the owner's end be noticed there."""
        if self.is_at_home and self.line is None:
            later("lifeline").listen(self)

    def hang(self, callback: Callable[[], Any]) -> None:
        """Have something run on closing, at the latest when this process ends."""
        self.callbacks.append(callback)
        _kept.add(self)
        self.arm()

    def shut(self) -> None:
        """Mark the key as closed in this process, for classes that arrive later too."""
        self.closed = True
        if self.line is not None:
            self.line.let_go()
        _closed.add(self.key)
        _kept.discard(self)


def local(key: bytes) -> Ownership:
    """The ownership of a key in this process."""
    _hook_ends()
    found = _known.get(key)
    if found is None:
        found = _known.setdefault(key, Ownership(key))
    return found


def _hook_ends() -> None:
    """Have this process close what it holds when it ends, even where no constructor saw how an instance was made."""
    global _hooked_in
    if _hooked_in != os.getpid():
        _hooked_in = os.getpid()
        atexit.register(at_end, _hooked_in)
        if util := sys.modules.get("multiprocessing.util"):  # which ends some children past atexit
            util.Finalize(None, at_end, args=(_hooked_in,), exitpriority=100)


def at_end(pid: int) -> None:
    """Close everything when this process ends; a forked child that runs its parent's exit hooks does nothing here."""
    if pid == os.getpid():
        later("closing").close_everything()


def arrived(key: bytes) -> Ownership:
    """The ownership of a key that came from another process: this process is somebody's child, and may be told to end."""
    catch_terminate()  # only the main thread can, and the first instance may be made by another
    ownership = local(key)
    if ownership.line is None:
        ownership.armed_in = 0  # the owner may not have listened yet when it was last looked for
        ownership.listen()  # at home
    return ownership


def catch_terminate() -> None:
    """Close before SIGTERM ends this process: only on the main thread, and only over the default action."""
    on_main = threading.current_thread() is threading.main_thread()
    if on_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and not _is_caught(signal.SIGTERM):
        signal.signal(signal.SIGTERM, terminate)


def _is_caught(number: int) -> bool:
    """Whether C code has set a handler, of which Python knows nothing: faulthandler, say. Linux tells."""
    try:
        with open("/proc/self/status", "rb") as status:
            return bool(int(status.read().partition(b"SigCgt:")[2].split()[0], 16) >> number - 1 & 1)
    except (OSError, IndexError):
        return False


def terminate(number: int, frame: FrameType | None) -> None:
    """Close, then die of the same signal: the exit status is as without us.

    It never raises: SystemExit would wait for unread queue data, and is swallowed where the signal arrives in a ``__del__``.
    While this thread is closing anyway it only takes note: closing has a deadline, and the signal is answered after it.
    """
    if threading.get_ident() in busy:
        told.append(number)
        return
    try:
        later("closing").close_everything()
    finally:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        os._exit(128 + number)  # in a container's first process, which such a signal does not end


def _in_forked_child() -> None:
    global inherited_parent, mark
    mark, process = os.urandom(6), sys.modules.get("multiprocessing.process")
    inherited_parent = process and process.parent_process()
    busy.clear()
    fresh.clear()
    unmade.clear()
    making.clear()  # of threads that are not here; this one's constructor goes on without
    _kept.clear()  # what was hung on them is the parent's to run
    for ownership in list(_known.values()):
        ownership.callbacks.clear()
        ownership.gate = threading.Lock()  # the old one may be held by a thread that is not here
        ownership.line = None
    if _known:
        catch_terminate()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_in_forked_child)


def all_known() -> list[Ownership]:
    """Every ownership that something in this process still holds."""
    return list(_known.values())


def _admitting_new(cls: Any, ownership: Ownership) -> Callable[..., Any]:
    own = cls.__dict__.get("__new__")
    own = own.__func__ if isinstance(own, staticmethod) else own

    def make(kind: Any, *args: Any, **kwargs: Any) -> Any:
        if own is not None:
            return own(kind, *args, **kwargs)
        inherited = super(cls, kind).__new__
        if inherited is not object.__new__:
            return inherited(kind, *args, **kwargs)
        if (args or kwargs) and kind.__init__ is object.__init__:
            raise TypeError(f"{kind.__name__}() takes no arguments")
        return inherited(kind)

    def __new__(kind: Any, /, *args: Any, **kwargs: Any) -> Any:  # noqa: N807 -- it becomes this method
        ownership.admit(kind)
        try:
            instance = make(kind, *args, **kwargs)
        except BaseException:
            fresh.pop(threading.get_ident(), None)
            raise
        ownership.allocated(kind, instance)
        return instance

    __new__.__wrapped__ = own or _as_signed(cls)  # type: ignore[attr-defined]  # inspect.signature follows it
    return __new__


def _announcing_init(cls: Any, ownership: Ownership) -> Callable[..., None]:
    """A constructor that says it is at work, so that closing waits for it: what it opens after that would stay open."""
    own = cls.__dict__.get("__init__")

    def __init__(self: Any, /, *args: Any, **kwargs: Any) -> None:  # noqa: N807 -- it becomes this method
        construct = own.__get__(self, cls) if own is not None else super(cls, self).__init__
        if making.get(id(self)) == threading.get_ident():
            construct(*args, **kwargs)  # called by a derived class's
            return
        making[id(self)] = threading.get_ident()
        made = False
        try:
            if ownership.closed:
                raise later("refusals").class_closed(type(self))
            construct(*args, **kwargs)
            made = True
        finally:
            if not made and ownership.closed:
                unmade.add(id(self))
            if fresh.get(threading.get_ident()) == id(self):
                del fresh[threading.get_ident()]
            making.pop(id(self), None)

    update_wrapper(__init__, cls.__init__)
    return __init__


def _closing_del(ownership: Ownership) -> Callable[[Any], None]:
    def __del__(self: Any) -> None:  # noqa: N807 -- it becomes this method
        if id(self) in ownership.found:  # it was closed with its owner
            ownership.found.discard(id(self))
        elif not sys.is_finalizing():
            later("closing").dropped(self, ownership)

    __del__.closes = True  # type: ignore[attr-defined]  # what it was called on needs no further look
    return __del__


def _as_signed(cls: Any) -> Any:
    inherited = cls.__new__ if type(cls.__new__) is FunctionType else cls.__init__
    if type(inherited) is FunctionType:
        return inherited
    return _takes_nothing if inherited is object.__init__ else inherited


def _takes_nothing(self):  # type: ignore[no-untyped-def]  # as the signature shows no annotations
    """Stands for the constructor of a class that has none."""
