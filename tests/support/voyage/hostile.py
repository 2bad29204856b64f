"""Hostile descriptors, each with the key and checksum it needs: what an attacker who knows the format would send."""

import struct
from collections.abc import Callable
from typing import Any

from voyage.forge import MAGIC, forged, one_piece, packed, sealed, value_forged

Descriptor = tuple[bytes, ...]


def deep(levels: int, opening: bytes = b"\x91") -> bytes:
    """That many containers, one in the other."""
    return opening * levels + b"\xc0"


def wide(count: int) -> bytes:
    """A list of so many nulls."""
    return b"\xdd" + struct.pack(">I", count) + b"\xc0" * count


def layered(levels: int) -> bytes:
    """A few bytes that are millions of values: no msgpack can say that, so lists of full lists."""
    inner = b"\xdc" + struct.pack(">H", 16_000) + b"\xc0" * 16_000
    return b"\xdc" + struct.pack(">H", levels) + inner * levels


NAMES = {
    "os:system": ("os", "system"),
    "builtins:eval": ("builtins", "eval"),
    "a class": ("subprocess", "Popen"),
    "ours": ("envpickle.payload", "rebuild_class"),
    "re-exported": ("harbour.reexport", "borrowed"),
    "re-exported function": ("harbour.reexport", "os.system"),
    "dunder": ("harbour.docks", "lighthouse.__class__.__base__"),
    "through a module": ("harbour.docks", "envpickle.builder"),
    "raw function": ("harbour.docks", "lighthouse.fn"),
    "look-alike letter": ("h\u0430rbour.docks", "lighthouse"),
    "full-width letter": ("harbour.docks", "\uff4cighthouse"),
    "NUL": ("os\x00", "system"),
    "NUL in the name": ("harbour.docks", "lighthouse\x00"),
    "new line": ("harbour.docks\n", "lighthouse"),
    "path": ("../../etc", "passwd"),
    "relative": (".docks", "lighthouse"),
    "empty": ("", ""),
    "space": ("harbour.docks ", "lighthouse"),
    "1 MB name": ("h" * 1_000_000, "lighthouse"),
    "1 MB of dots": ("a." * 400_000 + "a", "lighthouse"),
    "main": ("__main__", "lighthouse"),
    "mp main": ("__mp_main__", "lighthouse"),
    "a module with side effects": ("this", "lighthouse"),
    "text is bytes": (b"harbour.docks", b"lighthouse"),
    "text is a number": (5, 6),
    "lone surrogate": ("harbour.docks", "\ud800"),
}

REFERENCES = {
    "reference to a module": {"$ref": "os:path"},
    "reference through a module": {"$ref": "harbour.reexport:os.system"},
    "reference to a value": {"$ref": "harbour.docks:RUNS"},
    "reference to nothing": {"$ref": "harbour.docks:nothing"},
    "reference to a dunder": {"$ref": "harbour.docks:lighthouse.__class__"},
    "reference with a NUL": {"$ref": "os\x00:system"},
    "reference is a number": {"$ref": 5},
    "reference is a list": {"$ref": ["os", "system"]},
    "unpacker that is none": {"$packed": ["os:system", "echo hostile"]},
    "unpacker that is a builder": {"$packed": ["harbour.docks:lighthouse", 1]},
    "member of no enumeration": {"$enum": [{"$ref": "subprocess:Popen"}, "x", None]},
    "member by calling a class": {"$enum": [{"$ref": "subprocess:Popen"}, None, ["true"]]},
    "fields of any class": {"$fields": [{"$ref": "subprocess:Popen"}, {"pid": 1, "returncode": None}]},
    "fields that are not there": {"$fields": [{"$ref": "harbour.cargo:Point"}, {"x": 1, "__class__": 5}]},
    "model state of any class": {"$model": [{"$ref": "harbour.cargo:Opaque"}, {"__dict__": {}}]},
    "struct of any class": {"$struct": [{"$ref": "subprocess:Popen"}, {"args": ["true"]}]},
    "class that is none": {"$class": [b"EP\x01", b""]},
    "class in numbers": {"$class": [1, 2, 3]},
    "unknown tag": {"$whatever": 1},
    "tag of the wrong kind": {"$tuple": 5},
    "tag without a thing": {"$date": []},
    "date beyond all": {"$date": [10**6, 1, 1]},
    "zone that is a path": {"$zoneinfo": "../../etc/passwd"},
    "zone that is absolute": {"$zoneinfo": "/etc/passwd"},
    "path of another kind": {"$path": ["system", "echo"]},
    "decimal text": {"$decimal": "hello"},
    "unhashable in a set": {"$set": [[1], {"a": 2}]},
    "unhashable key": {"$dict": [[[1], 2]]},
    "dict of a number": {"$dict": 7},
    "slice of six": {"$slice": [1, 2, 3, 4, 5, 6]},
    "range of nothing": {"$range": [0, 1, 0]},
    "uuid of five bytes": {"$uuid": b"12345"},
    "fraction over nothing": {"$fraction": [1, 0]},
    "secret that is no name": {"$secret": {"a": 1}},
    "partial of a number": {"$partial": [5, [], {}]},
}

RAW = {
    "deep lists": deep(100_000),
    "deep maps": b"\x81\xa1a" * 100_000 + b"\xc0",
    "just too deep": deep(66),
    "array bomb": b"\xdd\xff\xff\xff\xff",
    "map bomb": b"\xdf\xff\xff\xff\xff",
    "text bomb": b"\xdb\xff\xff\xff\xff",
    "bytes bomb": b"\xc6\xff\xff\xff\xff",
    "list too long": wide(16_385),
    "too many values": layered(14),
    "extension": b"\xc7\x01\x05x",
    "timestamp": b"\xd6\xff\x00\x00\x00\x00",
    "duplicate keys": b"\x82\xa1a\x01\xa1a\x02",
    "duplicate tag": b"\x82\xa6$tuple\x91\x01\xa6$tuple\x91\x02",
    "long header": b"\xd9\x01a",
    "number in a long form": b"\xcf\x00\x00\x00\x00\x00\x00\x00\x01",
    "trailing bytes": b"\xc0\xc0",
    "empty": b"",
    "reserved byte": b"\xc1",
    "key is a list": b"\x81\x91\x01\x01",
    "text that is no text": b"\xa2\xff\xfe",
    "two values": b"\x01\x02",
}

SHAPES: dict[str, Callable[[], Descriptor]] = {
    "no parts": lambda: (forged()[0],),
    "no head": lambda: (b"", *forged()[1:]),
    "nothing": lambda: (b"", b""),
    "another format version": lambda: (b"EP\x02" + forged()[0][3:], *forged()[1:]),
    "another magic": lambda: (b"PK\x01" + forged()[0][3:], *forged()[1:]),
    "2 MB": lambda: value_forged("x" * 2_000_000),
    "20,000 parts": lambda: (forged()[0], *[b"x"] * 20_000),
    "positional beyond": lambda: forged(positional=5),
    "positional below": lambda: forged(positional=-1),
    "positional is true": lambda: forged(positional=True),
    "names twice": lambda: forged(keywords=["value", "value"], values=[b"\x01", b"\x02"]),
    "too few names": lambda: forged(keywords=[]),
    "a name too many": lambda: forged(keywords=["value", "other"]),
    "owner too short": lambda: forged(owner=b"short"),
    "owner is text": lambda: forged(owner="o" * 16),
    "script of another": lambda: forged(script=b"s" * 16),
    "name is a number": lambda: forged(name=5),
    "name is far away": lambda: forged(name=-1),
    "surface is a list": lambda: forged(surface=["value()"]),
    "another surface": lambda: forged(surface="value()\nother()"),
    "another class name": lambda: forged(name="Elsewhere"),
    "1 MB class name": lambda: forged(name="n" * 1_000_000),
    "something in the room left": lambda: forged(extra={"a": 1}),
    "owner and something more": lambda: forged(owner=b"o" * 16, extra={"o": b"o" * 16, "a": 1}),
    "owner where none is": lambda: forged(extra={"o": None}),
    "argument the builder lacks": lambda: forged(keywords=["no_such"]),
    "slot points at the shape": lambda: _slots([0]),
    "slot points nowhere": lambda: _slots([7]),
    "slot points backwards": lambda: _slots([-1]),
    "slot is a list": lambda: _slots([[1]]),
    "part that no slot uses": lambda: _slots([b"\x05"], b"x" * 30),
    "key of another call": lambda: sealed(b"k" * 16, packed(["Lighthouse", {}, [b"\x05"]]), forged()[1:]),
    "magic alone": lambda: (MAGIC, b""),
}


def _slots(slots: list[Any], *more: bytes) -> Descriptor:
    head, shape = forged()[:2]
    return sealed(head[3:19], packed(["Lighthouse", {}, slots]), [shape, *more])


def descriptors() -> dict[str, Descriptor]:
    """All of them, by what is wrong with them."""
    return {
        **{f"name: {name}": forged(*pair) for name, pair in NAMES.items()},
        **{f"value: {name}": value_forged(tree) for name, tree in REFERENCES.items()},
        **{f"raw: {name}": value_forged(None, raw) for name, raw in RAW.items()},
        **{f"raw alone: {name}": (raw, raw) for name, raw in RAW.items()},
        **{f"shape: {name}": make() for name, make in SHAPES.items()},
    }


def pieces() -> dict[str, bytes]:
    """The same as `Spec.from_bytes` takes them, and a few that are no list of pieces at all."""
    return {
        **{name: one_piece(found) for name, found in descriptors().items()},
        **{f"no pieces: {name}": raw for name, raw in RAW.items()},
        "a pickle": b"cos\nsystem\n(S'echo hostile'\ntR.",
        "one piece": packed([b"x"]),
        "pieces of text": packed(["EP", "x"]),
    }
