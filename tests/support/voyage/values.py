"""Plain data: an example of each kind, a comparison that sees types and order, and Hypothesis strategies."""

import collections
import datetime
import decimal
import fractions
import functools
import math
import pathlib
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any

from harbour import cargo

UTC = datetime.UTC
EAST = datetime.timezone(datetime.timedelta(hours=5, minutes=30), "EAST")

STANDARD: dict[str, Any] = {
    "none": None,
    "booleans": [True, False],
    "integers": [0, -1, 2**31, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, -(2**64), 2**200, -(2**200), 10**400],
    "floats": [0.0, -0.0, 1.5, 1e308, 5e-324, math.inf, -math.inf, math.nan],
    "text": ["", "a", "\u00e9", "e\u0301", "\U0001f6a2", "\x00", "\ud800", "a\udfffb", "\ufeff", "x" * 300],
    "bytes": [b"", b"\x00\xff", b"x" * 300],
    "lists": [[], [[]], [1, [2, [3]]]],
    "tuples": [(), ((),), (1, "a", None), [(1,), [1]]],
    "dicts": [{}, {"b": 1, "a": 2}, {"a": 2, "b": 1}, {"nested": {"x": {}}}],
    "odd keys": {1: "int", "1": "str", b"1": "bytes", (1, "a"): "tuple", None: "none", 2.5: "float", frozenset([1]): "frozen"},
    "bool keys": {True: 1, False: 0},
    "tag-like keys": [{"$": 1}, {"!": [1]}, {"t": 1}, {"tuple": [1]}, {"": 1}, {"set": []}, {"\x00": 0}, {"$tuple": [1]}],
    "ordered dict": collections.OrderedDict([("z", 1), ("a", 2)]),
    "sets": [set(), {1, 2}, {"a", "b", "c"}, frozenset(), frozenset([1, frozenset([2])]), {(1, 2)}, {None, True, "x"}],
    "dates": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)],
    "datetimes": [
        datetime.datetime(2026, 11, 29, 12, 0, 0, 1),
        datetime.datetime(2026, 11, 29, tzinfo=UTC),
        datetime.datetime(2026, 11, 29, tzinfo=EAST),
        datetime.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")),
    ],
    "times": [datetime.time(), datetime.time(23, 59, 59, 999_999), datetime.time(1, tzinfo=UTC), datetime.time(2, fold=1)],
    "timedeltas": [datetime.timedelta(), datetime.timedelta.min, datetime.timedelta.max, datetime.timedelta(microseconds=-1)],
    "zones": [UTC, EAST, zoneinfo.ZoneInfo("Europe/Paris")],
    "decimals": [decimal.Decimal(t) for t in ("0", "-0", "1.10", "1.1", "1E+400", "NaN", "sNaN", "-Infinity")],
    "fractions": [fractions.Fraction(1, 3), fractions.Fraction(-(2**70), 3)],
    "complex": [1j, complex(-0.0, math.nan), complex(math.inf, -1)],
    "uuid": uuid.UUID(int=2**127 + 5),
    "paths": [
        pathlib.PurePosixPath("/a/b"),
        pathlib.PureWindowsPath("c:/x"),
        pathlib.Path("rel/./x"),
        pathlib.Path(),
    ],
    "ranges": [range(0), range(3), range(5, -5, -2), range(2**70, 2**71)],
    "slices": [slice(None), slice(1, "a", None), slice(1, 2, 3)],
    "enums": [cargo.Colour.RED, cargo.Colour.GREEN, cargo.Level.HIGH, cargo.Word.YES, cargo.Right.READ],
    "combined flag": cargo.Right.READ | cargo.Right.WRITE,
    "functions": [cargo.named_function, cargo.Holder.still, math.sqrt, len],
    "classes": [int, dict, cargo.Point, cargo.Holder, datetime.datetime],
    "partials": [
        functools.partial(cargo.named_function, 1),
        functools.partial(cargo.named_function, value={"a": (1,)}),
        functools.partial(functools.partial(cargo.Point, 1), y=2),
    ],
    "dataclasses": [cargo.Point(1, [cargo.Point(2)]), cargo.Partly(4)],
    "frozen dataclass": cargo.Fixed("a", ("t",), cargo.Fixed("b")),
    "ellipsis inside a slice": slice(None, None, -1),
}


def same(left: Any, right: Any) -> bool:
    """Whether two values are the same in type, order, sign and content, at any depth; NaN is itself."""
    if type(left) is not type(right):
        return False
    compare = next((compare for kinds, compare in _COMPARE if isinstance(left, kinds)), None)
    return compare(left, right) if compare is not None else bool(left == right)


def _same_float(left: float, right: float) -> bool:
    return math.copysign(1, left) == math.copysign(1, right) and (left == right or (left != left and right != right))


def _same_set(left: Any, right: Any) -> bool:
    return bool(left == right) and sorted(map(_typed, left)) == sorted(map(_typed, right))


def _same_items(left: Any, right: Any) -> bool:
    return len(left) == len(right) and all(map(same, left, right))


def _same_moment(left: Any, right: Any) -> bool:
    return all(
        same(part(left), part(right))
        for part in (lambda v: v.isoformat(), lambda v: v.fold, lambda v: str(v.tzinfo), lambda v: type(v.tzinfo))
    )


def _by(*names: str) -> Callable[[Any, Any], bool]:
    return lambda left, right: all(same(getattr(left, name), getattr(right, name)) for name in names)


def _same_record(left: Any, right: Any) -> bool:
    return _by(*type(left).__dataclass_fields__)(left, right)


_COMPARE: list[tuple[Any, Callable[[Any, Any], bool]]] = [
    (float, _same_float),
    (complex, _by("real", "imag")),
    (dict, lambda left, right: same(list(left.items()), list(right.items()))),
    ((list, tuple), _same_items),
    ((set, frozenset), _same_set),
    ((range, slice), _by("start", "stop", "step")),
    (functools.partial, _by("func", "args", "keywords")),
    (decimal.Decimal, lambda left, right: left.as_tuple() == right.as_tuple()),
    ((datetime.datetime, datetime.time), _same_moment),
    ((cargo.Point, cargo.Fixed, cargo.Partly), _same_record),
]


def _typed(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"
