"""Pickles as an attacker writes them: each would do harm, or look harmless, in an unpickler that only looks at names.

``ATTACKS`` maps what each does to its bytes. They name `tripwire` (a module that notes when it is imported) and functions of
the standard library; ``ALLOW`` is what the victim allows. None may be run, and nothing that is not allowed imported for them.
"""

import pickle
import struct
from typing import Any

from voyage.forge import forged, value_forged

ALLOW = (
    "harbour.docks:dock",
    "harbour.docks:lighthouse",
    "harbour.cargo:Point",
    "harbour.cargo:Colour",
    "harbour.outside:Plain",
)


def text(value: str) -> bytes:
    """A text as BINUNICODE."""
    data = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def blob(value: bytes) -> bytes:
    """Bytes as BINBYTES."""
    return b"B" + struct.pack("<I", len(value)) + value


def named(module: str, name: str) -> bytes:
    """A name as STACK_GLOBAL looks it up."""
    return text(module) + text(name) + b"\x93"


def described(descriptor: tuple[bytes, ...], function: bytes = b"cenvpickle.payload\nrebuild_class\n") -> bytes:
    """A call of ours with a descriptor."""
    return function + b"(" + b"".join(map(blob, descriptor)) + b"tR"


DOCK = described(forged())
POINT = b"charbour.cargo\nPoint\n"
AN_INSTANCE = POINT + b")\x81"
STATE = b"}(" + text("x") + b"K\x01u"
BY_MEMO = b"\x80\x04" + text("os") + b"q\x050" + text("system") + b"q\x06" + b"0h\x05h\x06\x93" + text("true") + b"\x85R."


ON_INSTANCES: dict[str, bytes] = {
    "a state for an allowed class": POINT + b"N}(" + text("evil") + b"K\x01u\x86b.",
    "a state for a run-time class": DOCK + b"N}(" + text("reset") + POINT + b"u\x86b.",
    "a plain state for a run-time class": DOCK + STATE + b"b.",
    "a state for the class that an allowed builder makes": b"charbour.docks\ndock\n]("
    + text("lift")
    + b"e\x85RN}("
    + text("reset")
    + POINT
    + b"u\x86b.",
    "a state for an allowed builder": b"charbour.docks\ndock\nN}(" + text("fn") + POINT + b"u\x86b.",
    "a state for our own function": b"cenvpickle.payload\nrebuild_class\n}(" + text("__code__") + b"Nub.",
    "a state that sets __class__": AN_INSTANCE + b"N}(" + text("__class__") + POINT + b"u\x86b.",
    "a state that sets __class__ in its dict": AN_INSTANCE + b"}(" + text("__class__") + POINT + b"ub.",
    "a state that sets __setstate__": AN_INSTANCE + b"}(" + text("__setstate__") + POINT + b"ub.",
    "a state with a computed name": AN_INSTANCE + b"N}(" + POINT + b")RK\x01u\x86b.",
    "a state that is no dict of its own": AN_INSTANCE + b"ccollections\nOrderedDict\n)R" + text("__class__") + b"K\x01sb.",
    "a state for what getattr gives": b"cbuiltins\ngetattr\n" + DOCK + text("value") + b"\x86R}(" + text("a") + b"K\x01ub.",
    "a method of a class, by getattr": b"cbuiltins\ngetattr\n" + DOCK + text("value") + b"\x86R.",
    "a special attribute of a class": b"cbuiltins\ngetattr\n" + POINT + text("__init__") + b"\x86R.",
    "what a class's module has imported": b"cbuiltins\ngetattr\n" + POINT + text("__module__") + b"\x86R.",
    "getattr handed over": b"]cbuiltins\ngetattr\na.",
    "our function handed over": b"]cenvpickle.payload\nrebuild_class\na.",
    "items into a class": DOCK + b"K\x01a.",
    "items into an instance that is no list": AN_INSTANCE + b"(K\x01K\x02e.",
    "items set on an instance that is no dict": AN_INSTANCE + text("x") + b"K\x01s.",
    "items added to an instance": AN_INSTANCE + b"(K\x01\x90.",
    "an instance of a function": b"charbour.docks\nmake_method\n)\x81.",
    "an instance of a builder": b"charbour.docks\ndock\n)\x81.",
    "a call of an instance": AN_INSTANCE + b")R.",
    "a call of text": text("os.system") + text("true") + b"\x85R.",
    "old instance through another base": b"ccopyreg\n_reconstructor\n(" + POINT + b"cbuiltins\nset\n]tR.",
    "old instance of what is not allowed": b"ccopyreg\n_reconstructor\n(csubprocess\nPopen\ncbuiltins\nobject\nNtR.",
    "an exception of what is no class": b"cenvpickle.payload\nrebuild_exception\n(" + DOCK + b"]tR.",
}


ON_NAMES: dict[str, bytes] = {
    "a name": b"cos\nsystem\n" + text("true") + b"\x85R.",
    "a name on the stack": b"\x80\x04" + named("os", "system") + text("true") + b"\x85R.",
    "a name through the memo": BY_MEMO,
    "a name through the memo, overwritten": b"\x80\x04"
    + text("harbour.docks")
    + b"q\x000"
    + text("os")
    + b"q\x000h\x00"
    + text("system")
    + b"\x93"
    + text("true")
    + b"\x85R.",
    "INST": b"(" + text("true") + b"ios\nsystem\n.",
    "OBJ": b"(cos\nsystem\n" + text("true") + b"o.",
    "an old name of a module": b"ccommands\ngetoutput\n" + text("true") + b"\x85R.",
    "an old name of a function": b"c__builtin__\nexecfile\n" + text("x") + b"\x85R.",
    "eval by its old module": b"c__builtin__\neval\n" + text("1") + b"\x85R.",
    "a protocol that changes the meaning": b"\x80\x04c__builtin__\nset\n\x80\x02c__builtin__\nset\n\x86.",
    "an escaped name": b"c\\x6fs\nsystem\n.",
    "a dotted name": b"\x80\x04" + named("harbour.docks", "dock.fn.__globals__") + b".",
    "a dotted name through a module": b"\x80\x04" + named("harbour.docks", "envpickle.builder") + b".",
    "our module's loader": b"\x80\x04" + named("envpickle", "__loader__.set_data") + b".",
    "our module, another name": b"cenvpickle.payload\nimport_module\n" + text("tripwire") + b"\x85R.",
    "our module, by value": described(forged(), b"cenvpickle.payload\nrebuild_from_main\n") + b".",
    "our module, with code": described(forged(), b"cenvpickle.payload\nrebuild_with_code\n") + b".",
    "our module, a script's builder": b"cenvpickle.payload\nbuilder_from_main\n(NNNtR.",
    "a look-alike letter": b"\x80\x04" + named("h\u0430rbour.docks", "dock") + b".",
    "a name with NUL": b"cos\x00\nsystem\n.",
    "a module with side effects": b"charbour.tripwire\nanything\n.",
    "computed from plain data": b"\x80\x04" + text("os") + b"c_codecs\nencode\n" + text("x") + text("latin1") + b"\x86R\x93.",
    "computed by a call": b"\x80\x04" + text("os") + POINT + b")R\x93.",
    "an extension code": b"\x82\x01.",
    "a wide extension code": b"\x84\xff\xff\xff\x7f.",
    "a persistent id": b"Pevil\n.",
    "a persistent id from the stack": text("evil") + b"Q.",
    "a buffer from outside": b"\x97.",
    "a buffer made read-only": blob(b"x") + b"\x98.",
    "a name over the end of a frame": b"\x80\x04\x95\x13" + bytes(7) + b"charbour.cargo\nColoursystem\n.",
    "a frame in a frame": b"\x80\x04\x95\x20" + bytes(7) + b"N0\x95\x02" + bytes(7) + b"cos\nsystem\n" + b"N0" * 30 + b".",
    "a pickle in a frame that goes on": b"\x80\x04\x95\x03" + bytes(7) + b"N.N",
    "pickles in pickles": b"cpickle\nloads\n" + blob(pickle.dumps(1)) + b"\x85R.",
    "a partial": b"cfunctools\npartial\ncos\nsystem\n" + text("true") + b"\x86R)R.",
    "map over a name": b"cbuiltins\nmap\ncos\nsystem\n](" + text("true") + b"e\x86R.",
    "a codec by its name": b"c_codecs\nencode\n" + text("x") + text("zip") + b"\x86R.",
}


def _descriptor_attacks() -> dict[str, bytes]:
    shapes: dict[str, Any] = {
        "a builder that is not listed": forged("harbour.cargo", "anything"),
        "a builder in os": forged("os", "system"),
        "a reference that is not listed": value_forged({"$ref": "os:system"}),
        "an unpacker that is not listed": value_forged({"$packed": ["harbour.tripwire:unpack", 1]}),
        "a class in a class": value_forged([{"$class": list(forged("harbour.tripwire", "build"))}]),
        "code by value": forged("envpickle.makers.by_value", "by_value"),
        "code by value in a class": value_forged({"$class": list(forged("envpickle.makers.by_value", "by_value"))}),
        "bytes that are none": (b"EP\x01", b"x"),
    }
    found = {name: described(shape) + b"." for name, shape in shapes.items()}
    computed = blob(forged()[0]) + b"c_codecs\nencode\n" + text("\u1234") + text("latin1") + b"\x86R"
    found["a descriptor that is computed"] = b"cenvpickle.payload\nrebuild_class\n(" + computed + b"tR."
    found["a descriptor in a list"] = b"cenvpickle.payload\nrebuild_class\n]" + blob(forged()[0]) + b"aR."
    found["a descriptor in a changing array"] = (
        b"cenvpickle.payload\nrebuild_class\n(" + b"".join(b"\x96" + struct.pack("<Q", len(p)) + p for p in forged()) + b"tR."
    )
    return found


deep = b")" + b"\x85" * 100_000
BOMBS: dict[str, bytes] = {
    "a place of the memo": b"Nr\xff\xff\xff\x7f.",
    "a place of the memo, in digits": b"Np99999999999\n.",
    "a length alone": b"\x8e" + struct.pack("<Q", 1 << 62),
    "a length of text alone": b"\x8d" + struct.pack("<Q", 1 << 40),
    "a negative length": b"T\xff\xff\xff\xff.",
    "a frame without end": b"\x80\x04\x95" + struct.pack("<Q", 1 << 50) + b"N.",
    "a million sets": b"\x8f" * 2_600_000 + b".",
    "an array by its size": b"cbuiltins\nbytearray\nJ\xff\xff\xff\x7f\x85R.",
    "a set of a range": b"cbuiltins\nset\ncbuiltins\nrange\n(K\x00J\xff\xff\xff\x7fK\x01tR\x85R.",
    "a deque of a range": b"ccollections\ndeque\ncbuiltins\nrange\n(K\x00J\xff\xff\xff\x7fK\x01tR\x85R.",
    "a fraction of many zeros": b"cfractions\nFraction\n" + text("1e999999999") + b"\x85R.",
    "bytes by their size, in a keyword": b"\x80\x04"
    + named("builtins", "bytes")
    + b")}"
    + text("source")
    + b"J\xff\xff\xff\x7fs\x92.",
    "a tuple of itself, many times, as a key": b"}K\x01\x85q\x000" + b"h\x00h\x00\x86q\x000" * 40 + b"h\x00Ns.",
    "the same in a set": b"\x8f(K\x01\x85q\x000" + b"h\x00h\x00\x86q\x000" * 40 + b"h\x00\x90.",
    "the same in a frozen set": b"K\x01\x85q\x000(" + b"h\x00h\x00\x86q\x000" * 40 + b"h\x00\x91.",
    "the same in an old set": b"cbuiltins\nset\nK\x01\x85q\x000" + b"h\x00h\x00\x86q\x000" * 40 + b"]h\x00a\x85R.",
    "a long tuple as a key, many times": b"}q\x010(" + b"N" * 1_000_000 + b"tq\x000h\x01(" + b"h\x00N" * 100_000 + b"u.",
    "copies of a long list": b"cbuiltins\nset\nq\x010]("
    + b"K\x01" * 400_000
    + b"eq\x000"
    + b"h\x01h\x00\x85R0" * 5_000
    + b"N.",
    "copies of long bytes": b"cbuiltins\nbytearray\nq\x010"
    + blob(bytes(1 << 20))
    + b"q\x000"
    + b"h\x01h\x00\x85R" * 5_000
    + b".",
    "a path of copies": b"cpathlib\nPurePosixPath\n" + text("x" * 1_000_000) + b"q\x000(" + b"h\x00" * 9_999 + b"tR.",
    "copies of a long state": b"}q\x000("
    + b"".join(text(f"n{n}") + b"N" for n in range(30_000))
    + b"u0"
    + (AN_INSTANCE + b"h\x00b") * 3_000
    + b".",
    "bytes by their size": b"cbuiltins\nbytes\nJ\xff\xff\xff\x7f\x85R.",
    "tuples in tuples as a key": b"}" + deep + b"Ns.",
    "frozen sets in tuples in frozen sets": b"}" + b"(" * 2_000 + b"\x91\x85" * 2_000 + b"Ns.",
    "a number of a million digits": b"L" + b"9" * 1_000_000 + b"L\n.",
    "marks alone": b"(" * 1_000_000,
    "nothing": b"",
    "no end": b"N",
}


ATTACKS: dict[str, bytes] = {**ON_INSTANCES, **ON_NAMES, **_descriptor_attacks(), **BOMBS}
LATE = frozenset(
    [
        "a method of a class, by getattr",
        "an instance of a builder",
        "a state for the class that an allowed builder makes",
        "items into an instance that is no list",
        "items set on an instance that is no dict",
    ]
)
"""Of these only what allowed names lead to can tell: they are refused when these are found, and before anything runs."""
