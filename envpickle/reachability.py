"""Whether a process that Python starts would find a builder of this script, judged before anything is sent."""

import ast
import os
import sys
from collections.abc import Iterator
from typing import Any


def why_unreachable(builder: Any) -> str:
    """Why a spawned child would not find a script's builder; empty if it would."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if not isinstance(file, str) or not os.path.isfile(file):
        return "the program runs from -c, standard input, a notebook or an archive, which a child cannot run again"
    spec = getattr(main, "__spec__", None)
    if spec is not None and (spec.name == "__main__" or spec.name.endswith(".__main__")):
        return "it lives in a __main__.py, which Python does not import into the processes it starts"
    known: str | None = builder.__dict__.get("_unreachable")
    if known is None:
        known = builder.__dict__["_unreachable"] = _read(file, builder.qualname.partition(".")[0])
    return known


def _read(file: str, name: str) -> str:
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return ""
    guarded = {bound for bound, inside in _bindings(tree.body, False) if inside}
    free = {bound for bound, inside in _bindings(tree.body, False) if not inside}
    if name in guarded and name not in free:
        return f"it is defined under the main guard of {os.path.basename(file)}, which a child does not run"
    return ""


def _bindings(body: list[ast.stmt], inside: bool) -> Iterator[tuple[str, bool]]:
    """The names bound by statements at module level, each with whether the main guard is around it."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, inside
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from ((n.id, inside) for n in ast.walk(target) if isinstance(n, ast.Name))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (((alias.asname or alias.name).partition(".")[0], inside) for alias in node.names)
        elif isinstance(node, ast.If):
            yield from _bindings(node.body, inside or _is_main_guard(node.test))
            yield from _bindings(node.orelse, inside)
        else:
            for field in ("body", "orelse", "finalbody"):
                yield from _bindings(getattr(node, field, []), inside)


def _is_main_guard(test: ast.expr) -> bool:
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    texts = {node.value for node in ast.walk(test) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return "__name__" in names and "__main__" in texts and not any(isinstance(n, ast.NotEq) for n in ast.walk(test))
