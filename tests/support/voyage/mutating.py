"""Bad bytes in great number: good pickles and descriptors, changed where their structure is, and where it is not."""

import pickle
import pickletools
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from voyage.forge import forged, one_piece, packed, value_forged

SNIPPETS = [
    b"(",
    b".",
    b"0",
    b"1",
    b"2",
    b")",
    b"]",
    b"}",
    b"\x8f",
    b"N",
    b"\x88",
    b"\x89",
    b"K\x01",
    b"M\x01\x02",
    b"J\xff\xff\xff\xff",
    b"\x8a\x01\x05",
    b"\x8b\x01\x00\x00\x00\x05",
    b"I7\n",
    b"I01\n",
    b"L7L\n",
    b"F1.5\n",
    b"G?\xf8\x00\x00\x00\x00\x00\x00",
    b"S'x'\n",
    b"V\\u0041\n",
    b"T\x01\x00\x00\x00x",
    b"U\x02os",
    b"X\x02\x00\x00\x00os",
    b"\x8c\x06system",
    b"\x8c\x02os",
    b"\x8d\x01\x00\x00\x00\x00\x00\x00\x00x",
    b"C\x02ab",
    b"B\x01\x00\x00\x00b",
    b"\x8e\x01\x00\x00\x00\x00\x00\x00\x00b",
    b"\x96\x01\x00\x00\x00\x00\x00\x00\x00b",
    b"\x97",
    b"\x98",
    b"\x85",
    b"\x86",
    b"\x87",
    b"t",
    b"l",
    b"d",
    b"a",
    b"e",
    b"s",
    b"u",
    b"\x90",
    b"\x91",
    b"q\x00",
    b"q\x01",
    b"h\x00",
    b"h\x01",
    b"r\x05\x00\x00\x00",
    b"j\x00\x00\x00\x00",
    b"r\xff\xff\xff\x7f",
    b"p0\n",
    b"g0\n",
    b"\x94",
    b"cos\nsystem\n",
    b"c__builtin__\neval\n",
    b"cbuiltins\ngetattr\n",
    b"ccommands\ngetoutput\n",
    b"ccopyreg\n_reconstructor\n",
    b"cbuiltins\nset\n",
    b"cbuiltins\nbytearray\n",
    b"cbuiltins\nrange\n",
    b"\x93",
    b"R",
    b"b",
    b"o",
    b"\x81",
    b"\x92",
    b"ios\nsystem\n",
    b"(ios\nsystem\n",
    b"P0\n",
    b"Q",
    b"\x82\x01",
    b"\x83\x01\x00",
    b"\x84\x01\x00\x00\x00",
    b"\x80\x00",
    b"\x80\x02",
    b"\x80\x04",
    b"\x80\x05",
    b"\x95\x00\x00\x00\x00\x00\x00\x00\x00",
    b"\x8c\x09__class__",
    b"\x8c\x0c__setstate__",
    b"cenvpickle.payload\nrebuild_class\n",
    b"cenvpickle.payload\nrebuild_from_main\n",
    b"charbour.docks\nlighthouse\n",
    b"charbour.cargo\nPoint\n",
    b"c_codecs\nencode\n",
    b"\x8c\x06latin1",
]
ATOMS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**63,
    -(2**63),
    1.5,
    float("nan"),
    "",
    "x",
    "harbour.docks:lighthouse",
    "os:system",
    "__main__",
    b"",
    b"x",
    b"EP\x01",
    [],
    {},
    [[]],
    {"$int": "f" * 17},
    {"$tuple": []},
    {"$set": [1, 1]},
    {"$dict": [[1, 2]]},
    {"$ref": "os:system"},
    {"$ref": "harbour.docks:lighthouse"},
    {"$ref": "a:b:c"},
    {"$ref": "h\u0430rbour:x"},
    {"$class": [b"EP", b""]},
    {"$enum": [{"$ref": "harbour.cargo:Colour"}, "RED", None]},
    {"$packed": ["os:system", "id"]},
    {"$script": [b"0" * 16, "x"]},
    {"$date": [2020, 1, 1]},
    {"$date": [10**9, 1, 1]},
    {"$uuid": b"0" * 16},
    {"$path": ["Path", "a"]},
    {"$decimal": "1e9"},
    {"$fraction": [1, 2]},
    {"$partial": [{"$ref": "os:system"}, [], {}]},
    {"$whatever": 1},
    {"$secret": "HOME"},
    {"a": {"$ref": 5}},
]
Mutation = Callable[[random.Random, bytes], bytes]


def pieces_of(data: bytes) -> list[bytes]:
    """A good pickle cut at its opcodes."""
    places = [place for _, _, place in pickletools.genops(data) if place is not None] + [len(data)]
    return [data[begin:end] for begin, end in pairwise(places)]


class Changer:
    """Changes good pickles and descriptors; the same seed gives the same bytes.

    Args:
        seed: Where to begin.
        pickles: Good ones.
        descriptors: Good ones, as one piece each.
    """

    def __init__(self, seed: int, pickles: Sequence[bytes], descriptors: Sequence[bytes]) -> None:
        self.random = random.Random(seed)
        self.pickles = [pieces_of(data) for data in pickles]
        self.descriptors = list(descriptors)

    def a_pickle(self) -> bytes:
        """A pickle with opcodes dropped, doubled, moved, brought in from another; perhaps with bytes changed too."""
        draw = self.random.random
        pieces = list(self.pickles[int(draw() * len(self.pickles))])
        for _ in range(1 + int(draw() ** 2 * 6)):
            place, kind = int(draw() * len(pieces)), int(draw() * 7)
            if kind == 0 and len(pieces) > 1:
                del pieces[place]
            elif kind == 1:
                pieces.insert(place, pieces[int(draw() * len(pieces))])
            elif kind == 2:
                other = int(draw() * len(pieces))
                pieces[place], pieces[other] = pieces[other], pieces[place]
            elif kind == 3:
                other_pieces = self.pickles[int(draw() * len(self.pickles))]
                begin = int(draw() * len(other_pieces))
                pieces[place:place] = other_pieces[begin : begin + int(draw() * 8)]
            elif kind == 4:
                pieces[place] = SNIPPETS[int(draw() * len(SNIPPETS))]
            else:
                pieces.insert(place, SNIPPETS[int(draw() * len(SNIPPETS))])
        data = b"".join(pieces)
        return self.bytes_changed(data) if draw() < 0.25 else data

    def a_descriptor(self) -> bytes:
        """A descriptor with bytes changed; or one with other arguments or names, sealed with the key and checksum it needs."""
        draw = self.random.random
        if draw() < 0.5:
            return self.bytes_changed(self.descriptors[int(draw() * len(self.descriptors))])
        if draw() < 0.6:
            return one_piece(value_forged(self.tree(3)))
        field = ("module", "qualname", "name", "surface", "owner", "script", "positional", "keywords", "extra")[int(draw() * 9)]
        try:
            return one_piece(forged(**{field: self.tree(1)}))
        except TypeError:  # of a kind that cannot even be written there
            return one_piece(forged(values=[packed(self.tree(2))]))

    def tree(self, depth: int) -> Any:
        """A tree of what descriptors are made of."""
        draw = self.random.random
        kind = int(draw() * 6) if depth else 0
        if kind == 4:
            return [self.tree(depth - 1) for _ in range(int(draw() * 4))]
        if kind == 5:
            tags = ("$tuple", "$dict", "$set", "$odict", "$slice", "$partial", "$fields", "$model", "$member", "a", "$")
            return {tags[int(draw() * len(tags))]: self.tree(depth - 1)}
        return ATOMS[int(draw() * len(ATOMS))]

    def bytes_changed(self, data: bytes) -> bytes:
        """The data with a few bytes changed, dropped, brought in, or cut off."""
        draw, changed = self.random.random, bytearray(data or b"\0")
        for _ in range(1 + int(draw() ** 3 * 5)):
            place, kind = int(draw() * len(changed)), int(draw() * 6)
            if kind < 2:
                changed[place] ^= 1 << int(draw() * 8)
            elif kind == 2:
                changed[place] = int(draw() * 256)
            elif kind == 3:
                changed.insert(place, int(draw() * 256))
            elif kind == 4:
                del changed[place : place + 1 + int(draw() * 4)]
            else:
                del changed[place + 1 :]
            if not changed:
                return b""
        return bytes(changed)


def good_pickles(values: Sequence[Any]) -> list[bytes]:
    """The values as pickles of each protocol, the small ones of these."""
    found = {pickle.dumps(value, protocol) for value in values for protocol in range(6)}
    return sorted(data for data in found if len(data) < 700)
