"""Hypothesis strategies for plain data, run-time classes and specs."""

import datetime as dt
import functools
import pathlib
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from hypothesis import strategies as st

from envpickle import Secret, Spec, describe

from .samples import Colour, Crate, Right, double, toolbox

_NAMES = st.from_regex(r"[a-z][a-z_]{0,11}", fullmatch=True).filter(lambda name: name not in ("data", "None"))
_ZONES = st.one_of(
    st.none(),
    st.just(dt.UTC),
    st.timezones(),
    st.integers(-1439, 1439).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes))),
)


def plain_data(max_leaves: int = 12) -> st.SearchStrategy[Any]:
    """Values of every kind that a spec may hold.

    Args:
        max_leaves: How many values a container may hold, at any depth together.
    """
    keys = _hashable()
    return st.recursive(
        st.one_of(keys, _unhashable_leaves()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=5),
            st.lists(inner, max_size=5).map(tuple),
            st.dictionaries(st.text(max_size=8), inner, max_size=5),
            st.dictionaries(st.sampled_from(["$ref", "$dict", "$tuple", "$"]), inner, max_size=2),
            st.dictionaries(keys, inner, max_size=4),
            st.dictionaries(st.text(max_size=4), inner, max_size=4).map(OrderedDict),
            st.builds(Crate, st.text(max_size=5), inner),
            st.lists(inner, max_size=3).map(lambda args: functools.partial(double, *args)),
        ),
        max_leaves=max_leaves,
    )


def _hashable() -> st.SearchStrategy[Hashable]:
    leaves: list[st.SearchStrategy[Hashable]] = [
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.complex_numbers(allow_nan=False),
        st.text(max_size=20),
        st.characters(categories=["Cs"]).map(lambda surrogate: f"a{surrogate}"),
        st.binary(max_size=20),
        st.dates(),
        st.datetimes(timezones=_ZONES),
        st.times(timezones=st.one_of(st.none(), st.just(dt.UTC))),
        st.timedeltas(),
        st.decimals(allow_nan=False),
        st.fractions(),
        st.uuids(),
        st.sampled_from([*Colour, *Right, Right.READ | Right.RUN, double, Crate, int, dict]),
        st.sampled_from(["a/b", "/", "."]).map(pathlib.Path),
        st.sampled_from(["a\\b", "c:\\x"]).map(pathlib.PureWindowsPath),
        st.just(Secret("HOME")),
        st.frozensets(st.integers(), max_size=4),
        st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3)),
    ]
    return st.one_of(leaves)


def _unhashable_leaves() -> st.SearchStrategy[Any]:
    return st.one_of(st.sets(st.text(max_size=4), max_size=4), st.builds(slice, st.integers(), st.none(), st.integers()))


def runtime_classes(data: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[type]:
    """Classes that the builder :func:`envpickle.testing.toolbox` makes.

    Args:
        data: Values for the builder's ``data``; plain data of every kind if None.
    """
    names = st.from_regex(r"[A-Z][A-Za-z]{0,9}", fullmatch=True)
    tools = st.lists(_NAMES, max_size=5, unique=True)
    return st.builds(toolbox, names, tools, plain_data() if data is None else data)


def specs() -> st.SearchStrategy[Spec]:
    """Specs of such classes."""
    return runtime_classes().map(describe)
