"""Builders in the file that is run.

A script's module is called ``__main__`` in every process that runs one, so its builders are told apart by a digest of the
script's source. Classes of such a builder are found in a live module of ours, one per script, that shows the script's own
variables. They pickle with the builder's raw function beside the descriptor: plain pickle sends its name, which a spawned
child finds; cloudpickle sends the function itself, which a worker that never saw the script can run.
"""

import os
import sys
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from . import errors
from .classes import find, innermost, later
from .payload import Call, digest_of
from .runtime import MAIN, Builder

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
    later("beside").name_missing()
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


def name_in_script(value: Any) -> tuple[bytes, str] | None:
    """Digest and name of a function, class or builder of this process's script; None where its name does not lead to it."""
    name = value.qualname if isinstance(value, Builder) else getattr(value, "__qualname__", value.__name__)
    visiting = next((key for key, guest in _guests.items() if guest is value), None)
    if visiting is not None:
        return visiting
    return (own_digest(), name) if find("__main__", name) is value else None


def object_of(digest: bytes, name: str) -> Any:
    """Find a function, class or builder of a script: this process's own if it runs that script, else one that came by value.

    Raises:
        ScriptMismatch: This process runs another script, and none came.
    """
    found = _guests.get((digest, name))
    if found is None and digest == own_digest():
        found = find("__main__", name)
    if found is None and digest in _own:
        found = find(_own[digest].__name__, name)
    if found is None:
        raise _other_script(name)
    return found


def own_digest() -> bytes:
    """Digest of the script this process runs."""
    if not _main_digest:
        recorded = next(iter([*_own]), None)  # of a builder: from when the script began
        _main_digest.append(recorded or _digest(getattr(sys.modules["__main__"], "__file__", None)) or os.urandom(16))
    return _main_digest[0]


def is_guest(value: Any) -> bool:
    """Whether a function or class came by value, from somebody else's script."""
    return any(guest is value for guest in _guests.values())


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


def welcome(value: Any, digest: bytes, name: str) -> None:
    """Keep a function or class that came by value, under its script's digest and its name.

    Raises:
        ScriptMismatch: It came by name, and so is what this process's own script calls by that name.
    """
    if digest in _own or digest == own_digest():
        return
    if find("__main__", name) in (value, getattr(value, "__wrapped__", value)):
        raise _other_script(name)  # it came by name, and so is this script's
    if getattr(value, "__qualname__", "") == f"{name}.fn":
        value = builder_for(value, digest, name)
    _guests.setdefault((digest, name), value)


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
    _show(builder, object.__getattribute__(home, "_visitors"))
    builder.home = home.__name__
    return _visiting.setdefault((script, qualname), builder)


def _show(builder: Builder, visitors: dict[str, Any]) -> None:
    """Have a live module lead to a visiting builder, through a stand-in for the class it is a static method of."""
    *around, last = builder.qualname.split(".")
    for name in around:
        visitors = visitors.setdefault(name, SimpleNamespace()).__dict__
    visitors[last] = builder


def visits(builder: Builder) -> bool:
    """Whether a builder came by value, from somebody else's script."""
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
