"""The walk is pickle's: the same bytes, the same names, in the same order, and what pickle refuses is refused."""

import collections
import io
import pickle
import pickletools
from typing import Any

import cloudpickle
import pytest
from harbour import explained
from hypothesis import given
from hypothesis import strategies as st
from voyage import values

import envpickle
from envpickle.testing import strategies

RECURSIVE_TUPLES: tuple[Any, ...] = ([],) * 2
for _length in (1, 3, 5):
    _tuple: tuple[Any, ...] = tuple([] for _ in range(_length))
    _tuple[0].append(_tuple)
    RECURSIVE_TUPLES += (_tuple,)

EXACT: dict[str, Any] = {
    "small numbers": [0, 255, 256, 65_535, 65_536, -1, -128, -(2**31), 2**31 - 1, 2**31],
    "large numbers": [-(2**39), -(2**39) - 1, 2**39, 2**2040, -(2**2039), 2**5000],
    "text": ["", "a", "é" * 127, "é" * 128, "\ud800", "x" * 70_000],
    "bytes": [b"", b"x" * 255, b"x" * 256, b"x" * 70_000, bytearray(), bytearray(b"abc")],
    "lists": [[], [1], list(range(999)), list(range(1000)), list(range(1001)), list(range(2000))],
    "dicts": [dict.fromkeys(range(count)) for count in (0, 1, 2, 999, 1000, 1001, 2000, 2001)],
    "sets": [set(range(count)) for count in (0, 1, 2, 999, 1000, 1001)] + [frozenset([1, 2])],
    "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
    "recursive tuples": RECURSIVE_TUPLES,
    "many texts": [f"{number}" for number in range(400)] * 2,
    "singletons": [None, ..., NotImplemented, type(None), type(...), type(NotImplemented)],
    "names": [len, int, collections.OrderedDict, pickle.dumps, "a".join, [].append],
    "an exception": ValueError("x", 1),
}


def written(data: bytes) -> int:
    """Bytes of a pickle, framing left out."""
    return len(data) - 9 * sum(op.name == "FRAME" for op, _, _ in pickletools.genops(data))


def globals_of(data: bytes) -> list[str]:
    """The names a pickle holds, as `module:qualname`, in its order."""
    found, memo, texts = [], {}, []
    for op, arg, _ in pickletools.genops(data):
        if op.name in ("SHORT_BINUNICODE", "BINUNICODE"):
            texts.append(arg)
        elif op.name == "MEMOIZE":
            memo[len(memo)] = texts[-1] if texts else None
        elif op.name in ("BINGET", "LONG_BINGET"):
            texts.append(memo[arg])
        elif op.name == "STACK_GLOBAL":
            found.append(f"{texts[-2]}:{texts[-1]}")
    return found


@pytest.mark.parametrize("case", [*EXACT, *values.STANDARD, *explained.CROSSING])
def test_the_size_is_pickles_to_the_byte(case: str) -> None:
    value = {**EXACT, **values.STANDARD, **explained.CROSSING}[case]
    report = envpickle.explain(value)
    assert report.crosses, str(report)
    if case == "items and state":  # its iterator is used up
        value = explained.Reduced((explained.Table, (), {"x": 1}, None, iter([("a", [1]), ("b", [2])])))
    assert report.size == written(pickle.dumps(value))


@given(strategies.plain_data())
def test_the_size_of_any_plain_data_is_pickles_to_the_byte(value: Any) -> None:
    assert envpickle.explain(value).size == written(pickle.dumps(value))


KINDS: list[Any] = [list, dict, explained.Crate, explained.Slotted, explained.Items, explained.Table, set]


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.lists(st.integers(0, 30), max_size=4)), min_size=1, max_size=30))
def test_the_size_of_any_graph_of_objects_is_pickles_to_the_byte(plan: list[tuple[Any, list[int]]]) -> None:
    """Objects of several kinds that hold each other: shared, in circles, and with text of one's own."""
    nodes = [kind() for kind, _ in plan]
    for node, (kind, targets) in zip(nodes, plan, strict=True):
        for number, target in enumerate(targets):
            other = nodes[target % len(nodes)]
            if kind in (list, explained.Items):
                node.append(other)
            elif kind in (dict, explained.Table):
                node[f"key {number}"] = (other, target)
            elif kind is set:
                node.add(target)
            else:
                node.__dict__[f"field_{number}"] = other
    report = envpickle.explain(nodes)
    assert report.crosses
    assert report.size == written(pickle.dumps(nodes))
    assert envpickle.explain(nodes, pickler="cloudpickle").size == written(cloudpickle.dumps(nodes))


@pytest.mark.parametrize("case", [name for name in explained.CROSSING if name != "items and state"])
def test_the_names_are_those_in_the_pickle(case: str) -> None:
    value = explained.CROSSING[case]
    names = set(globals_of(pickle.dumps(value)))
    report = envpickle.explain(value)
    told = {part.name for part in report.root.walk() if part.mark == "by name"}
    assert told <= names
    assert report.counts.get("by name", 0) == len(names)


@pytest.mark.parametrize("case", [*EXACT, *explained.CROSSING])
def test_cloudpickles_size_is_exact_too(case: str) -> None:
    if case == "items and state":
        return  # its iterator is used up
    value = {**EXACT, **explained.CROSSING}[case]
    assert envpickle.explain(value, pickler="cloudpickle").size == written(cloudpickle.dumps(value))


def outcome(dumps: Any, value: Any) -> bool:
    try:
        dumps(value)
    except Exception:
        return False
    return True


def dill_dumps(value: Any) -> bytes:
    import dill

    with io.BytesIO() as file:
        dill.Pickler(file).dump(value)
        return file.getvalue()


@pytest.mark.parametrize(
    ("pickler", "dumps"), [("pickle", pickle.dumps), ("cloudpickle", cloudpickle.dumps), ("dill", dill_dumps)]
)
def test_what_a_pickler_refuses_is_refused_and_nothing_else(pickler: str, dumps: Any) -> None:
    with explained.refused() as cases:
        for name, value in cases.items():
            assert envpickle.explain(value, pickler=pickler).crosses == outcome(dumps, value), name
    for name, value in explained.CROSSING.items():
        assert envpickle.explain(value, pickler=pickler).crosses, name


def test_cycles_and_shared_parts_are_told_once_with_a_reference() -> None:
    shared = [1, [2]]
    report = envpickle.explain({"a": shared, "b": shared, "c": explained.cyclic()}, name="it")
    again = {part.path: part.reference for part in report.root.walk() if part.mark == "seen"}
    assert again == {
        "it['b']": "it['a']",
        "it['c'].me": "it['c']",
        "it['c'].inside[0]": "it['c']",
        "it['c'].inside[1]['again']": "it['c']",
    }


def test_a_refused_part_that_is_shared_counts_once_and_every_holder_of_it_is_found() -> None:
    cls = explained.local_class()
    report = envpickle.explain([cls(), cls(), cls])
    assert [part.path for part in report.refused] == ["obj[0] (class)"]
    assert [part.reference for part in report.root.walk() if part.mark == "seen"] == ["obj[0] (class)"] * 2


def test_all_refused_parts_are_found_not_the_first_only() -> None:
    with explained.refused() as cases:
        report = envpickle.explain(cases)
    paths = [part.path for part in report.refused]
    assert [path.partition("]")[0] for path in paths] == [f"obj['{name}'" for name in cases]
    assert report.counts["refused"] == len(cases)


@pytest.mark.parametrize("make", [lambda x: [x], lambda x: (x,), lambda x: {"k": x}, lambda x: explained.Crate(x=x)])
def test_nesting_too_deep_for_pickle_is_refused_and_nothing_that_is_not(make: Any) -> None:
    def deepest(passes: Any) -> int:
        low, high = 50, 40_000
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if passes(explained.deep(make, middle)) else (low, middle)
        return low

    here = deepest(lambda value: outcome(pickle.dumps, value))
    told = deepest(lambda value: envpickle.explain(value).crosses)
    assert 0.9 * here <= told <= here  # where pickle itself is called one frame deeper, it gives up a little earlier


def test_the_walk_survives_any_depth_and_tells_the_path_in_short() -> None:
    first = envpickle.explain(explained.deep_list).first
    assert first is not None
    assert "deeper than pickle goes" in first.reason
    assert len(first.path) < 200


def test_parts_without_end_are_counted_and_not_kept() -> None:
    report = envpickle.explain([explained.Crate(n=[n, n]) for n in range(5_000)])
    assert report.crosses
    assert sum(1 for _ in report.root.walk()) < 1_000
    assert report.counts["object"] == 5_000
    assert report.size == written(pickle.dumps([explained.Crate(n=[n, n]) for n in range(5_000)]))


def test_a_report_keeps_nothing_alive() -> None:
    import gc
    import weakref

    crate = explained.Crate(inside=explained.Crate())
    ref = weakref.ref(crate)
    report = envpickle.explain([crate, lambda: 1])
    del crate
    gc.collect()
    assert ref() is None
    assert report.refused


def test_a_pickler_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match=r"no pickler 'joblib'.*pickle, cloudpickle, dill"):
        envpickle.explain(1, pickler="joblib")
