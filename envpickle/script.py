"""Builders in the file that is run.

A script's module is called ``__main__`` in every process that runs one, so its builders are told apart by a digest of the
script's source. Classes of such a builder are found in a live module of ours, one per script, that shows the script's own
variables. They pickle with the builder's raw function beside the descriptor: plain pickle sends its name, which a spawned
child finds; cloudpickle sends the function itself, which a worker that never saw the script can run.
"""

import os
import sys
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

from . import errors, payload
from .classes import RECORD, Record, find, innermost, later
from .payload import Call, digest_of
from .runtime import MAIN, Builder, live

_own: dict[bytes, "LiveModule"] = {}  # scripts this process runs (a notebook: one for each decoration)
_visiting: dict[tuple[bytes, str], Builder] = {}  # builders that came by value, from somebody else's script
_guests: dict[tuple[bytes, str], Any] = {}  # functions and classes that came so
_main_digest: list[bytes] = []


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
    fn = innermost(builder.fn)
    namespace = fn.__globals__ if hasattr(fn, "__globals__") else sys.modules["__main__"].__dict__
    file = namespace.get("__file__")
    builder.script = _digest(file) or os.urandom(16)
    if builder.script not in _own:
        _own[builder.script] = _live_module(builder.script, namespace)
    builder.home = _own[builder.script].__name__
    if builder.fn.__module__ in MAIN:
        builder.fn.__qualname__ = f"{builder.qualname}.fn"  # the name plain pickle finds the raw function under


def is_current(builder: Builder) -> bool:
    """Whether the builder is still what its name leads to in its script."""
    return find(builder.home, builder.qualname) is builder


def reduce_class(record: Record, named: dict[str, Any]) -> Any:
    """What a class is pickled as that a script has part in: its builder, or what its arguments refer to.

    Args:
        record: The class's record.
        named: The functions and classes of the script that the call names, by their names.

    Raises:
        ScriptBuilderRefused: Plain pickle asks, and a spawned child could not find one of them.
    """
    if not _sends_functions():
        if _visits(record.builder) or any(guest is item for guest in _guests.values() for item in named.values()):
            return payload.rebuild_class, (record.head, *record.parts)  # the script's own process knows it by name
        refuse_unreachable(named)
    beside: Any = named[record.builder.qualname] if list(named) == [record.builder.qualname] else named
    return payload.rebuild_from_main, (beside, record.head, *record.parts)


def reduce_builder(builder: Builder) -> Any:
    """What a script's builder is pickled as, so that a task that calls it runs on a cluster too."""
    if not _sends_functions() and not _visits(builder):
        refuse_unreachable([builder.qualname])
    return payload.builder_from_main, (builder.fn, builder.script, builder.qualname)


def refuse_unreachable(names: Iterable[str]) -> None:
    """Refuse names that a process which imports the script would not find.

    Raises:
        ScriptBuilderRefused: It would not; the message says why.
    """
    for name in names:
        why: str = later("reachability").why_unreachable(name.partition(".")[0])
        if why:
            raise errors.ScriptBuilderRefused(
                f"a process that Python starts could not find {name!r} of this script: {why}. Move it to the top level of a "
                f"module that can be imported (or of the script, outside every guard), or send it with cloudpickle.",
                builder=name,
            )


def named_by(record: Record) -> dict[str, Any]:
    """The functions and classes of scripts that a call names: its builder, and at any depth its arguments."""
    found = {record.builder.qualname: record.builder.fn} if record.call.script is not None else {}
    for part in record.call.values:
        if payload.may_hold_tags(part.data):
            _gather(payload.unpack(part.data, True), found)
    return found


def _gather(tree: Any, found: dict[str, Any]) -> None:
    for item in tree if type(tree) is list else tree.values() if type(tree) is dict else ():
        _gather(item, found)
    if type(tree) is dict and list(tree) == ["$script"]:
        found[tree["$script"][1]] = object_of(*tree["$script"])
    elif type(tree) is dict and list(tree) == ["$class"]:
        call = payload.read(tree["$class"][0], tuple(tree["$class"][1:]))[0]
        if call.script is not None:
            found[call.qualname] = own_builder(call).fn
        for part in call.values:
            _gather(payload.unpack(part.data, True), found)


def name_in_script(value: Any) -> tuple[bytes, str] | None:
    """Digest and name of a function, class or builder of this process's script; None where its name does not lead to it."""
    name = value.qualname if isinstance(value, Builder) else value.__qualname__
    visiting = next((key for key, guest in _guests.items() if guest is value), None)
    if visiting is not None:
        return visiting
    return (_own_digest(), name) if find("__main__", name) is value else None


def object_of(digest: bytes, name: str) -> Any:
    """Find a function, class or builder of a script: this process's own if it runs that script, else one that came by value.

    Raises:
        ScriptMismatch: This process runs another script, and none came.
    """
    found = _guests.get((digest, name))
    if found is None and digest == _own_digest():
        found = find("__main__", name)
    if found is None and digest in _own:
        found = find(_own[digest].__name__, name)
    if found is None:
        raise _other_script(name)
    return found


def _own_digest() -> bytes:
    if not _main_digest:
        recorded = next(iter(_own), None)  # of a builder: from when the script began
        _main_digest.append(recorded or _digest(getattr(sys.modules["__main__"], "__file__", None)) or os.urandom(16))
    return _main_digest[0]


def rebuild(fn: Any, head: bytes, parts: tuple[bytes, ...]) -> type:
    """Return the class of a script's builder; see :func:`envpickle.payload.rebuild_from_main`."""
    cls = live(head[3:19]) if type(head) is bytes else None
    if cls is not None:
        record = cls.__dict__[RECORD]
        if record.head == head and record.parts == parts and record.builder.is_current():
            return cls
    return payload.arrive(head, parts, lambda call: _builder_of(fn, call))


def _builder_of(beside: Any, call: Call) -> Builder:
    """The builder of a call, after welcoming what came beside it: the builder's function, or several by their names."""
    named = beside if type(beside) is dict else {call.qualname: beside}
    script = call.script
    for part in call.values:
        if payload.may_hold_tags(part.data):
            _welcome_all(payload.unpack(part.data), named)
    if script is None:
        return payload.resolve(call)
    return builder_for(named.get(call.qualname), script, call.qualname)


def _welcome_all(tree: Any, named: dict[str, Any]) -> None:
    """Keep what came by value under digest and name, where this process does not run that script itself."""
    for item in tree if type(tree) is list else tree.values() if type(tree) is dict else ():
        _welcome_all(item, named)
    if type(tree) is dict and list(tree) == ["$script"]:
        digest, name = tree["$script"]
        if digest not in _own and digest != _own_digest() and name in named:
            _guests.setdefault((digest, name), named[name])
    elif type(tree) is dict and list(tree) == ["$class"]:
        call = payload.read(tree["$class"][0], tuple(tree["$class"][1:]))[0]
        if call.script is not None and call.qualname in named:
            builder_for(named[call.qualname], call.script, call.qualname)
        for part in call.values:
            _welcome_all(payload.unpack(part.data), named)


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
    home = _live_module(script, innermost(fn).__globals__)
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
