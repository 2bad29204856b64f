"""Whether a process that Python starts would find a name of this script, judged before anything is sent.

A child runs the script once more under another ``__name__``. What it will find is read from the script's source: the names
bound at module level, in branches that run there too. A test made of ``__name__`` and constants is evaluated as the child
would; one that asks which process this is stands in nobody's way but the child's.
"""

from __future__ import annotations

import ast
import os
import sys

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_CHILD = {"__name__": "__mp_main__"}
_ASKS_WHICH_PROCESS = ("parent_process", "current_process", "__name__", "__main__")
_EVALUATED = (
    ast.Expression, ast.Name, ast.Load, ast.Constant, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.Not,
    ast.Tuple, ast.List, ast.Set,
)  # fmt: skip
_read: dict[tuple[str, float], dict[str, bool]] = {}


def why_unreachable(name: str) -> str:
    """Why a spawned child would not find a name of this script; empty if it would."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if not isinstance(file, str) or not os.path.isfile(file):
        return "the program runs from -c, standard input, a notebook or an archive, which a child cannot run again"
    spec = getattr(main, "__spec__", None)
    if spec is not None and (spec.name == "__main__" or spec.name.endswith(".__main__")):
        return "it lives in a __main__.py, which Python does not import into the processes it starts"
    bound = _names_bound(file)
    if bound is None or bound.get(name):
        return ""
    script = os.path.basename(file)
    if name in bound:
        return f"in {script} it is defined under the main guard, or a test like it, which a child does not pass"
    return f"no statement at the top level of {script} defines it, so a child that runs the script may not have it"


def only_here(cls: type) -> bool:
    """Whether a class's name may lead to it in this process alone: nothing its module does when it is imported binds it.

    So it is with what a library's class maker puts into a module when it is called, and with a script's own classes under
    the main guard. Where the source does not tell, the name is believed.
    """
    top = cls.__qualname__.partition(".")[0]
    if "[" in cls.__qualname__:  # no class statement gives such a name; pydantic does
        return True
    if cls.__module__ in ("__main__", "__mp_main__"):
        return bool(why_unreachable(top))
    module = sys.modules.get(cls.__module__)
    file, spec = getattr(module, "__file__", None), getattr(module, "__spec__", None)
    if spec is None:
        return True  # no import made this module, so none will make it elsewhere
    if not isinstance(file, str) or not file.endswith(".py") or not os.path.isfile(file):
        return False
    bound = _names_bound(file)
    return bound is not None and top not in bound and not _binds_in_other_ways(file)


def _binds_in_other_ways(file: str) -> bool:
    """Whether a module's top level may bind names that do not stand there: by a star, by a table of variables, by exec."""
    with open(file, "rb") as source:
        tree = ast.parse(source.read())
    level: list[ast.AST] = list(tree.body)
    for node in level:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue  # what a function does, somebody calls it for
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return True
        if isinstance(node, ast.Name) and node.id in ("globals", "vars", "locals", "setattr", "exec"):
            return True
        level.extend(ast.iter_child_nodes(node))
    return False


def _names_bound(file: str) -> dict[str, bool] | None:
    """The names a script binds, each with whether a child binds it too; None where the source cannot be read."""
    key = file, os.stat(file).st_mtime
    if key not in _read:
        try:
            with open(file, "rb") as source:
                tree = ast.parse(source.read())
        except (OSError, SyntaxError, ValueError):
            return None
        found: dict[str, bool] = {}
        for name, runs in _bindings(tree.body, True, dict(_CHILD)):
            found[name] = found.get(name, False) or runs
        _read[key] = found
    return _read[key]


def _bindings(body: list[ast.stmt], runs: bool, known: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, runs
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _assigned(node, runs, known)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (((alias.asname or alias.name).partition(".")[0], runs) for alias in node.names)
        elif isinstance(node, ast.If | ast.While):
            passes = _evaluate(node.test, known)
            yield from _bindings(node.body, runs and passes is not False, known)
            yield from _bindings(node.orelse, runs and passes is not True, known)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield from _bindings(case.body, runs and not _asks(node.subject), known)
        else:
            inner = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
            inner += [handler.body for handler in getattr(node, "handlers", [])]
            for block in inner:
                yield from _bindings(block, runs, known)


def _assigned(node: ast.Assign | ast.AnnAssign, runs: bool, known: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    names = [
        name.id
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]
    value = _evaluate(node.value, known) if node.value is not None else None
    if isinstance(node.value, ast.IfExp) and (passes := _evaluate(node.value.test, known)) is not None:
        runs = runs and not isinstance(node.value.body if passes else node.value.orelse, ast.Constant)  # no builder for a child
    for name in names:
        known.pop(name, None)
        if len(names) == 1 and value is not None:
            known[name] = value
        yield name, runs


def _evaluate(test: ast.expr, known: dict[str, Any]) -> bool | None:
    """What a test comes to in a child: True, False, or None where that cannot be told and is the same as here."""
    nodes = list(ast.walk(test))
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    if all(isinstance(node, _EVALUATED) for node in nodes) and names and all(name in known for name in names):
        try:
            return bool(eval(compile(ast.Expression(test), "<test>", "eval"), {"__builtins__": {}}, known))
        except Exception:  # noqa: BLE001 -- a comparison that Python refuses; the script would have failed here too
            return None
    return False if _asks(test) else None


def _asks(test: ast.expr) -> bool:
    """Whether a test asks which process this is."""
    words = [
        getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "value", None) for node in ast.walk(test)
    ]
    return any(word in _ASKS_WHICH_PROCESS for word in words if isinstance(word, str))
