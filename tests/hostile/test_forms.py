"""Tagged values have one form each: any other is refused before anything is imported, and equal values have equal bytes."""

import collections
import datetime
import decimal
import functools
import json
from collections.abc import Callable
from typing import Any

import pytest
from harbour import cargo, docks
from voyage import forms
from voyage.forge import forged, one_piece, packed, sealed, value_forged
from voyage.fresh import run
from voyage.values import STANDARD, same

import envpickle
from envpickle import payload
from envpickle.payload import rebuild_class

PROGRAM = """
import decimal, math, pathlib, sys
from voyage import forms, watched
from voyage.forge import forged, one_piece, packed, value_forged
from voyage.fresh import report
import envpickle
from envpickle.payload import rebuild_class

def descriptor(tree):
    return forged("harbour.tripwire", "trap", name="Trap", surface="number", keywords=("number",), values=[packed(tree)])

def nested(tree):
    return descriptor({"$class": list(value_forged(tree))})

def trees():
    if sys.argv[1] == "each":
        yield from ((name, descriptor(tree)) for name, tree in forms.wrong())
    elif sys.argv[1] == "nested class":
        yield from ((name, nested(tree)) for name, tree in forms.wrong() if "generic" not in name)
    else:
        for tag, contents in forms.WRONG.items():
            for place, tree in forms.places({tag: contents[0]}).items():
                yield f"{tag} {place}", descriptor(tree)

watched.warm_up()
through = {}
for name, found in trees():   # once, so that what refusing them needs of ours is imported
    watched.attempt(lambda: rebuild_class(*found))
    if imported := [name for name in sys.modules if name.startswith("harbour.") and name != "harbour.light"]:
        through[name] = [str(sys.modules.pop(name)) for name in imported]
watched.install()
watched.limit_memory(300 << 20)
wrong, count = {}, 0
for name, found in trees():
    data = one_piece(found)
    for way in (lambda: rebuild_class(*found), lambda: envpickle.rebuild(data),
                lambda: envpickle.rebuild(data, allow=["harbour.tripwire:trap"])):
        count += 1
        if verdict := watched.attempt(way):
            wrong[name] = verdict
report(dict(wrong=wrong, through=through, count=count, events=watched.events[:20]))
"""


@pytest.mark.parametrize("way", ["each", "nested class", "each place"])
def test_a_wrong_form_is_refused_before_any_import(way: str) -> None:
    """Every tag with every wrong content, at every place a tree can have: an EnvpickleError, and nothing was imported."""
    seen = run(PROGRAM, way, seconds=110)

    assert seen["wrong"] == {}
    assert seen["through"] == {}
    assert seen["events"] == []
    assert seen["count"] > 400


def test_the_wrong_forms_speak_of_every_tag() -> None:
    """The list of wrong forms has each tag that the library writes or reads, and none of the right ones in it."""
    from envpickle import untag

    assert set(forms.WRONG) == set(untag._DECODERS)
    for name, tree in forms.wrong():
        assert all(packed(tree) != packed(right) for right in RIGHT.values()), name


RIGHT: dict[str, Any] = {
    "$int": {"$int": "10000000000000000"},
    "$int below": {"$int": "-8000000000000001"},
    "$tuple": {"$tuple": [1, {"$tuple": []}]},
    "$set": {"$set": [1, 2]},
    "$set of sets": {"$set": [{"$frozenset": [1]}, {"$frozenset": [2]}]},
    "$dict": {"$dict": [[1, 2], ["1", 3]]},
    "$dict for a tag": {"$dict": [["$ref", 1]]},
    "$odict": {"$odict": [["b", 1], ["a", 2]]},
    "$slice": {"$slice": [None, 1, "a"]},
    "$range": {"$range": [0, {"$int": "10000000000000000"}, 1]},
    "$partial": {"$partial": [forms.FUNCTION, [1], {"value": 2}]},
    "$complex": {"$complex": [0.0, -1.5]},
    "$decimal": {"$decimal": "1.10"},
    "$fraction": {"$fraction": [-1, 3]},
    "$uuid": {"$uuid": b"x" * 16},
    "$date": {"$date": [2026, 11, 29]},
    "$time": {"$time": [1, 2, 3, 4, 0, {"$timezone": None}]},
    "$datetime": {"$datetime": [2026, 1, 1, 1, 2, 3, 4, 0, {"$zoneinfo": "Europe/Paris"}]},
    "$timedelta": {"$timedelta": [-1, 86_399, 999_999]},
    "$timezone": {"$timezone": [[0, 3600, 0], "EAST"]},
    "$path": {"$path": ["Path", "a/b"]},
    "$secret": {"$secret": "HARBOUR_TOKEN"},
    "$ref": {"$ref": "harbour.cargo:Point"},
    "$enum": {"$enum": [{"$ref": "harbour.cargo:Colour"}, "RED", None]},
    "$enum by value": {"$enum": [{"$ref": "harbour.cargo:Right"}, None, 3]},
    "$fields": {"$fields": [forms.REF, {"x": 1, "y": None}]},
    "$struct": {"$struct": [{"$ref": "harbour.modelled:Spec"}, {"x": 1, "y": [2]}]},
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_form_is_taken_and_is_the_one_written(name: str) -> None:
    """A value of each kind, written by hand from the description, is what the library writes of the value it makes."""
    data = value_forged(RIGHT[name])
    cls: Any = rebuild_class(*data)

    assert envpickle.describe(docks.lighthouse(cls.value())).to_bytes() == one_piece(data)
    assert docks.lighthouse(cls.value()) is cls


def spellings(tree: Any) -> list[Any]:
    """Other trees that somebody might take for the same value: each part in every other way one could write it."""
    found: list[Any] = []
    if type(tree) is int:
        found += [{"$int": format(tree, "x")}, float(tree)] if abs(tree) < 2**50 else []
    if type(tree) is list:
        found += [{"$tuple": tree}]
        found += [[*tree[:at], other, *tree[at + 1 :]] for at, item in enumerate(tree[:40]) for other in spellings(item)]
    if type(tree) is dict:
        tag, content = next(iter(tree.items()), ("", None))
        if tag == "$partial":
            return [{tag: [content[0], other, content[2]]} for other in spellings(content[1])]
        found += [{"$dict": [[key, value] for key, value in tree.items()]}, {"$odict": list(map(list, tree.items()))}]
        found += [{tag: content[::-1]}, {tag: [*content, *content[-1:]]}] if tag in ("$set", "$frozenset") and content else []
        if tag[:1] != "$" or tag in ("$tuple", "$dict", "$odict", "$set", "$frozenset", "$slice"):
            found += [{**tree, key: other} for key, value in tree.items() for other in spellings(value)]
    return [other for other in found if packed(other) != packed(tree)]


def written(value: Any) -> Any:
    """The tree of a value, read from the bytes that the library wrote."""
    import msgpack

    pieces = msgpack.unpackb(envpickle.describe(docks.lighthouse(value)).to_bytes())
    slot = msgpack.unpackb(pieces[0][27:])[2][0]
    return msgpack.unpackb(
        slot if isinstance(slot, bytes) else pieces[1 + slot], unicode_errors="surrogatepass", strict_map_key=False
    )


@pytest.mark.parametrize("kind", STANDARD)
def test_a_value_has_one_spelling(kind: str) -> None:
    """Another spelling of a value, or of any part of it, is refused, or is the only spelling of another value."""
    value = STANDARD[kind]
    tree = written(value)
    assert one_piece(value_forged(tree)) == envpickle.describe(docks.lighthouse(value)).to_bytes()

    for other in spellings(tree):
        data = value_forged(other)
        try:
            cls: Any = rebuild_class(*data)
        except envpickle.errors.EnvpickleError:
            continue
        assert not same(cls.value(), value), other
        assert envpickle.describe(docks.lighthouse(cls.value())).to_bytes() == one_piece(data), other


ODD: list[Any] = [None, 5, -1, "text", b"bytes", b"x" * 16, (), ("a",), [], {}, len, int, object, ValueError, print, docks.dock]


def test_the_public_functions_of_a_pickle_take_odd_arguments() -> None:
    """Whatever a hostile pickle calls them with: an EnvpickleError, or a TypeError of Python's own for a wrong number."""
    calls = [(payload.rebuild_class, args) for args in [(one,) for one in ODD] + [(one, two) for one in ODD for two in ODD]]
    calls += [(payload.rebuild_from_main, (one, *forged(script=b"s" * 16))) for one in ODD]
    calls += [(payload.rebuild_from_main, (one, two)) for one in ODD for two in ODD]
    calls += [(payload.builder_from_main, (one, two, three)) for one in ODD for two in ODD for three in ODD]
    calls += [(envpickle.Spec, (one, two)) for one in ODD for two in ODD]
    for function, args in calls:
        with pytest.raises(envpickle.errors.EnvpickleError):
            function(*args)


def test_an_exception_is_made_of_an_exception_class_alone() -> None:
    """`rebuild_exception` answers for exception classes with a tuple of arguments, and for nothing else."""
    for cls in ODD:
        for args in ODD:
            if cls is ValueError and isinstance(args, tuple):
                assert payload.rebuild_exception(cls, args).args == args
                continue
            with pytest.raises(envpickle.errors.EnvpickleError):
                payload.rebuild_exception(cls, args)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "arguments are text": lambda view: {**view, "args": ""},
    "arguments are a dict": lambda view: {**view, "args": {}},
    "a float of two bytes": lambda view: {**view, "kwargs": {"value": {"$float": "00"}}},
    "surface is a dict": lambda view: {**view, "surface": {"got()": 1}},
    "surface is text": lambda view: {**view, "surface": "got()"},
    "format is true": lambda view: {**view, "format": True},
    "format is a float": lambda view: {**view, "format": 1.0},
    "a key more": lambda view: {**view, "more": 1},
}


@pytest.mark.parametrize("what", VIEWS)
def test_a_view_of_a_wrong_form_is_refused(what: str) -> None:
    """The JSON view has one form as well: other types, other keys and other spellings in it are refused when it is read."""
    view = json.loads(envpickle.describe(docks.lighthouse(1)).to_json())
    changed = VIEWS[what](view)
    assert changed != view or what.startswith("format")

    with pytest.raises(envpickle.errors.EnvpickleError):
        envpickle.Spec.from_json(json.dumps(changed))


def test_a_deep_name_in_a_deep_stack_is_refused() -> None:
    """What is nested too deep is refused as such, however little of the stack is left."""
    body = b"\x93" + b"\x91" * 990 + b"\x90" + b"\x80\x90"
    data = sealed(b"k" * 16, body, forged()[1:])

    def down(levels: int) -> Any:
        return down(levels - 1) if levels else rebuild_class(*data)

    with pytest.raises(envpickle.errors.EnvpickleError):
        down(300)


EQUAL: dict[str, tuple[Any, Any]] = {
    "sets in another order": ({"a", "b", "c"}, set("cba")),
    "a set that grew": ({1, 2, 3}, set(range(100)) - set(range(4, 100)) - {0}),
    "delta": (datetime.timedelta(hours=25), datetime.timedelta(days=1, seconds=3_600)),
    "decimal": (decimal.Decimal("1.10"), decimal.Decimal((0, (1, 1, 0), -2))),
    "partial of a partial": (
        functools.partial(cargo.named_function, 1, a=2),
        functools.partial(functools.partial(cargo.named_function, 1), a=2),
    ),
    "keys of a dict": ({1: 2, "a": 3}, {1: 2} | {"a": 3}),
    "ordered dicts": (collections.OrderedDict(a=1), collections.OrderedDict([("a", 1)])),
    "an alias of a member": (cargo.Colour.RED, cargo.Colour.ALSO_RED),
    "a flag combined": (cargo.Right.READ | cargo.Right.WRITE, cargo.Right(3)),
    "long integers": (2**70, int("1180591620717411303424")),
}


@pytest.mark.parametrize("what", EQUAL)
def test_equal_values_have_equal_bytes(what: str) -> None:
    """However a value came about, it is written the same way, so the same class answers."""
    left, right = EQUAL[what]

    assert docks.lighthouse(left) is docks.lighthouse(right)
