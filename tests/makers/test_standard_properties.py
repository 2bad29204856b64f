"""Whatever their fields are called and whatever they default to, classes of the standard library's makers come out the same."""

import collections
import dataclasses
import enum
import gc
import pickle
import typing
from keyword import iskeyword
from string import ascii_letters, digits
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from voyage.values import same

import envpickle
from envpickle.likeness import unlike
from envpickle.makers import collections as of_collections
from envpickle.registering import _by_plugin_or_maker

NAMES = st.builds(
    lambda first, rest: first + rest, st.sampled_from(ascii_letters), st.text(ascii_letters + digits + "_", max_size=8)
)
FIELDS = st.lists(NAMES.filter(lambda name: not iskeyword(name)), max_size=5, unique=True)
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=5), st.dates(), st.decimals(),
    st.tuples(st.integers(), st.text(max_size=3)), st.frozensets(st.integers(), max_size=3), st.complex_numbers(),
)  # fmt: skip
TYPES = st.sampled_from([int, str, list[int], typing.Optional[int], Any, "int", "list[str]"])  # noqa: UP045
PAIRS = st.dictionaries(NAMES.filter(lambda name: not iskeyword(name)), st.tuples(TYPES, PLAIN), max_size=5)


def made_again(cls: Any) -> Any:
    """What the call that a maker gives for a class makes, of the arguments as they arrive."""
    reasons: list[str] = []
    found = _by_plugin_or_maker(cls, reasons)
    assert found is not None, reasons
    return found[0].fn(*found[1].arguments()[0], **found[1].arguments()[1])


def crosses(make: Any) -> Any:
    """Register a class, pickle it, let go of it, and load it again."""
    assert unlike(make(), made_again(make())) == []
    cls = envpickle.register(make(), by_value=False)
    payload = pickle.dumps(cls)
    assert pickle.loads(payload) is cls
    envpickle.unregister(cls)
    del cls
    gc.collect(0)
    return pickle.loads(payload)


@settings(max_examples=15, deadline=None)
@given(FIELDS, st.lists(PLAIN, max_size=5), st.booleans())
def test_named_tuples(fields: list[str], defaults: list[Any], rename: bool) -> None:
    """Also with names that were replaced."""
    given_names = [*fields, "def", *fields[:1]] if rename else fields
    known = defaults[: len(given_names)] or None
    make = lambda: collections.namedtuple("Row", given_names, rename=rename, defaults=known)  # noqa: E731
    got = crosses(make)

    assert got._fields == make()._fields
    assert same(got._field_defaults, make()._field_defaults)


@settings(max_examples=15, deadline=None)
@given(PAIRS, st.lists(st.sampled_from(["frozen", "slots", "order", "kw_only", "unsafe_hash"]), unique=True))
def test_dataclasses(fields: dict[str, tuple[Any, Any]], options: list[str]) -> None:
    """With every option."""
    specs = [(name, type_, default) for name, (type_, default) in fields.items()]
    make = lambda: dataclasses.make_dataclass("Row", specs, **dict.fromkeys(options, True))  # noqa: E731
    got = crosses(make)

    assert [field.name for field in dataclasses.fields(got)] == list(fields)
    assert same(dataclasses.astuple(got()), dataclasses.astuple(make()()))


@settings(max_examples=15, deadline=None)
@given(PAIRS.filter(bool))
def test_types_with_fields(fields: dict[str, tuple[Any, Any]]) -> None:
    """Named tuples with types, and typed dicts with types that are no text."""
    named: Any = typing.NamedTuple
    typed: Any = typing.TypedDict
    got = crosses(lambda: named("Row", [(name, type_) for name, (type_, _) in fields.items()]))
    assert typing.get_type_hints(got).keys() == fields.keys()
    whole = {name: type_ for name, (type_, _) in fields.items() if not isinstance(type_, str)}
    got = crosses(lambda: typed("Row", whole, total=False))
    assert got.__optional_keys__ == whole.keys()


def _compare(values: dict[str, Any]) -> bool:
    """Whether Python can make an enumeration of them: it compares them, which a signalling NaN refuses."""
    try:
        return bool(enum.Enum("Word", values))
    except ArithmeticError:
        return False


@settings(max_examples=15, deadline=None)
@given(st.dictionaries(NAMES.filter(lambda name: name != "mro"), PLAIN, min_size=1, max_size=5).filter(_compare))
def test_enumerations(values: dict[str, Any]) -> None:
    """With values of any kind, aliases among them."""
    got = crosses(lambda: enum.Enum("Word", values))

    assert list(got.__members__) == list(values)
    assert all(same(one.value, other.value) for one, other in zip(got, enum.Enum("Word", values), strict=True))


@settings(max_examples=15, deadline=None)
@given(st.dictionaries(NAMES, PLAIN, max_size=5), st.sampled_from([(), (Exception,), (dict,), (int,)]))
def test_plain_bodies(body: dict[str, Any], bases: Any) -> None:
    """Of any attributes that are plain data."""
    got = crosses(lambda: type("Env", bases, dict(body)))

    assert all(same(vars(got)[name], value) for name, value in body.items())


def test_a_set_among_the_defaults() -> None:
    """Equal sets show their items in any order, and a dataclass shows its defaults in its docstring."""
    odd = frozenset([-274877906943, 1])
    got = crosses(lambda: dataclasses.make_dataclass("Row", [("a", Any, odd), ("b", Any, (odd,))]))

    assert got() == got(odd)


def test_the_makers_builder_is_public() -> None:
    """Its name stands in descriptors for ever, and calling it makes the class at once."""
    cls: Any = of_collections.namedtuple("Point", ["x", "y"], None)

    assert envpickle.describe(cls).builder == "envpickle.makers.collections:namedtuple"
    assert pickle.loads(pickle.dumps(cls(1, 2))) == (1, 2)
