"""Properties, as Hypothesis draws them: plain data comes through the unpickler, any bytes through the inspection."""

import pickle
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from voyage import fuzzing
from voyage.mutating import SNIPPETS

import envpickle
from envpickle import errors

OFTEN = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.uuids(),
    st.complex_numbers(allow_nan=False),
)
KEYS = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)), max_leaves=4
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=4)
    return st.one_of(lists, lists.map(tuple), st.dictionaries(KEYS, inner, max_size=3), st.sets(KEYS, max_size=3))


VALUES = st.recursive(st.one_of(KEYS, st.binary().map(bytearray)), _containers, max_leaves=8)
PIECES = st.lists(st.one_of(st.sampled_from(SNIPPETS), st.binary(max_size=3)), max_size=30).map(b"".join)


@OFTEN
@given(VALUES, st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_plain_data_needs_no_permission(value: Any, protocol: int) -> None:
    data = pickle.dumps(value, protocol)

    assert envpickle.loads(data, allow=[]) == value
    assert envpickle.inspect(data, allow=[]).allowed


@OFTEN
@given(st.one_of(st.binary(max_size=200), PIECES))
@example(b"\x80\x04\x95\x13" + bytes(7) + b"charbour.cargo\nColoursystem\n.")
@example(b"K\x01\x85q\x000" + b"h\x00h\x00\x86q\x000" * 40 + b"}h\x00Ns.")
def test_any_bytes_are_told_of_or_refused(data: bytes) -> None:
    """The inspection raises nothing and names what the unpickler would look up; the unpickler answers or refuses as ours."""
    fuzzing.look_into(data)
    found = envpickle.inspect(data, allow=[])
    try:
        envpickle.loads(data, allow=[])
    except errors.EnvpickleError:
        return
    assert found.pickles[0].reasons == [] or len(found.pickles) > 1


@OFTEN
@given(VALUES, st.integers(0, pickle.HIGHEST_PROTOCOL), st.data())
def test_a_cut_pickle_is_refused_and_told_of(value: Any, protocol: int, data: st.DataObject) -> None:
    whole = pickle.dumps(value, protocol)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]

    assert not envpickle.inspect(cut).complete
    try:
        envpickle.loads(cut, allow=[])
    except errors.UnsafePickle:
        return
    raise AssertionError("a cut pickle was loaded")
