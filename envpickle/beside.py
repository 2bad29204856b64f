"""What travels beside a descriptor: the functions and classes of a script, for picklers that send them by value.

Plain pickle sends their names, which a spawned child finds in the script it runs again; what it would not find is refused.
cloudpickle sends the things themselves, which a worker that never saw the script keeps under the script's digest.
"""

import copyreg
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from . import errors, payload
from .classes import RECORD, Record, is_dunder, later
from .payload import Call
from .runtime import Builder, live
from .script import builder_for, is_guest, object_of, own_builder, visits, welcome

_OPTIMIZED = 0x1  # code flag of functions; the body of a class has it not, and looks its names up as it runs
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


def reduce_class(record: Record, named: dict[str, Any]) -> Any:
    """What a class is pickled as that a script has part in: its builder, or what its arguments refer to.

    Args:
        record: The class's record.
        named: The functions and classes of the script that the call names, by their names.

    Raises:
        ScriptBuilderRefused: Plain pickle asks, and a spawned child could not find one of them.
    """
    if not _sends_functions():
        if visits(record.builder) or any(map(is_guest, named.values())):
            return payload.rebuild_class, (record.head, *record.parts)  # the script's own process knows it by name
        refuse_unreachable(named)
    beside: Any = named[record.builder.qualname] if list(named) == [record.builder.qualname] else named
    return payload.rebuild_from_main, (_marked(beside), record.head, *record.parts)


def reduce_builder(builder: Builder) -> Any:
    """What a script's builder is pickled as, so that a task that calls it runs on a cluster too."""
    if not _sends_functions() and not visits(builder):
        refuse_unreachable([builder.qualname])
    return payload.builder_from_main, (_marked(builder.fn), builder.script, builder.qualname)


class _MadeOn:
    """Loaded before the code it stands beside, it refuses another minor version of Python, whose code would not run here."""

    def __reduce__(self) -> Any:
        return payload.same_python, (sys.version_info[:2],)


def _marked(beside: Any) -> Any:
    if not _sends_functions():
        return beside
    named = {name: _with_mentions(value) for name, value in beside.items()} if type(beside) is dict else _with_mentions(beside)
    return _MadeOn(), named


def _with_mentions(fn: Any) -> Any:
    """The same function; one that also mentions what class bodies in it use of its module, where there is such.

    cloudpickle sends the global variables that functions load, and does not see those that a class body loads as it runs: a
    default, a decorator. It looks into all code among a function's constants, and so finds what is mentioned there.
    """
    if type(fn) is not FunctionType or not (names := sorted(_named_in_class_bodies(fn))):
        return fn
    mention: CodeType = eval(f"lambda: ({', '.join(names)},)", {}).__code__  # it is never called
    code = fn.__code__.replace(co_consts=(*fn.__code__.co_consts, mention))
    told = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    told.__kwdefaults__, told.__annotations__, told.__module__ = fn.__kwdefaults__, fn.__annotations__, fn.__module__
    told.__qualname__, told.__doc__ = fn.__qualname__, fn.__doc__
    told.__dict__.update(fn.__dict__)
    return told


def _named_in_class_bodies(fn: FunctionType) -> set[str]:
    """The global variables that class bodies load: in a function, what it wraps, and the functions of its module it names."""
    scope = fn.__globals__
    found: set[str] = set()
    known, stack = {fn}, [fn]
    while stack:
        one = stack.pop()
        in_bodies, everywhere = _loaded(one.__code__)
        found |= in_bodies
        others = [getattr(one, "__wrapped__", None), *map(scope.get, everywhere)]
        new = {other for other in others if type(other) is FunctionType and other.__globals__ is scope} - known
        known |= new
        stack += new
    return {name for name in found if name in scope and name.isidentifier() and not is_dunder(name)}


@lru_cache(maxsize=256)
def _loaded(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The names that class bodies in a code object load but do not store before, and all names that it loads from outside."""
    import dis  # cloudpickle has it loaded

    own: set[str] = set()
    loaded: set[str] = set()
    for step in dis.get_instructions(code):
        if step.opname == "STORE_NAME":
            own.add(step.argval)
        elif step.opname in _LOADS and step.argval not in own:
            loaded.add(step.argval)
    deeper = [_loaded(constant) for constant in code.co_consts if type(constant) is CodeType]
    in_bodies = frozenset(() if code.co_flags & _OPTIMIZED else loaded)
    return in_bodies.union(*(names for names, _ in deeper)), frozenset(loaded).union(*(names for _, names in deeper))


def name_missing() -> None:
    """Have the mark of a dataclass's field without a default go by its name: a copy of it would be taken for a default.

    Called before picklers are made, some of which copy copyreg's table: classes of a script may come along by value.
    """
    mark = getattr(sys.modules.get("dataclasses"), "MISSING", None)
    if mark is not None and type(mark) not in copyreg.dispatch_table:
        copyreg.pickle(type(mark), lambda _: "MISSING")  # a reducer may answer a name


def _unmarked(beside: Any) -> Any:
    return beside[1] if type(beside) is tuple and len(beside) == 2 else beside


def builder_from(beside: Any, script: bytes, qualname: str) -> Builder:
    """This process's own builder of a script, or one made of the function that came."""
    return builder_for(_unmarked(beside), script, qualname)


def refuse_other_python(version: Any) -> None:
    """Refuse code that came by value from another minor version of Python.

    Raises:
        RebuildMismatch: It did.
    """
    if tuple(version) != sys.version_info[:2]:
        written, here = ".".join(map(str, version)), ".".join(map(str, sys.version_info[:2]))
        raise errors.RebuildMismatch(
            f"functions of a script came by value from Python {written}, and this is Python {here}: their code does not run "
            f"here. Use one minor version on both sides, or move the builder to an importable module.",
            missing=(),
            extra=(),
        )


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


def names_out_of_reach(call: Call) -> list[str]:
    """The names in a call that only this process can follow: of what a child would not find in the script."""
    names = [content[1] for tag, content in _tags(call) if tag == "$script"]
    return [name for name in names if later("reachability").why_unreachable(name.partition(".")[0])]


def named_by(record: Record) -> dict[str, Any]:
    """The functions and classes of scripts that a call names: its builder, and at any depth its arguments."""
    found = {record.builder.qualname: record.builder.fn} if record.call.script is not None else {}
    _gather(record.call, found)
    return found


def _gather(call: Call, found: dict[str, Any]) -> None:
    for tag, content in _tags(call):
        if tag == "$script":
            meant = object_of(*content)
            found[content[1]] = meant.fn if isinstance(meant, Builder) else meant
        else:
            inner = _call_of(content)
            if inner.script is not None:
                found[inner.qualname] = own_builder(inner).fn
            _gather(inner, found)


def _tags(call: Call) -> Iterator[tuple[str, Any]]:
    """What the arguments of a call hold, at any depth, of things that a script may define: references, run-time classes."""
    stack = [payload.unpack(part.data, True) for part in call.values if part.tagged]
    while stack:
        tree = stack.pop()
        if type(tree) is dict and len(tree) == 1:
            yield from (item for item in tree.items() if item[0] in ("$script", "$class"))
        stack.extend(tree if type(tree) is list else tree.values() if type(tree) is dict else ())


def _call_of(content: list[bytes]) -> Call:
    return payload.read(content[0], tuple(content[1:]))[0]


def rebuild(fn: Any, head: bytes, parts: tuple[bytes, ...]) -> type:
    """Return the class of a script's builder; see :func:`envpickle.payload.rebuild_from_main`."""
    cls = _known(head, parts)
    return cls if cls is not None else _arrive(head, parts, lambda call: _builder_of(fn, call))


def rebuild_with_code(head: bytes, parts: tuple[bytes, ...]) -> type:
    """Return a class that holds code by value; see :func:`envpickle.payload.rebuild_with_code`."""
    cls = _known(head, parts)
    return cls if cls is not None else _arrive(head, parts, _resolve)


def holds_code(call: Call) -> bool:
    """Whether loading what a call makes runs code that lies in its arguments: its own, or that of a class among them."""
    if (call.module, call.qualname) == payload.BY_VALUE:
        return True
    return any(holds_code(_call_of(content)) for tag, content in _tags(call) if tag == "$class")


def _known(head: bytes, parts: tuple[bytes, ...]) -> type | None:
    cls = live(head[3:19]) if type(head) is bytes else None
    if cls is not None:
        record = cls.__dict__[RECORD]
        if record.head == head and record.parts == parts and record.builder.is_current():
            return cls
    return None


def _arrive(head: bytes, parts: tuple[bytes, ...], find_builder: Callable[[Call], Builder]) -> type:
    """Make a class, those among its arguments that hold code first: they are found alive then, and no other code may run."""
    held: list[type] = []

    def find(call: Call) -> Builder:
        builder = find_builder(call)
        inner = [content for tag, content in _tags(call) if tag == "$class" and holds_code(_call_of(content))]
        held.extend(rebuild_with_code(content[0], tuple(content[1:])) for content in inner)
        return builder

    return payload.arrive(head, parts, find)


def _resolve(call: Call) -> Builder:
    if (call.module, call.qualname) != payload.BY_VALUE:
        return payload.resolve(call)
    found: Builder = later("makers.by_value").by_value
    return found


def _builder_of(beside: Any, call: Call) -> Builder:
    """The builder of a call, after welcoming what came beside it: the builder's function, or several by their names."""
    beside = _unmarked(beside)
    named = beside if type(beside) is dict else {call.qualname: beside}
    _welcome_all(call, named)
    if call.script is None:
        return _resolve(call)
    return builder_for(named.get(call.qualname), call.script, call.qualname)


def _welcome_all(call: Call, named: dict[str, Any]) -> None:
    """Keep what came by value under digest and name, where this process does not run that script itself."""
    for tag, content in _tags(call):
        if tag == "$script":
            digest, name = content
            if name in named:
                welcome(named[name], digest, name)
        else:
            inner = _call_of(content)
            if inner.script is not None and inner.qualname in named:
                builder_for(named[inner.qualname], inner.script, inner.qualname)
            _welcome_all(inner, named)


def _sends_functions() -> bool:
    """Whether the pickler that asks sends functions of ``__main__`` by value; who asks is read from the calling frame."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if name.partition(".")[0] not in ("envpickle", "pickle", "copyreg", "functools"):
            return "cloudpickle" in name or name.startswith("dill.")
        frame = frame.f_back
    return False
