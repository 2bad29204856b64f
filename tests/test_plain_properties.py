"""Plain data, by search: whatever Hypothesis makes of the plain types travels exactly and has one encoding."""

import collections
import pathlib
import random
from typing import Any

from harbour import cargo, docks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from voyage.values import same

import envpickle

settings.register_profile("voyage", deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("voyage")

any_text = st.text(st.characters(codec=None, exclude_categories=[]), max_size=20)  # lone surrogates too
hashable = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**300), 2**300),
    st.floats(allow_nan=False),
    any_text,
    st.binary(max_size=20),
    st.dates(),
    st.uuids(),
    st.sampled_from(list(cargo.Colour)),
)
leaves = st.one_of(
    hashable,
    st.floats(),
    st.complex_numbers(),
    st.decimals(),
    st.fractions(),
    st.datetimes(timezones=st.none() | st.timezones(), allow_imaginary=False),
    st.times(),
    st.timedeltas(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 9)),
    st.builds(slice, st.none() | st.integers(), st.integers(), st.none()),
    st.builds(pathlib.PurePosixPath, st.from_regex(r"[a-z/]{0,9}", fullmatch=True)),
    st.sampled_from([int, cargo.Holder, cargo.named_function, cargo.Right.READ | cargo.Right.WRITE]),
)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Containers of plain values, records among them."""
    return st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(hashable, inner, max_size=4),
        st.dictionaries(any_text, inner, max_size=4).map(collections.OrderedDict),
        st.builds(cargo.Point, st.integers(), inner),
        st.sets(hashable, max_size=4),
        st.frozensets(hashable, max_size=4),
    )


plain = st.recursive(leaves, containers, max_leaves=25)


def _kept(value: Any) -> Any:
    spec = envpickle.describe(docks.lighthouse(value))
    return envpickle.Spec.from_bytes(spec.to_bytes()), spec


@given(plain)
def test_any_plain_value_comes_back_as_it_was(value: Any) -> None:
    """What is read from a descriptor is in type, order and content what was put in."""
    again, spec = _kept(value)

    assert same(again.arguments["value"], value)
    assert again == spec
    assert envpickle.Spec.from_json(spec.to_json()) == spec


@given(plain)
def test_equal_values_have_equal_bytes(value: Any) -> None:
    """A value made again from its parts has the same descriptor, whatever order a set was filled in."""
    again, spec = _kept(value)
    remade = envpickle.describe(docks.lighthouse(_remade(again.arguments["value"])))

    assert remade.to_bytes() == spec.to_bytes()
    assert remade.key == spec.key


def _remade(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_remade, value))
    if type(value) in (dict, collections.OrderedDict):
        return type(value)((_remade(key), _remade(item)) for key, item in value.items())
    if type(value) in (set, frozenset):
        items = list(value)
        random.Random(1).shuffle(items)
        return type(value)(map(_remade, items))
    return value


@given(plain, plain)
def test_different_values_have_different_bytes(left: Any, right: Any) -> None:
    """Two values share a descriptor only when they are the same in type and order."""
    one, two = (envpickle.describe(docks.lighthouse(value)).to_bytes() for value in (left, right))

    assert (one == two) == same(left, right)
