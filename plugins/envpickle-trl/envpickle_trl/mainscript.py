"""What a spawned process finds of the script that was run: everything but what stands under its main guard.

A process that Python spawns imports the script again, under the name ``__mp_main__``, so that what is under
``if __name__ == "__main__":`` does not run there, and what is not under it does.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

__all__ = ["MAIN_NAMES", "Script", "from_standard_input", "is_guard", "read_main", "read_script"]

MAIN_NAMES = ("__main__", "__mp_main__")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Script:
    """A script as a spawned process sees it.

    Attributes:
        name: How to call it in a message.
        tree: Its source, parsed; None if there is none to be had.
        lost: Why a spawned process finds nothing of it; empty if it does find it.
        fatal: Whether a spawned process even ends when it looks for it.
        guarded: Names bound under the main guard and nowhere else, which a spawned process does not find.
    """

    name: str
    tree: ast.Module | None = None
    lost: str = ""
    guarded: frozenset[str] = field(default=frozenset())
    fatal: bool = False

    def why_not_found(self, qualname: str) -> str:
        """Say why a spawned process does not find a name of this script.

        Args:
            qualname: The dotted name of a function or class.

        Returns:
            The reason, or an empty text if it is found, as far as the source tells.
        """
        if self.lost:
            return self.lost
        top = qualname.partition(".")[0]
        return f"{top} is defined under the main guard of {self.name}, which does not run there" if top in self.guarded else ""


def read_script(path: str | Path) -> Script:
    """Read a script from its file.

    Args:
        path: The file.

    Returns:
        The script.

    Raises:
        OSError: The file cannot be read.
        SyntaxError: It is no Python.
    """
    path = Path(path)
    tree = ast.parse(path.read_bytes(), str(path))
    return Script(path.name, tree, guarded=_only_under_the_guard(tree))


def read_main(module: ModuleType | None = None) -> Script:
    """Read the script that this process runs.

    Args:
        module: Its main module; ``sys.modules["__main__"]`` when left out.

    Returns:
        The script; if a spawned process finds nothing of it, `Script.lost` says why.
    """
    main = module if module is not None else sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    if spec is not None and spec.name.rpartition(".")[2] == "__main__":
        return Script("__main__.py", lost="it stands in a __main__.py, which a spawned process does not import")
    if spec is None and file is None:  # nothing is imported there, and only what the script defines is missed
        return Script("the script", lost="the script comes from -c or a notebook, which a spawned process cannot import")
    if spec is None and not Path(file or "").is_file():
        return from_standard_input() if file == "<stdin>" else Script(str(file), lost=f"{file} is no file any more", fatal=True)
    try:
        return read_script(file or "")
    except (OSError, SyntaxError, ValueError):
        return Script(str(file))  # a compiled main, or one edited since: nothing can be told from it


def from_standard_input() -> Script:
    """Return the script of an interpreter that reads it from standard input."""
    why = "the script comes from standard input, so there is no file a spawned process could import"
    return Script("standard input", lost=why, fatal=True)


def is_guard(node: ast.stmt) -> bool:
    """Whether a statement is ``if __name__ == "__main__":``, also with further conditions joined by ``and``."""
    if not isinstance(node, ast.If):
        return False
    tests = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
    return any(map(_compares_name, tests))


def _compares_name(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return named and any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)


def _only_under_the_guard(tree: ast.Module) -> frozenset[str]:
    under: set[str] = set()
    elsewhere: set[str] = set()
    for statement in tree.body:
        if is_guard(statement):
            assert isinstance(statement, ast.If)
            under |= _bound(statement.body)
            elsewhere |= _bound(statement.orelse)
        else:
            elsewhere |= _bound([statement])
    return frozenset(under - elsewhere)


def _bound(statements: list[ast.stmt]) -> set[str]:
    """The names a block binds in its own scope: definitions, imports and assignments, in nested blocks too."""
    return {name for node in _own_scope(statements) for name in _names(node)}


def _own_scope(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_SCOPES, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, _SCOPES):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
