"""What each opcode of a pickle does to the stack of a :class:`~envpickle.inspecting.machine.Machine`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .machine import LARGE, Machine, new_dict
from .reading import Malformed, integer
from .values import BUFFER, PLAIN, UNKNOWN, Value

__all__ = ["HIGHEST_PROTOCOL", "STEPS"]

HIGHEST_PROTOCOL = 5
_MOST_DIGITS = 5_000  # Python reads and writes no more than 4,300 in a text
Step = Callable[[Machine, bytes], Any]


def _plain(machine: Machine, _: bytes) -> None:
    machine.push(PLAIN)


def _digits(machine: Machine, data: bytes) -> None:
    if len(data) > _MOST_DIGITS:
        raise Malformed(f"has a number of {len(data)} digits at byte {machine.at}")
    machine.push(PLAIN)


def _number(machine: Machine, data: bytes) -> None:
    machine.push(Value("number", int.from_bytes(data, "little", signed=True)) if len(data) <= 16 else PLAIN)


def _text(encoding: str, errors: str = "strict") -> Step:
    def step(machine: Machine, data: bytes) -> None:
        try:
            machine.push(Value("text", data.decode(encoding, errors), size=len(data)))
        except UnicodeDecodeError as error:
            raise Malformed(f"has a text that is no {encoding} at byte {machine.at} ({error.reason})") from None

    return step


def _old_text(machine: Machine, data: bytes) -> None:
    # Python 2's strings: text in ASCII, unless whoever unpickles asks for another encoding, or for bytes.
    machine.push(Value("text", data.decode("latin-1"), size=len(data)))


def _quoted(machine: Machine, data: bytes) -> None:
    import codecs

    data = data.strip()
    if len(data) < 2 or data[:1] != data[-1:] or data[:1] not in (b"'", b'"'):
        raise Malformed(f"has a text without its quotes at byte {machine.at}")
    try:
        decoded, _ = codecs.escape_decode(data[1:-1])  # the way of pickle, which has no other name
    except ValueError as error:
        raise Malformed(f"has a text with a bad escape at byte {machine.at} ({error})") from None
    _old_text(machine, decoded)


def _bytes(kind: str) -> Step:
    return lambda machine, data: machine.push(Value(kind, data if len(data) <= LARGE else None, size=len(data)))


def _list(machine: Machine, _: bytes) -> None:
    items = machine.popped()
    machine.push(Value("list"))
    machine.append(items)


def _dict(machine: Machine, _: bytes) -> None:
    items = machine.popped()
    if len(items) % 2:
        raise Malformed(f"makes a dict of an odd number of keys and values at byte {machine.at}")
    machine.push(new_dict())
    machine.set_items(items)


def _tuple(count: int) -> Step:
    def step(machine: Machine, _: bytes) -> None:
        machine.combine("tuple", [machine.pop() for _ in range(count)][::-1])

    return step


def _pop(machine: Machine, _: bytes) -> None:
    if machine.marks and machine.marks[-1] == len(machine.stack):
        machine.unmark()
    else:
        machine.pop()


def _global(machine: Machine, data: bytes) -> None:
    try:
        module, name = (line.decode() for line in data.split(b"\n"))
    except ValueError as error:
        raise Malformed(f"has a name that is no UTF-8 at byte {machine.at} ({error})") from None
    _look_up(machine, module, name, "GLOBAL")


def _stack_global(machine: Machine, _: bytes) -> None:
    name, module = machine.pop(), machine.pop()
    if name.kind == module.kind == "text":
        _look_up(machine, module.said, name.said, "STACK_GLOBAL")
        return
    found = Value("global", None, 1 + max(name.depth, module.depth))
    machine.watcher.on_global(found, machine.at, "STACK_GLOBAL")
    machine.push(found)


def _look_up(machine: Machine, module: str, name: str, how: str) -> None:
    found = Value("global", _of_python_3(module, name) if machine.protocol < 3 else (module, name))
    machine.watcher.on_global(found, machine.at, f"{how} {module} {name}")
    machine.push(found)


def _of_python_3(module: str, name: str) -> tuple[str, str]:
    """What a name means in a pickle of protocol 2 or older, which may come from Python 2."""
    from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING

    if (module, name) in NAME_MAPPING:
        renamed: tuple[str, str] = NAME_MAPPING[module, name]
        return renamed
    return IMPORT_MAPPING.get(module, module), name


def _reduce(machine: Machine, _: bytes) -> None:
    arguments, function = machine.pop(), machine.pop()
    machine.call(function, arguments, "REDUCE")


def _build(machine: Machine, _: bytes) -> None:
    state = machine.pop()
    machine.hold([state])
    for half in state.said if state.kind == "tuple" and len(state.said) == 2 else (state,):
        machine.copy(half)
    machine.watcher.on_build(machine.top(), state, machine.at)


def _inst(machine: Machine, data: bytes) -> None:
    arguments = machine.popped()
    _global(machine, data)
    _called(machine, machine.pop(), arguments, "INST")


def _obj(machine: Machine, _: bytes) -> None:
    items = machine.popped()
    if not items:
        raise Malformed(f"makes an object of no class at byte {machine.at}")
    _called(machine, items[0], items[1:], "OBJ")


def _called(machine: Machine, function: Value, items: list[Value], how: str) -> None:
    machine.combine("tuple", items)
    machine.call(function, machine.pop(), how)


def _new(machine: Machine, _: bytes) -> None:
    arguments, cls = machine.pop(), machine.pop()
    machine.call(cls, arguments, "NEWOBJ")


def _new_by_name(machine: Machine, _: bytes) -> None:
    keywords, arguments, cls = machine.pop(), machine.pop(), machine.pop()
    # Both are handed on: a call of what cannot be told, unless there are no keywords.
    machine.call(cls, arguments if keywords.kind == "dict" else UNKNOWN, "NEWOBJ_EX")


def _persistent(machine: Machine, data: bytes) -> None:
    value = Value("text", data.decode("latin-1"))
    _ask_outside(machine, value)


def _ask_outside(machine: Machine, value: Value) -> None:
    machine.hold([value])
    machine.watcher.on_persistent(value, machine.at)
    machine.push(Value("persistent", None, 1 + value.depth))


def _extension(machine: Machine, data: bytes) -> None:
    code = int.from_bytes(data, "little", signed=len(data) == 4)
    machine.watcher.on_extension(code, machine.at)
    machine.push(Value("extension", code))


def _buffer(machine: Machine, _: bytes) -> None:
    machine.watcher.on_buffer(machine.at)
    machine.push(BUFFER)


def _read_only(machine: Machine, _: bytes) -> None:
    # A view of whatever is there: picklers write this behind a buffer from outside alone.
    machine.top()
    machine.watcher.on_buffer(machine.at)
    machine.stack[-1] = BUFFER


def _protocol(machine: Machine, data: bytes) -> None:
    if data[0] > HIGHEST_PROTOCOL:
        raise Malformed(f"says that it is of protocol {data[0]}, and {HIGHEST_PROTOCOL} is the highest")
    machine.protocol = data[0]


STEPS: dict[str, Step] = {
    **dict.fromkeys(("BININT", "BININT1", "BININT2", "LONG4", "BINFLOAT"), _plain),
    **dict.fromkeys(("INT", "LONG", "FLOAT"), _digits),
    **dict.fromkeys(("NONE", "NEWTRUE", "NEWFALSE"), _plain),
    **dict.fromkeys(("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"), _text("utf-8", "surrogatepass")),
    **dict.fromkeys(("BINSTRING", "SHORT_BINSTRING"), _old_text),
    **dict.fromkeys(("BINBYTES", "SHORT_BINBYTES", "BINBYTES8"), _bytes("bytes")),
    **dict.fromkeys(("EXT1", "EXT2", "EXT4"), _extension),
    "LONG1": _number,
    "STRING": _quoted,
    "UNICODE": _text("raw-unicode-escape"),
    "BYTEARRAY8": _bytes("bytearray"),
    "NEXT_BUFFER": _buffer,
    "READONLY_BUFFER": _read_only,
    "EMPTY_LIST": lambda machine, _: machine.push(Value("list")),
    "EMPTY_SET": lambda machine, _: machine.push(Value("set")),
    "EMPTY_DICT": lambda machine, _: machine.push(new_dict()),
    "EMPTY_TUPLE": _tuple(0),
    "TUPLE1": _tuple(1),
    "TUPLE2": _tuple(2),
    "TUPLE3": _tuple(3),
    "TUPLE": lambda machine, _: machine.combine("tuple", machine.popped()),
    "FROZENSET": lambda machine, _: machine.combine("frozenset", machine.popped()),
    "LIST": _list,
    "DICT": _dict,
    "APPEND": lambda machine, _: machine.append([machine.pop()]),
    "APPENDS": lambda machine, _: machine.append(machine.popped()),
    "SETITEM": lambda machine, _: machine.set_items([machine.pop(), machine.pop()][::-1]),
    "SETITEMS": lambda machine, _: machine.set_items(machine.popped()),
    "ADDITEMS": lambda machine, _: machine.add(machine.popped()),
    "MARK": lambda machine, _: machine.mark(),
    "POP": _pop,
    "POP_MARK": lambda machine, _: machine.popped(),
    "DUP": lambda machine, _: machine.push(machine.top()),
    "GET": lambda machine, data: machine.get(integer(data)),
    "BINGET": lambda machine, data: machine.get(data[0]),
    "LONG_BINGET": lambda machine, data: machine.get(int.from_bytes(data, "little")),
    "PUT": lambda machine, data: machine.put(integer(data)),
    "BINPUT": lambda machine, data: machine.put(data[0]),
    "LONG_BINPUT": lambda machine, data: machine.put(int.from_bytes(data, "little")),
    "MEMOIZE": lambda machine, _: machine.put(len(machine.memo)),
    "GLOBAL": _global,
    "STACK_GLOBAL": _stack_global,
    "REDUCE": _reduce,
    "BUILD": _build,
    "INST": _inst,
    "OBJ": _obj,
    "NEWOBJ": _new,
    "NEWOBJ_EX": _new_by_name,
    "PERSID": _persistent,
    "BINPERSID": lambda machine, _: _ask_outside(machine, machine.pop()),
    "PROTO": _protocol,
    "FRAME": lambda machine, data: machine.frame(int.from_bytes(data, "little")),
    "STOP": lambda machine, _: machine.stop(),
}
