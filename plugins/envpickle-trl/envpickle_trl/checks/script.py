"""The training script's main guard: without one, the rollout process trains again instead of playing."""

import ast
from collections.abc import Iterator

from ..mainscript import Script, is_guard
from ..report import Finding
from ..setups import NotChecked, Setup

NAME = "script"
FINDINGS = {
    "script.no-guard": "The script trains at its top level, where the rollout process that Python spawns runs it again.",
    "script.no-file": "The script comes from standard input, or its file is gone; a spawned process ends looking for it.",
}

_TRAINER = "AsyncGRPOTrainer"
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def check(setup: Setup) -> Iterator[Finding]:
    """Read the script's source for work that is not under ``if __name__ == "__main__":``."""
    script = setup.script
    if script is None or (script.tree is None and not script.fatal):
        raise NotChecked("there is no source to read" + (f": {script.lost}" if script is not None and script.lost else ""))
    if script.fatal:
        yield Finding(
            "script.no-file",
            script.name,
            "error",
            f"The rollout process is spawned, and a spawned process imports the script first: {script.lost}.",
            "Save it as a file, and run that.",
        )
    if script.tree is not None:
        yield from _unguarded(script, script.tree, setup.given == {})


def _unguarded(script: Script, tree: ast.Module, must_be_named: bool) -> Iterator[Finding]:
    trainers = _trainer_names(tree)
    if must_be_named and not trainers:
        return  # nothing here tells that this script trains with a rollout process
    work = _Work(tree, trainers)
    for statement in _run_by_a_child(tree):
        found = work.first(statement)
        if found is not None:
            yield Finding(
                "script.no-guard",
                f"{script.name}:{found.lineno}",
                "error",
                f"{ast.unparse(found)[:80]} runs at the top level, so it runs again in the rollout process, which Python "
                "spawns and which imports the script: it would start a trainer of its own and fail.",
                'Put it, and all that trains, into a function, and call that under if __name__ == "__main__":.',
            )
            return  # the first is where the reader has to begin; the rest moves with it


def _run_by_a_child(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when the script is imported; of a guard, what stands under its ``else``."""
    for statement in tree.body:
        if isinstance(statement, ast.If) and is_guard(statement):
            yield from statement.orelse
        else:
            yield statement


def _trainer_names(tree: ast.Module) -> set[str]:
    """The names this script calls the trainer by, aliases and its own subclasses among them."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names if alias.name == _TRAINER}
        elif isinstance(node, ast.Attribute) and node.attr == _TRAINER:
            names.add(_TRAINER)
        elif isinstance(node, ast.ClassDef) and any(_last_name(base) in {*names, _TRAINER} for base in node.bases):
            names.add(node.name)
    return names


class _Work:
    """Finds the calls that make or run a trainer, also through the script's own functions."""

    def __init__(self, tree: ast.Module, trainers: set[str]) -> None:
        self._trainers = {*trainers, _TRAINER}
        self._bound = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and self._makes(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self._functions: set[str] = set()
        defined = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        grown = True
        while grown:  # a function that calls one that trains trains too
            found = {node.name for node in defined if any(self.first(inner) is not None for inner in node.body)}
            grown = not found <= self._functions
            self._functions |= found

    def first(self, statement: ast.stmt) -> ast.Call | None:
        """The first call of a statement that works when the statement is run; what it only defines does not."""
        waiting: list[ast.AST] = [statement]
        found: list[ast.Call] = []
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Call) and self._works(node):
                found.append(node)
            if not isinstance(node, _BLOCKS):
                waiting += ast.iter_child_nodes(node)
        return min(found, key=lambda call: (call.lineno, call.col_offset), default=None)

    def _works(self, call: ast.Call) -> bool:
        if self._makes(call) or self._trains(call.func):
            return True
        handed = [call.func, *call.args, *(keyword.value for keyword in call.keywords)]  # fire.Fire(main)
        return any(isinstance(each, ast.Name) and each.id in self._functions for each in handed)

    def _makes(self, call: ast.Call) -> bool:
        return _last_name(call.func) in self._trainers

    def _trains(self, called: ast.expr) -> bool:
        """Whether this is ``trainer.train``; a model's ``train`` only switches it over."""
        if not isinstance(called, ast.Attribute) or called.attr != "train":
            return False
        owner = _last_name(called.value)
        return owner in self._bound or "trainer" in owner.lower()


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
