"""Partials over plain data cross as data, whatever the data is."""

import functools
import pickle
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from wharf.calls import lengths

from envpickle.testing import strategies
from envpickle_trl import portable


def same(one: Any, other: Any) -> bool:
    """Equal and of equal types, all the way down: compared as what pickle would write."""
    return pickle.dumps(one) == pickle.dumps(pickle.loads(pickle.dumps(other))) or repr(one) == repr(other)


KEYWORDS = st.dictionaries(st.sampled_from(["scale", "other", "func"]), strategies.plain_data())


@settings(max_examples=150, deadline=None)
@given(st.lists(strategies.plain_data(), max_size=3), KEYWORDS)
def test_a_partial_over_plain_data_arrives_with_that_data(args: list[Any], keywords: dict[str, Any]) -> None:
    made = portable(functools.partial(lengths, *args, **keywords))
    payload = pickle.dumps(made)
    arrived = pickle.loads(payload).func
    assert (type(arrived), arrived.func) == (functools.partial, lengths)
    assert same(arrived.args, made.func.args)  # type: ignore[attr-defined]
    assert same(arrived.keywords, made.func.keywords)  # type: ignore[attr-defined]
    assert b"cloudpickle" not in payload


@settings(max_examples=60, deadline=None)
@given(strategies.plain_data())
def test_a_closure_over_plain_data_arrives_with_that_data(value: Any) -> None:
    arrived = pickle.loads(pickle.dumps(portable(lambda: value)))
    assert same(arrived(), value)
