"""Whether what is handed to the rollout process crosses into it, part by part, with the path to what does not."""

import copyreg
import functools
import io
import pickle
import types
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.reduction import ForkingPickler
from typing import Any

from .culprits import describe, reason_and_remedy
from .mainscript import MAIN_NAMES, Script, read_main
from .report import Finding

__all__ = ["check_crossing", "culprits", "parts_of"]

CHECK = "crossing"
_MOST_CULPRITS = 8  # of one part; more would hide the first
_DEEPEST = 60  # steps of a path
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), range)


def check_crossing(
    *,
    environment_factory: Any = None,
    reward_funcs: Any = None,
    tools: Any = None,
    main: Script | None = None,
) -> list[Finding]:
    """Find what keeps a trainer's arguments from crossing into the rollout process.

    Every part is pickled as TRL checks it and as a spawned process is sent it; nothing is called, and nothing is sent.

    Args:
        environment_factory: As the trainer takes it: a callable, or several by name.
        reward_funcs: As the trainer takes it: a callable, or a list of them.
        tools: As the trainer takes it: a list of callables.
        main: The script that a spawned process imports as its main module; the one this process runs when left out.

    Returns:
        One finding for every object that does not cross, with the path to it; an empty list if all of it does.
    """
    script = main if main is not None else read_main()
    found = []
    for subject, part in _parts(environment_factory=environment_factory, reward_funcs=reward_funcs, tools=tools):
        found += [
            Finding(CHECK, path, "error", f"It does not cross into the rollout process: {reason}", remedy)
            for path, reason, remedy in _faults(part, subject, script)
        ]
    return found


def _parts(**given: Any) -> Iterator[tuple[str, Any]]:
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}[{key!r}]", item) for key, item in value.items())
        elif isinstance(value, list | tuple):
            yield from ((f"{name}[{index}]", item) for index, item in enumerate(value))
        elif value is not None:
            yield name, value


class _Tracing(ForkingPickler):
    """Pickles as a spawned process is sent things, and notes what goes by name into the script."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.of_the_script: dict[str, Any] = {}

    def reducer_override(self, value: Any) -> Any:
        # by its own type: a portable callable passes for a function, and travels in its own way
        if issubclass(type(value), types.FunctionType | type) and value.__module__ in MAIN_NAMES:
            self.of_the_script.setdefault(value.__qualname__, value)
        return NotImplemented


def _error(value: Any) -> Exception | None:
    """What pickling raises, as TRL tries it before it starts the process, and as starting it does."""
    try:
        pickle.dumps(value)
        ForkingPickler.dumps(value)
    except Exception as error:  # noqa: BLE001  # a reducer may raise anything, and all of it keeps the process from starting
        return error
    return None


def _faults(part: Any, subject: str, script: Script) -> Iterator[tuple[str, str, str]]:
    error = _error(part)
    if error is not None:
        for path, culprit, why in culprits(part, subject, error):
            reason, remedy = reason_and_remedy(culprit, why)
            yield path, reason + _closed_over(culprit), remedy
        return
    tracing = _Tracing(io.BytesIO())
    tracing.dump(part)
    for qualname, value in tracing.of_the_script.items():
        why_not = script.why_not_found(qualname)
        if why_not:
            remedy = "Put it into an importable module" + (", or above the guard." if not script.lost else " of its own.")
            yield subject, f"it names {describe(value)}, which a spawned process does not find: {why_not}.", remedy


def _closed_over(culprit: Any) -> str:
    """What a function that is not sent by name closes over and could not be sent by value either, as further sentences."""
    cells = zip(culprit.__code__.co_freevars, culprit.__closure__ or (), strict=True) if _is_local(culprit) else ()
    said = ""
    for name, cell in cells:
        try:
            value = cell.cell_contents
        except ValueError:  # a name that is not bound yet
            continue
        error = None if _is_local(value) else _error(value)
        for path, inner, why in culprits(value, name, error) if error is not None else ():
            reason, remedy = reason_and_remedy(inner, why)
            said += f" It closes over {path}, which would not cross by value either: {reason} {remedy}"
    return said


def _is_local(value: Any) -> bool:
    return issubclass(type(value), types.FunctionType)


def culprits(
    part: Any,
    subject: str,
    error: Exception,
    *,
    fails: Callable[[Any], Exception | None] | None = None,
    children: Callable[[Any], Iterator[tuple[str, Any]]] | None = None,
) -> list[tuple[str, Any, Exception]]:
    """Find the innermost objects that cannot be pickled, by trying what each object is made of.

    Args:
        part: The object that cannot be pickled as a whole.
        subject: How to call it: the beginning of every path.
        error: What pickling it raised.
        fails: Says what pickling one object raises, or None; tries pickle and multiprocessing's pickler when left out.
        children: Says what an object is made of, each with the step that leads there; what pickle looks at when left out.

    Returns:
        For each of them its path, the object, and what pickling it raised; at least one, and not more than a few.
    """
    fails, children = fails or _error, children or parts_of
    found: list[tuple[str, Any, Exception]] = []
    seen: dict[int, Any] = {}  # holds what it has seen: an id alone could be another object's by now

    def descend(value: Any, path: str, error: Exception, depth: int) -> None:
        seen[id(value)] = value
        failing = [
            (f"{path}{step}", child, why)
            for step, child in (children(value) if depth < _DEEPEST else ())
            if type(child) not in _PLAIN and (why := fails(child)) is not None
        ]
        if not failing:
            found.append((path, value, error))
        for step, child, why in failing:
            if id(child) not in seen and len(found) < _MOST_CULPRITS:
                descend(child, step, why, depth + 1)

    descend(part, subject, error, 0)
    return found or [(subject, part, error)]


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """What pickle would look at inside an object, each with the step that leads there."""
    if issubclass(type(value), types.FunctionType | type | types.ModuleType):
        return  # sent by name: what is inside does not matter
    if type(value) is functools.partial:  # one of a class of its own pickles in its own way
        yield ".func", value.func
        yield from ((f".args[{index}]", item) for index, item in enumerate(value.args))
        yield from ((f".keywords[{name!r}]", item) for name, item in value.keywords.items())
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif type(value) is dict:
        yield from ((f" key {key!r}", key) for key in value)
        yield from ((f"[{key!r}]", item) for key, item in value.items())
    elif type(value) in (list, tuple):
        yield from ((f"[{index}]", item) for index, item in enumerate(value))
    elif type(value) in (set, frozenset):
        yield from ((f" item {item!r:.60}", item) for item in value)
    else:
        yield from _of_an_instance(value)


def _of_an_instance(value: Any) -> Iterator[tuple[str, Any]]:
    try:
        reduced = _reduce(value)
    except Exception:  # noqa: BLE001  # the object itself is then what cannot be pickled
        return
    if not isinstance(reduced, tuple):
        return
    yield " class", type(value)
    # `copyreg.__newobj__` and its kind are pickled as opcodes, and the class among their arguments was just named
    yield from ((f" argument {index}", item) for index, item in enumerate(reduced[1]) if item is not type(value))
    yield from _of_a_state(reduced[2] if len(reduced) > 2 else None)
    for index, item in enumerate(reduced[3] or () if len(reduced) > 3 else ()):
        yield f"[{index}]", item
    for key, item in reduced[4] or () if len(reduced) > 4 else ():
        yield f"[{key!r}]", item


def _of_a_state(state: Any) -> Iterator[tuple[str, Any]]:
    states = state if isinstance(state, tuple) and len(state) == 2 else (state,)
    for one in states:
        if isinstance(one, dict):
            yield from ((f".{name}", item) for name, item in one.items())
        elif one is not None:
            yield " state", one


def _reduce(value: Any) -> Any:
    reducer: Callable[[Any], Any] | None = copyreg.dispatch_table.get(type(value))
    return reducer(value) if reducer is not None else value.__reduce_ex__(pickle.DEFAULT_PROTOCOL)
