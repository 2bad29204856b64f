"""What stands in pickles: the functions a payload names, and the format of the bytes it hands them.

``rebuild_class``, ``rebuild_from_main``, ``rebuild_with_code``, ``builder_from_main``, ``same_python`` and
``rebuild_exception`` are public for ever: their names and this module's never change, parameters are only added, with defaults.

The format, version 1. A descriptor is a *head* and its *parts*. Head: ``b"EP"``, the version (1 byte), the key (16), a checksum
(8), then msgpack ``[name, extras, values]``; extras are ``{"o": owner key}`` or empty: room for what may come. The first part
is msgpack ``[module, qualname, script digest, number of positional arguments, keyword names, surface]``, further ones are large
arguments, shared by classes. An entry of ``values`` is the argument's msgpack, or the number of the part that is. The key is a
blake2b of the call (all but name and surface), the checksum one of everything. Only msgpack's core types are used; other plain
data is a map of one key that begins with ``$`` (see :mod:`envpickle.plain`).

To change the format: write the new version beside the old (``read`` goes by the version byte, ``lay_out`` writes the newest),
bump ``VERSION``; add golden files, never touch older ones; say in the changelog which release reads the new bytes first,
and write them one release later at the earliest, so that a cluster can be upgraded piecemeal.
"""

from __future__ import annotations

import sys
from importlib import import_module
from weakref import WeakValueDictionary

import msgpack

from .classes import RECORD, is_dunder, later, record_of
from .runtime import MAIN, Builder, construct, find_reference, live

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

try:
    from _blake2 import blake2b  # hashlib would load OpenSSL for the same function
except ImportError:
    from hashlib import blake2b

VERSION = 1
MAX_BYTES, MAX_DEPTH, MAX_ITEMS, MAX_NODES, MAX_NAME = 1 << 20, 64, 16_384, 200_000, 512
_LIMITS: dict[str, int] = {"max_array_len": MAX_ITEMS, "max_map_len": MAX_ITEMS, "max_ext_len": 0}
HEAD_ROOM, INLINE = 136, 24  # bytes: a head (what a class that shares its parts costs), an argument that lies in it, at most
BY_VALUE = "envpickle.makers.by_value", "by_value"  # the one builder that runs code it is given: see rebuild_with_code
_MAGIC, _BODY, _MAX_NAME_INLINE = b"EP" + bytes([VERSION]), 27, 64  # the head's msgpack begins at its 27th byte
_parts: WeakValueDictionary[bytes, Part] = WeakValueDictionary()
_sound: dict[bytes, None] = {}  # digests of the last 1,024 arguments checked: many classes come with one toolset


class Part:
    """One argument's bytes, shared by every class of this process that was given the same."""

    __slots__ = ("__weakref__", "data", "digest", "tagged")

    def __init__(self, data: bytes, digest: bytes) -> None:
        self.data, self.digest, self.tagged = data, digest, may_hold_tags(data)


class Call:
    """A call of a builder, encoded: who is called, for which owner, with which arguments, and the key of all that."""

    __slots__ = ("key", "keywords", "module", "owner", "positional", "qualname", "script", "trees", "values")

    def __init__(
        self, module: str, qualname: str, script: bytes | None, owner: bytes | None,
        positional: int, keywords: list[str], values: list[Part],
    ) -> None:  # fmt: skip
        self.module, self.qualname, self.script, self.owner = module, qualname, script, owner
        self.positional, self.keywords, self.values = positional, keywords, values
        self.trees: list[Any] | None = None
        said = [module, qualname, script, owner, positional, keywords, [part.digest for part in values]]
        self.key = digest_of(pack(said))

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """The arguments again as values: positional ones, and the others by name."""
        trees, self.trees = self.trees or [unpack(part.data) for part in self.values], None  # handed out once
        values = [from_tree(tree) if part.tagged else tree for tree, part in zip(trees, self.values, strict=True)]
        return values[: self.positional], dict(zip(self.keywords, values[self.positional :], strict=True))


def rebuild_class(head: bytes, *parts: bytes) -> type:
    """Return the class of a descriptor, the live one or a new one made by its builder; a RebuildError says why not."""
    cls = live(head[3:19]) if type(head) is bytes else None
    record = cls.__dict__[RECORD] if cls is not None else None
    if record is not None and record.head == head and record.parts == parts and record.builder.is_current():
        return cls  # type: ignore[return-value]  # there is no record without it
    return arrive(head, parts)


def rebuild_from_main(fn: Any, head: bytes, *parts: bytes) -> type:
    """Return the class of a descriptor whose builder lives in a script; ``fn`` is the builder's function."""
    return later("beside").rebuild(fn, head, parts)  # type: ignore[no-any-return]


def rebuild_with_code(head: bytes, *parts: bytes) -> type:
    """Return the class of a descriptor that holds code, its own or of a class among its arguments: loading runs it."""
    return later("beside").rebuild_with_code(head, parts)  # type: ignore[no-any-return]


def builder_from_main(fn: Any, script: bytes, qualname: str) -> Builder:
    """Return the builder of a script: this process's own if it runs the same script, else one made of ``fn``."""
    return later("beside").builder_from(fn, script, qualname)  # type: ignore[no-any-return]


def same_python(version: Any) -> None:
    """Stand before code that travels by value; refuses another minor version of Python."""
    later("beside").refuse_other_python(version)


def rebuild_exception(cls: Any, args: tuple[Any, ...], own: tuple[Any, ...] | None = None) -> BaseException:
    """Make an exception again without calling its constructor; its state is set by pickle afterwards."""
    return later("instances").exception_of(cls, args, own)  # type: ignore[no-any-return]


def arrive(head: bytes, parts: tuple[bytes, ...], find_builder: Callable[[Call], Builder] | None = None) -> type:
    """Check a descriptor from head to foot and return its class; ``find_builder`` stands in for :func:`resolve`."""
    call, name, surface, held = read(head, parts)
    builder = find_builder(call) if find_builder is not None else resolve(call)
    cls = live(call.key)
    if cls is None or cls.__dict__[RECORD].builder is not builder:
        args, kwargs = call.arguments()
        owner = later("ownership").arrived(call.owner) if call.owner else None
        cls = construct(builder, call, lambda: builder.run(args, kwargs), owner)
    record = record_of(cls)
    assert record is not None, "a class in the registry has a record"
    if cls.__name__ != name or record.surface != surface:
        raise later("refusals").mismatch(builder, cls, record.surface, name, surface)
    keep(record, head, held)
    return cls


def keep(record: Any, head: bytes, parts: Iterable[Part]) -> None:
    """Note the descriptor of a class; its parts are shared with every other class that has them."""
    record.held = tuple(parts)
    record.head, record.parts = head, tuple([part.data for part in record.held])
    if record.call.script is None and not record.builder.asks_again and not any(part.tagged for part in record.call.values):
        record.reduced = rebuild_class, (head, *record.parts)  # a tag may name what lies in a script: see reducing


def digest_of(data: bytes) -> bytes:
    """Blake2b of bytes, 16 bytes long."""
    return blake2b(data, digest_size=16).digest()


def intern(data: bytes) -> Part:
    """The one part of this process that has these bytes."""
    return _parts.get(digest := digest_of(data)) or _parts.setdefault(digest, Part(data, digest))


def lay_out(call: Call, name: str, surface: str) -> tuple[bytes, list[Part]]:
    """Write a descriptor: its head and its parts. Equal specs give equal bytes."""
    body, parts = _body(call, name, surface)
    return _MAGIC + call.key + _checksum(call.key, body, parts) + body, parts


def _body(call: Call, name: str, surface: str, like: Part | None = None) -> tuple[bytes, list[Part]]:
    shape = pack([call.module, call.qualname, call.script, call.positional, call.keywords, surface])
    parts = [like if like is not None and like.data == shape else intern(shape)]
    extras, title = {"o": call.owner} if call.owner is not None else {}, pack(name)
    room = HEAD_ROOM - _BODY - 8 - 20 * len(extras) - min(len(title), _MAX_NAME_INLINE) - len(call.values)

    def place(part: Part) -> int:
        known = [index for index, other in enumerate(parts) if index and other.digest == part.digest]
        parts.extend([] if known else [part])
        return known[0] if known else len(parts) - 1

    said: str | int = name if len(title) <= _MAX_NAME_INLINE else place(intern(title))
    slots: list[bytes | int] = []
    for part in call.values:
        inline = len(part.data) <= min(INLINE, room - 1)
        slots.append(part.data if inline else place(part))
        room -= len(part.data) + 1 if inline else 0
    return pack([said, extras, slots]), parts


def _checksum(key: bytes, body: bytes, parts: list[Part]) -> bytes:
    return blake2b(b"".join([_MAGIC, key, body, *(part.digest for part in parts)]), digest_size=8).digest()


def read(head: bytes, parts: tuple[bytes, ...], depth: int = 0) -> tuple[Call, str, str, list[Part]]:
    """The call, the class's name, its surface and its parts, if :func:`lay_out` writes these bytes; nothing is imported."""
    if type(parts) is not tuple or not parts or any(type(data) is not bytes for data in (head, *parts)):
        raise _bad("a descriptor is a head and at least one part, all of them bytes")
    if len(parts) > MAX_ITEMS or len(head) + sum(map(len, parts)) > MAX_BYTES:
        raise _bad(f"it has more than {MAX_BYTES} bytes or {MAX_ITEMS} parts")
    if head[:3] != _MAGIC:
        raise _bad(f"it begins with {head[:3]!r}, where format version {VERSION} has {_MAGIC!r}")
    held = [intern(part) for part in parts]
    if len(head) < _BODY or _checksum(head[3:19], head[_BODY:], held) != head[19:_BODY]:
        raise _bad("its checksum does not fit: it was cut, changed, or mixed with another's parts")
    body, shape = unpack(head[_BODY:], True), unpack(parts[0], True)
    try:
        name, extras, slots = body
        module, qualname, script, positional, keywords, surface = shape
        values = [intern(slot) if type(slot) is bytes else held[_of(int, slot)] for slot in slots]
        name = name if type(name) is str else unpack(held[_of(int, name)].data)
        rest = script, extras.get("o"), positional, [_of(str, keyword) for keyword in keywords]
        call = Call(_of(str, module), _of(str, qualname), *rest, values)
        as_written = _body(call, _of(str, name), _of(str, surface), held[0])
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise _bad(f"its fields are not those of a descriptor ({error})") from None
    _check_fields(call, depth)
    if (head[3:19], head[_BODY:]) != (call.key, as_written[0]) or [p.digest for p in as_written[1]] != [p.digest for p in held]:
        raise _bad("its bytes are not in the one order and form a descriptor is written in")
    return call, name, surface, held


def _check_fields(call: Call, depth: int) -> None:
    fits = type(call.positional) is int and 0 <= call.positional == len(call.values) - len(call.keywords)
    if not fits or len(set(call.keywords)) != len(call.keywords):
        raise _bad("its arguments and their names do not fit together")
    if not all(tag is None or (type(tag) is bytes and len(tag) == 16) for tag in (call.script, call.owner)):
        raise _bad("its script digest or owner key is not 16 bytes long")
    for name in (call.module, call.qualname):
        sound = len(name) <= MAX_NAME and name.isascii() and all(part.isidentifier() for part in name.split("."))
        if not sound or (name != "__main__" and any(map(is_dunder, name.split(".")))):
            raise _bad(f"{call.module[:40]!a}:{call.qualname[:40]!a} is no name in ASCII identifiers, none of them special")
    call.trees = [unpack(part.data, part.digest in _sound) for part in call.values]
    for tree, part in zip(call.trees, call.values, strict=True):
        if part.tagged:
            later("forms").check(tree, depth)  # every time: specs in specs are counted
        else:
            _sound[part.digest] = None
    for old in [*_sound][:256] if len(_sound) > 1_024 else ():  # a list, made in one step: other threads are at it too
        _sound.pop(old, None)


def _bad(why: str) -> Exception:
    return later("refusals").bad_bytes(why)  # type: ignore[no-any-return]


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind or value in (0, -1):  # no part 0: it is the shape
        raise TypeError(f"{type(value).__name__} where {kind.__name__} belongs")
    return value


def resolve(call: Call) -> Builder:
    """Find the builder a call names, importing its module; it must be a builder that knows itself by that name."""
    if call.module in MAIN or call.script is not None:
        return later("script").own_builder(call)  # type: ignore[no-any-return]
    if call.module.partition(".")[0] in sys.stdlib_module_names or call.module == BY_VALUE[0]:
        raise later("refusals").never_resolved(call)
    try:
        import_module(call.module)
    except (Exception, SystemExit) as error:
        raise later("refusals").builder_not_found(call, f"importing it failed: {error!r}") from error
    builder = find_reference(call.module, call.qualname)
    if type(builder) is not Builder or (builder.module, builder.qualname) != (call.module, call.qualname):
        raise later("refusals").not_that_builder(call, builder)
    return builder


def pack(tree: Any) -> bytes:
    """Encode a tree of msgpack's core types; lone surrogates in text are kept."""
    try:
        return msgpack.packb(tree)  # type: ignore[no-any-return]
    except UnicodeEncodeError:
        return msgpack.packb(tree, unicode_errors="surrogatepass")  # type: ignore[no-any-return]  # slower for all text


def unpack(data: bytes, sound: bool = False) -> Any:
    """Decode what :func:`pack` wrote, refusing other spellings; ``sound`` bytes were checked before, or will be compared."""
    try:
        tree = msgpack.unpackb(data, unicode_errors="surrogatepass", **_LIMITS)
        same = sound or pack(tree) == data
    except Exception as error:  # noqa: BLE001 -- whatever hostile bytes raise
        raise _bad(f"it is no msgpack of containers of at most {MAX_ITEMS} items ({type(error).__name__})") from None
    if not same:
        raise _bad("its msgpack has a duplicate key, a long header or trailing bytes")
    level: list[Any] = [] if sound else [[tree]]  # the containers of one depth after the other, in one more than there is
    nodes = depth = 0
    while level and depth < MAX_DEPTH + 2 and nodes <= MAX_NODES:
        depth += 1
        nodes += sum(map(len, level))
        values = (container.values() if type(container) is dict else container for container in level)
        level = [x for items in values for x in items if type(x) is dict or type(x) is list]
    if not level and nodes <= MAX_NODES:
        return tree
    raise _bad(f"it is nested deeper than {MAX_DEPTH} or holds more than {MAX_NODES} values")


def may_hold_tags(data: bytes) -> bool:
    """Whether a map of one key that begins with ``$`` may be in these bytes: its header stands shortly before the sign."""
    at = data.find(b"$")
    while at >= 0 and b"\x81" not in data[max(at - 6, 0) : at]:
        at = data.find(b"$", at + 1)
    return at >= 0


def from_tree(tree: Any) -> Any:
    """Turn a decoded tree into the value it stands for: maps of one key that begins with ``$`` are tagged values."""
    if type(tree) is list:
        return [from_tree(item) for item in tree]
    if type(tree) is not dict:
        return tree
    if len(tree) == 1:
        ((tag, content),) = tree.items()
        if tag[:1] == "$":
            return later("untag").untag(tag, content)
    return {key: from_tree(value) for key, value in tree.items()}
