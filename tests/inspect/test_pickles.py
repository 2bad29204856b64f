"""What an inspection tells of pickles: every name, every class, what cannot be told; nothing is run for it."""

import pickle
import sys
from collections import OrderedDict
from typing import Any

import pytest
from harbour import cargo, docks
from voyage import attacks
from voyage.fresh import run

import envpickle

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_run_time_class_in_full(protocol: int) -> None:
    """Builder, arguments as written, names, owner, surface and sizes, from every protocol."""
    owner = envpickle.Owner()
    cls = owner.build(docks.lighthouse, {"tools": [docks.dock(["lift"])], "call": docks.make_method})
    spec = envpickle.describe(cls)

    (found,) = envpickle.inspect(pickle.dumps([cls], protocol)).pickles
    (told,) = found.descriptors
    assert (told.builder, told.name, told.key) == ("harbour.docks:lighthouse", "Lighthouse", spec.key.hex())
    assert told.owner == (spec.owner or b"").hex()
    assert told.names == ["harbour.docks:dock", "harbour.docks:lighthouse", "harbour.docks:make_method"]
    assert told.kwargs["value"]["call"] == {"$ref": "harbour.docks:make_method"}
    assert told.surface == list(spec.surface)
    assert told.size == sum(map(len, [spec.descriptor()[0], *spec.descriptor()[1]]))
    assert [inner.builder for inner in told.inside] == ["harbour.docks:dock"]
    assert told.inside[0].kwargs["tools"] == ["lift"]
    owner.close()


def test_names_sizes_and_counts_of_a_common_pickle() -> None:
    data = pickle.dumps([OrderedDict(a=1), cargo.Point(1, 2), cargo.Point(3, 4)], 4)
    found = envpickle.inspect(data)

    assert (found.kind, found.size, found.complete, found.allowed) == ("pickle", len(data), True, None)
    assert found.names == ["collections:OrderedDict", "harbour.cargo:Point"]
    assert all(item.called for item in found.pickles[0].globals)
    assert (found.pickles[0].protocol, found.pickles[0].size) == (4, len(data))
    assert found.pickles[0].opcodes > 20
    assert found.unknown == []


@pytest.mark.parametrize("name", attacks.ON_NAMES)
def test_no_name_is_hidden(name: str) -> None:
    """Through the memo, by old names, INST, OBJ, computed or by code: named, or said to be unknown, or broken."""
    found = envpickle.inspect(attacks.ATTACKS[name], allow=attacks.ALLOW)
    told = " ".join([*found.names, *found.unknown, *(reason for p in found.pickles for reason in p.reasons)])

    assert found.allowed is False
    assert told


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (attacks.BY_MEMO, "os:system"),
        (b"(S'true'\nios\nsystem\n.", "os:system"),
        (b"(cos\nsystem\nS'true'\no.", "os:system"),
        (b"ccommands\ngetoutput\n.", "subprocess:getoutput"),
        (b"c__builtin__\nexecfile\n.", "builtins:execfile"),
        (b"\x80\x03ccommands\ngetoutput\n.", "commands:getoutput"),
        (b"Np2\x00\n0cos\nsystem\n.", "os:system"),
        (b"c\\x6fs\nsystem\n.", "\\x6fs:system"),
        ("cos\nsyst\u00e9m\n.".encode(), "os:syst\u00e9m"),
        (b"\x80\x04X\x01\x00\x00\x00\x6f2\x8c\x01x\x93.", "o:x"),
    ],
)
def test_names_are_read_as_the_unpickler_reads_them(data: bytes, name: str) -> None:
    assert envpickle.inspect(data).names == [name]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x82\x05.", "extension code 5"),
        (b"\x80\x04" + attacks.text("os") + attacks.POINT + b")R\x93.", "a name is computed"),
        (attacks.POINT + b")R)R.", "the result of harbour.cargo:Point is called"),
        (b"cenvpickle.payload\nrebuild_class\n]R.", "descriptor that cannot be told"),
        (b"\x97.", "buffer"),
        (b"\x80\x04\x95\x13" + bytes(7) + b"charbour.cargo\nColoursystem\n.", "after byte 11"),
        (b"Ncos\nsys", "after byte 1"),
    ],
)
def test_what_cannot_be_told_is_said(data: bytes, what: str) -> None:
    assert what in "; ".join(envpickle.inspect(data).unknown)


def test_several_pickles_one_after_the_other() -> None:
    pieces = [pickle.dumps(1, 0), pickle.dumps(docks.dock(["lift"])), b"cos\nsystem\n."]
    found = envpickle.inspect(b"".join(pieces))

    assert [item.at for item in found.pickles] == [0, len(pieces[0]), len(pieces[0] + pieces[1])]
    assert found.names == ["envpickle.payload:rebuild_class", "harbour.docks:dock", "os:system"]


@pytest.mark.parametrize("cut", range(0, 400, 7))
def test_a_broken_pickle_tells_what_there_was(cut: int) -> None:
    """Cut anywhere: an error that says so, and what stood before it."""
    data = b"\x80\x02cos\nsystem\n0" + pickle.dumps([cargo.Point(1, 2), docks.dock(["lift"])], 2)[2:]
    found = envpickle.inspect(data[:cut])

    assert found.complete is (cut >= len(data))
    assert found.error or found.pickles[0].error or found.complete
    if cut > 14:
        assert "os:system" in found.names


def test_bytes_behind_a_pickle_that_are_none() -> None:
    found = envpickle.inspect(pickle.dumps(1) + b"\xff rest")
    assert not found.complete
    assert "no opcode" in str(found.pickles[1].error)


def test_against_a_list() -> None:
    data = pickle.dumps([docks.dock(["lift"]), cargo.Point(1, 2)])

    assert envpickle.inspect(data, allow=["harbour.docks:dock", "harbour.cargo:Point"]).allowed
    found = envpickle.inspect(data, allow=["harbour.cargo:Point"])
    assert found.allowed is False
    assert found.pickles[0].descriptors[0].allowed is False
    assert {item.name: item.allowed for item in found.pickles[0].globals} == {
        "harbour.cargo:Point": True,
        "envpickle.payload:rebuild_class": True,
    }
    assert found.pickles[0].reasons == ["it holds a descriptor that names harbour.docks:dock"]
    with pytest.raises(ValueError, match="no exact name"):
        envpickle.inspect(data, allow=["harbour.*"])


def test_the_text_holds_nothing_that_a_terminal_obeys() -> None:
    data = b"\x80\x04" + attacks.named("a\x1b[2Jb", "c\r\x07d") + b"."
    text = str(envpickle.inspect(data))

    assert "a\\x1b[2Jb:c\\r\\x07d" in text
    assert not {"\x1b", "\r", "\x07"} & set(text)


NOTHING = """
import sys
from voyage import attacks, watched
from voyage.fresh import report
import envpickle
watched.install()
for data in attacks.ATTACKS.values():   # once, for what inspecting needs of ours
    if len(data) < 10_000:
        str(envpickle.inspect(data, allow=attacks.ALLOW))
before = set(sys.modules)
with watched.watching():
    texts = [str(envpickle.inspect(data)) for data in attacks.ATTACKS.values() if len(data) < 10_000]
report([watched.events[:20], sorted(set(sys.modules) - before), "harbour.docks" in sys.modules, len(texts)])
"""


def test_nothing_is_imported_opened_or_run() -> None:
    events, imported, there, count = run(NOTHING, seconds=100)
    assert (events, imported, there) == ([], [], False)
    assert count > 70


BOUNDED = """
import sys
from voyage import watched
from voyage.fresh import report
import envpickle
envpickle.inspect(b"N.")
watched.limit_memory(500 << 20)
bombs = {"sets": b"\\x8f" * 20_000_000 + b".", "lists": b"]" * 1_000_000 + b".", "marks": b"(" * 1_000_000,
         "texts": (b"X\\x00\\x00\\x10\\x00" + b"x" * (1 << 20)) * 40 + b".", "length": b"\\x8e" + b"\\xff" * 7 + b"\\x3f"}
report({name: [pickle.error for pickle in envpickle.inspect(data).pickles] for name, data in bombs.items()})
"""


def test_memory_is_bounded() -> None:
    found: Any = run(BOUNDED, seconds=100)
    assert all(errors and errors[0] for name, errors in found.items() if name not in ("lists", "texts")), found
    assert sys.getsizeof(found) > 0


def test_json_is_all_of_it() -> None:
    import json

    found = envpickle.inspect(pickle.dumps(docks.dock(["lift"])), allow=[])
    again = json.loads(found.to_json())
    assert again["pickles"][0]["descriptors"][0]["kwargs"]["tools"] == ["lift"]
    assert (again["allowed"], again["complete"], again["names"]) == (False, True, found.names)
