"""Builders in the file that is run.

A script's module is called ``__main__`` in every process that runs one, so its builders are told apart by a digest of the
script's source. Classes of such a builder are found in a live module of ours, one per script, that shows the script's own
variables. They pickle with the builder's raw function beside the descriptor: plain pickle sends its name, which a spawned
child finds; cloudpickle sends the function itself, which a worker that never saw the script can run.
"""

import os
import sys
from types import FunctionType, ModuleType
from typing import Any

from . import errors, payload
from .classes import RECORD, Record, find, later
from .payload import Call, digest_of
from .runtime import MAIN, Builder, live

_own: dict[bytes, "LiveModule"] = {}  # scripts this process runs (a notebook: one for each decoration)
_visiting: dict[tuple[bytes, str], Builder] = {}  # builders that came by value, from somebody else's script


class LiveModule(ModuleType):
    """Where the classes of one script's builders are found; its variables are the script's."""

    def __init__(self, name: str, namespace: dict[str, Any]) -> None:
        super().__init__(name, "Classes that the builders of a script made.")
        object.__setattr__(self, "_namespace", namespace)
        object.__setattr__(self, "_visitors", {})

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # typing and dataclasses resolve annotations here
        namespace: dict[str, Any] = object.__getattribute__(self, "_namespace")
        return namespace

    @property
    def __file__(self) -> str | None:  # type: ignore[override]
        return self.__dict__.get("__file__")

    def __getattr__(self, name: str) -> Any:
        for table in (object.__getattribute__(self, "_visitors"), self.__dict__):
            if name in table:
                return table[name]
        raise AttributeError(f"{self.__name__} has no attribute {name!r}")


def settle(builder: Builder) -> None:
    """Give a builder defined in ``__main__`` the digest of its script and the live module of its classes."""
    fn = _innermost(builder.fn)
    namespace = fn.__globals__ if hasattr(fn, "__globals__") else sys.modules["__main__"].__dict__
    file = namespace.get("__file__")
    builder.script = _digest(file) or os.urandom(16)
    if builder.script not in _own:
        _own[builder.script] = _live_module(builder.script, namespace)
    builder.home = _own[builder.script].__name__
    if builder.fn.__module__ in MAIN and builder.fn.__qualname__ == builder.qualname:
        builder.fn.__qualname__ = f"{builder.qualname}.fn"  # the name plain pickle finds the raw function under


def is_current(builder: Builder) -> bool:
    """Whether the builder is still what its name leads to in its script."""
    return find(builder.home, builder.qualname) is builder


def reduce_class(record: Record) -> Any:
    """What a class of a script's builder is pickled as; refused where a spawned child could not find the builder."""
    builder = record.builder
    if _sends_functions():
        return payload.rebuild_from_main, (builder.fn, record.head, *record.parts)
    if _visits(builder):
        return payload.rebuild_class, (record.head, *record.parts)  # plain pickle: the script's own process knows it by name
    refuse_unreachable(builder)
    return payload.rebuild_from_main, (builder.fn, record.head, *record.parts)


def reduce_builder(builder: Builder) -> Any:
    """What a script's builder is pickled as, so that a task that calls it runs on a cluster too."""
    if not _sends_functions() and not _visits(builder):
        refuse_unreachable(builder)
    return payload.builder_from_main, (builder.fn, builder.script, builder.qualname)


def refuse_unreachable(builder: Builder) -> None:
    """Refuse a builder that a process which imports the script would not find.

    Raises:
        ScriptBuilderRefused: It would not; the message says why.
    """
    why: str = later("reachability").why_unreachable(builder)
    if why:
        raise errors.ScriptBuilderRefused(
            f"a process that Python starts could not find the builder {builder.qualname!r}: {why}. Move it to the top level of "
            f"a module that can be imported (or of the script, outside the main guard), or send it with cloudpickle.",
            builder=builder.qualname,
        )


def rebuild(fn: Any, head: bytes, parts: tuple[bytes, ...]) -> type:
    """Return the class of a script's builder; see :func:`envpickle.payload.rebuild_from_main`."""
    cls = live(head[3:19]) if type(head) is bytes else None
    if cls is not None:
        record = cls.__dict__[RECORD]
        if record.head == head and record.parts == parts and record.builder.is_current():
            return cls
    return payload.arrive(head, parts, lambda call: _builder_of(fn, call))


def _builder_of(fn: Any, call: Call) -> Builder:
    if call.script is None:
        raise later("refusals").bad_bytes("it came with a script's function, and names no script")
    return builder_for(fn, call.script, call.qualname)


def builder_for(fn: Any, script: bytes, qualname: str) -> Builder:
    """This process's own builder if it runs the same script, else the visiting one; see ``builder_from_main``."""
    home = _own.get(script) if type(script) is bytes and type(qualname) is str else None
    if home is not None:
        own = find(home.__name__, qualname)
        if isinstance(own, Builder):
            return own
    if type(fn) is not FunctionType or type(script) is not bytes or type(qualname) is not str or len(script) != 16:
        raise later("refusals").bad_bytes("what came beside it is no function of a script")
    if any(getattr(find(m.__name__, qualname), "fn", None) is fn for m in _own.values()):
        raise _other_script(qualname)
    known = _visiting.get((script, qualname))
    return known if known is not None else _welcome(fn, script, qualname)


def own_builder(call: Call) -> Builder:
    """Find a script's builder by name alone, in a process that runs the same script.

    Raises:
        ScriptMismatch: This process runs no script, or another one.
    """
    found = None
    if call.script is not None and call.module == "__main__":
        home = _own.get(call.script)
        found = find(home.__name__, call.qualname) if home is not None else _visiting.get((call.script, call.qualname))
    if not isinstance(found, Builder):
        raise _other_script(call.qualname)
    return found


def _other_script(qualname: str) -> Exception:
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return errors.ScriptMismatch(
        f"the descriptor names the builder {qualname!r} of a script, and this process runs another or an edited one "
        f"({main or 'no file'}). Start this process again from the same script, or move the builder to a module.",
        builder=qualname,
    )


def _welcome(fn: Any, script: bytes, qualname: str) -> Builder:
    """Make a builder of a function that came by value."""
    builder = Builder.__new__(Builder)
    builder.__dict__.update(fn=fn, module="__main__", qualname=qualname, script=script, __wrapped__=fn)
    builder.__dict__.update(__name__=qualname.rpartition(".")[2], __module__="__main__", __qualname__=qualname)
    builder.__dict__["__doc__"] = fn.__doc__
    home = _live_module(script, _innermost(fn).__globals__)
    object.__getattribute__(home, "_visitors")[qualname] = builder
    builder.home = home.__name__
    return _visiting.setdefault((script, qualname), builder)


def _visits(builder: Builder) -> bool:
    return _visiting.get((builder.script or b"", builder.qualname)) is builder


def _live_module(script: bytes, namespace: dict[str, Any]) -> LiveModule:
    stem = os.path.splitext(os.path.basename(namespace.get("__file__") or "main"))[0]
    name = f"script_{stem}_{script.hex()[:12]}".replace(".", "_")
    found = sys.modules.get(name)
    if not isinstance(found, LiveModule):
        found = sys.modules[name] = LiveModule(name, namespace)
    return found


def _innermost(fn: Any) -> Any:
    while hasattr(fn, "__wrapped__"):
        fn = fn.__wrapped__
    return fn


def _digest(file: Any) -> bytes | None:
    try:
        with open(file, "rb") as source:
            return digest_of(source.read())
    except (OSError, TypeError, ValueError):
        return None


def _sends_functions() -> bool:
    """Whether the pickler that asks sends functions of ``__main__`` by value; who asks is read from the calling frame."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if name.partition(".")[0] not in ("envpickle", "pickle", "copyreg", "functools"):
            return "cloudpickle" in name or name.startswith("dill.")
        frame = frame.f_back
    return False
