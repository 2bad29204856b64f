"""What the command is pointed at: an object of a module, a script or one of its objects, or a script that is run."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ..reachability import why_unreachable
from ..runtime import MAIN, Builder


class Target(NamedTuple):
    """What is to be explained.

    Attributes:
        name: What to call it.
        values: The objects, each with the step that leads to it; one with an empty step is the target itself.
        hints: What else to say.
        lost: Why the object is not there in a process that Python starts; empty if it is.
        handing: How multiprocessing was sending it: ``"start"``, ``"send"``, or empty.
        pickler: Who was pickling it when it failed; empty if nobody was.
        scope: What the verdict is about, if that is less than the target.
        further: What was not looked at, and how to.
    """

    name: str
    values: list[tuple[str, Any]]
    hints: tuple[str, ...] = ()
    lost: str = ""
    handing: str = ""
    pickler: str = ""
    scope: str = ""
    further: str = ""


class TargetError(Exception):
    """The target cannot be loaded; the text says why."""


def load(target: str) -> Target:
    """Load what a target names.

    Args:
        target: ``MODULE:OBJECT``, ``FILE.py`` or ``FILE.py:OBJECT``.

    Raises:
        TargetError: It cannot be loaded.
    """
    place, _, name = target.rpartition(":") if not target.endswith(".py") else (target, "", "")
    if place.endswith(".py"):
        return _of_script(place, name)
    if not place or not name:
        hint = " envpickle inspect shows what a file of pickles holds." if os.path.isfile(target) else ""
        raise TargetError(f"{target!r} names no object. Give MODULE:OBJECT, FILE.py or FILE.py:OBJECT.{hint}")
    sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(place)
    except (Exception, SystemExit) as error:
        raise TargetError(f"importing {place} failed: {type(error).__name__}: {error}") from error
    return Target(target, [("", _attribute(found, name, place))])


def _attribute(found: Any, name: str, place: str) -> Any:
    for step in name.split("."):
        try:
            found = getattr(found, step)
        except AttributeError:
            raise TargetError(f"{place} has no {name}: there is no attribute {step!r}.") from None
    return found


def _of_script(file: str, name: str) -> Target:
    main = run_as(file, "__mp_main__", ())
    script = os.path.basename(file)
    guarded = sorted(set(_under_the_guard(file)))
    said = f"{script} was run as a spawned child runs it, as __mp_main__: what is under its main guard was not."
    if name:
        first = name.partition(".")[0]
        if not hasattr(main, first) and first in guarded:
            return Target(f"{script}:{name}", [], (said,), why_unreachable(first))
        return Target(f"{script}:{name}", [("", _attribute(main, name, script))], (said,))
    own = [(f":{key}", value) for key, value in vars(main).items() if _is_own(key, value)]
    unseen = [one for one in guarded if not hasattr(main, one)]
    if unseen:
        said += f" Not looked at, therefore: {', '.join(unseen)}. A child has none of these."
    further = f"What it sends when it runs was not looked at. Next: envpickle explain --run {file}"
    return Target(script, own, (said,), scope=f"What {script} has at its top level", further=further)


def _is_own(name: str, value: Any) -> bool:
    """Whether a top-level name of a script is something of its own, not what it imported."""
    if name[:2] == "__" or issubclass(type(value), ModuleType):
        return False
    if issubclass(type(value), Builder):
        return value.module in MAIN
    return not issubclass(type(value), FunctionType | type) or value.__module__ in MAIN or "@" in value.__qualname__


def run_as(file: str, name: str, arguments: tuple[str, ...]) -> ModuleType:
    """Run a script as a module of a name, and leave it in place as this process's main module.

    Args:
        file: Its path.
        name: ``__mp_main__`` as in a spawned child, or ``__main__``.
        arguments: The words after its name in ``sys.argv``.

    Raises:
        TargetError: It cannot be read, or (as ``__mp_main__``) it raises.
    """
    path = os.path.abspath(file)
    try:
        with open(path, "rb") as source:
            code = compile(source.read(), path, "exec", dont_inherit=True)
    except FileNotFoundError:
        raise TargetError(f"there is no script {file}.") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise TargetError(f"{file} cannot be run: {type(error).__name__}: {error}") from error
    module = ModuleType(name)
    module.__dict__.update(__file__=path, __builtins__=__builtins__)
    sys.argv[:] = [file, *arguments]
    sys.path.insert(0, os.path.dirname(path))
    sys.modules[name] = sys.modules["__main__"] = module
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        if name == "__main__":
            raise
        raise TargetError(f"{file} raises {type(error).__name__} when it is run as a child runs it: {error}") from error
    return module


def _under_the_guard(file: str) -> Iterator[str]:
    """The names that a script binds at its top level, under a test of ``__name__``."""
    with open(file, "rb") as source:
        body = ast.parse(source.read()).body
    for node in body:
        if isinstance(node, ast.If) and "__name__" in {getattr(inner, "id", "") for inner in ast.walk(node.test)}:
            for inner in (below for statement in node.body for below in ast.walk(statement)):
                if isinstance(inner, ast.FunctionDef | ast.ClassDef):
                    yield inner.name
                elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    yield inner.id
