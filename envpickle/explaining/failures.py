"""What was being pickled when an error was raised, read from the error's own traceback; nothing is called or evaluated."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from .targets import Target

_DUMPS = ("dump", "dumps")
_SENDERS = ("multiprocessing.reduction", "cloudpickle", "dill", "joblib", "ray")
_NOTHING = object()


def what_failed(error: BaseException) -> Target | None:
    """Find the object that was being pickled.

    Args:
        error: What a script, or multiprocessing, raised.

    Returns:
        The object, with the pickler that was at work; None if the traceback does not lead to one.
    """
    for trace in _traces(error):
        frame = trace.tb_frame
        module = str(frame.f_globals.get("__name__"))
        if frame.f_code.co_name in _DUMPS and module.startswith(_SENDERS):
            found = frame.f_locals.get("obj", _NOTHING)
            who = "cloudpickle" if "cloudpickle" in module else "dill" if module.startswith("dill") else "pickle"
        else:
            found, who = _handed_to_dumps(frame, trace)
        if found is not _NOTHING:
            return _target(found, who, module)
    return None


def is_about_pickling(error: BaseException) -> bool:
    """Whether an error says that something could not be pickled."""
    return "ickl" in f"{type(error).__name__} {error}" or type(error).__name__ == "MaybeEncodingError"


def _target(found: Any, who: str, module: str) -> Target:
    state = getattr(found, "__dict__", {}) if module == "multiprocessing.reduction" else {}
    if "_target" in state and "_args" in state:  # a Process: it has no public word for what it was given
        call = [(" target", state["_target"]), (" args", state["_args"]), (" kwargs", state["_kwargs"])]
        return Target("process", call, handing="start", pickler=who)
    handing = "send" if module == "multiprocessing.reduction" else ""
    return Target("what was sent", [("", found)], handing=handing, pickler=who)


def _traces(error: BaseException) -> Iterator[TracebackType]:
    """The steps of an error's traceback, and of what caused it, outermost first."""
    seen: list[BaseException] = []
    here: BaseException | None = error
    while here is not None and here not in seen:
        seen.append(here)
        trace = here.__traceback__
        while trace is not None:
            yield trace
            trace = trace.tb_next
        here = here.__cause__ or here.__context__


def _handed_to_dumps(frame: FrameType, trace: TracebackType) -> tuple[Any, str]:
    """The variable that a frame was just handing to ``pickle.dumps``, and whose ``dumps`` it was."""
    for call in ast.walk(_parsed(frame.f_code.co_filename)):
        if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Name):
            continue
        name = ast.unparse(call.func).rpartition(".")
        if call.lineno <= trace.tb_lineno <= (call.end_lineno or 0) and name[2] in _DUMPS and name[0] in _PICKLERS:
            variables = {**frame.f_globals, **frame.f_locals}
            return variables.get(call.args[0].id, _NOTHING), name[0]
    return _NOTHING, ""


_PICKLERS = ("pickle", "cloudpickle", "dill")


def _parsed(file: str) -> ast.AST:
    try:
        with open(file, "rb") as source:
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])
