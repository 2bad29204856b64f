"""Plain data in pickles: the names that need no permission, and the forms in which they may be called.

Each function that is allowed without being named takes its arguments in the one form that pickling writes. What is beyond
it is refused: ``bytearray(10**12)``, ``set(range(10**12))`` and ``Fraction("1e999999999")`` are small pickles as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .values import Value, pair

__all__ = ["CALLED_ONLY", "PLAIN_FORMS", "PLAIN_NAMES", "fits", "told"]

Arguments = tuple[Value, ...]
Form = Callable[[Arguments], bool]

_SCALARS = frozenset(["text", "bytes", "number", "plain"])
_WRITTEN = _SCALARS | {"list", "dict", "set", "frozenset", "tuple", "bytearray"}
_WHOLE = frozenset(["number", "plain"])
_ZONES = frozenset(["datetime:timezone", "zoneinfo:ZoneInfo._unpickle"])
_BASES = {
    "builtins:object": frozenset(["plain"]),
    "builtins:int": _WHOLE,
    "builtins:float": _WHOLE,
    "builtins:complex": frozenset[str](),
    **{f"builtins:{kind}": frozenset([kind]) for kind in ("bytes", "tuple", "list", "dict")},
    "builtins:str": frozenset(["text"]),
}
_LONGEST_NUMBER = 4_000  # digits


def _kinds(*kinds: frozenset[str]) -> Form:
    return lambda items: len(items) == len(kinds) and all(item.kind in kind for item, kind in zip(items, kinds, strict=True))


def _any(*forms: Form) -> Form:
    return lambda items: any(form(items) for form in forms)


def _only(*kinds: str) -> Form:
    return _kinds(*(frozenset([kind]) for kind in kinds))


def _many(kinds: frozenset[str]) -> Form:
    return lambda items: len(items) <= 10_000 and all(item.kind in kinds for item in items)


def _result_of(value: Value, names: frozenset[str]) -> bool:
    return value.kind == "call" and pair(value.said[0]) in names


def _moment(items: Arguments) -> bool:
    """What ``datetime`` and ``time`` pickle as: ten packed bytes (as text by protocol 2), perhaps a zone."""
    packed, *zone = items or (Value("unknown"),)
    return packed.kind in ("bytes", "text") and len(zone) <= 1 and all(_result_of(item, _ZONES) for item in zone)


def _zone(items: Arguments) -> bool:
    delta, *name = items or (Value("unknown"),)
    return _result_of(delta, frozenset(["datetime:timedelta"])) and len(name) <= 1 and all(n.kind == "text" for n in name)


def _region(items: Arguments) -> bool:
    whole = len(items) == 2 and items[0].kind == "text" and items[1].kind in _WHOLE
    return whole and re.fullmatch(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,3}", items[0].said) is not None


def _fraction(items: Arguments) -> bool:
    if _kinds(_WHOLE, _WHOLE)(items):
        return True
    digits = len(items) == 1 and items[0].kind == "text" and len(items[0].said) <= _LONGEST_NUMBER
    return digits and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", items[0].said) is not None


def _decimal(items: Arguments) -> bool:
    return _only("text")(items) and len(items[0].said) <= _LONGEST_NUMBER


def _factory(items: Arguments) -> bool:
    return not items or (len(items) == 1 and items[0].kind in ("global", "plain"))


def _old_bytes(items: Arguments) -> bool:
    return len(items) == 2 and items[0].kind == items[1].kind == "text" and items[1].said in ("latin1", "latin-1")


def _reconstructed(items: Arguments) -> bool:
    """An instance of a class that derives from a builtin one, with the value that it has as that."""
    if len(items) != 3:
        return False
    kinds = _BASES.get(pair(items[1]) or "", frozenset())
    return items[2].kind in kinds or (
        pair(items[1]) == "builtins:complex" and _result_of(items[2], frozenset(["builtins:complex"]))
    )


def _bounded(items: Arguments) -> bool:
    """An empty deque, perhaps with a longest length; the items are put in afterwards."""
    return not items or (items[0].kind == "tuple" and not items[0].said and _many(_WHOLE)(items[1:]) and len(items) <= 2)


def _nothing(items: Arguments) -> bool:
    return not items


_LISTS = frozenset(["list", "tuple"])
_PATHS = ("PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath", "WindowsPath")

PLAIN_FORMS: dict[str, Form] = {
    "builtins:bytes": _any(_nothing, _old_bytes),
    "builtins:bytearray": _any(_nothing, _only("bytes"), _old_bytes),
    "builtins:set": _any(_nothing, _kinds(_LISTS)),
    "builtins:frozenset": _any(_nothing, _kinds(_LISTS)),
    "builtins:complex": _kinds(_WHOLE, _WHOLE),
    "builtins:range": _kinds(_WHOLE, _WHOLE, _WHOLE),
    "builtins:slice": _kinds(_SCALARS, _SCALARS, _SCALARS),
    "collections:OrderedDict": _nothing,  # the items are put in afterwards
    "collections:defaultdict": _factory,
    "collections:deque": _bounded,
    "collections:Counter": _any(_nothing, _only("dict")),
    "datetime:date": _moment,
    "datetime:time": _moment,
    "datetime:datetime": _moment,
    "datetime:timedelta": _kinds(_WHOLE, _WHOLE, _WHOLE),
    "datetime:timezone": _zone,
    "decimal:Decimal": _decimal,
    "fractions:Fraction": _fraction,
    "uuid:UUID": _nothing,
    "uuid:SafeUUID": _kinds(_WHOLE),
    **{f"{module}:{name}": _many(frozenset(["text"])) for module in ("pathlib", "pathlib._local") for name in _PATHS},
}
"""Callable without permission, in these forms alone: what plain data pickles as."""

PLAIN_NAMES = frozenset(
    [
        *PLAIN_FORMS,
        *(f"builtins:{name}" for name in ("bool", "dict", "float", "int", "list", "object", "str", "tuple")),
        "zoneinfo:ZoneInfo",
    ]
)
"""Names of types that may stand in a pickle or in a descriptor without permission."""

CALLED_ONLY: dict[str, Form] = {
    "_codecs:encode": _old_bytes,
    "copyreg:_reconstructor": _reconstructed,
    "builtins:getattr": lambda items: len(items) == 2 and items[1].kind == "text" and items[1].said[:2] != "__",
    "zoneinfo:ZoneInfo._unpickle": _region,
}
"""Functions that pickling needs and that are too much to hand over: they may be called in these forms, and be nothing else."""


def fits(name: str, arguments: Value) -> bool:
    """Whether a call has the form in which it needs no permission."""
    form: Any = PLAIN_FORMS.get(name) or CALLED_ONLY.get(name)
    return form is not None and arguments.kind == "tuple" and form(arguments.said)


def told(function: Value, arguments: Value) -> Value | None:
    """What a call gives, where that can be told: older protocols write bytes and time zones as calls."""
    name = pair(function)
    if name is None or not fits(name, arguments):
        return None
    items = arguments.said
    if name == "builtins:bytes" and not items:
        return Value("bytes", b"")
    if name in ("_codecs:encode", "builtins:bytes"):
        try:
            return Value("bytes", items[0].said.encode("latin-1"), size=items[0].size)
        except UnicodeEncodeError:
            return None
    if name == "builtins:getattr" and pair(items[0]) == "zoneinfo:ZoneInfo" and items[1].said == "_unpickle":
        return Value("global", ("zoneinfo", "ZoneInfo._unpickle"))
    return None
