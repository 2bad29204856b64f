"""The form of each kind of tagged value: checked on the tree itself, before anything is imported or made.

What :mod:`envpickle.plain` writes has one form for each value. Any other spelling is refused, so that equal specs have equal
bytes, and so that nothing small in a descriptor grows large in the making.
"""

from __future__ import annotations

from .classes import is_dunder, later
from .payload import MAX_DEPTH, MAX_NAME, pack, read

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LONGEST_NUMBER = 10_000  # digits
_DEEPEST, _SPEC = 2 * MAX_DEPTH, 8  # a spec in a spec counts for so many levels: 16 of them at most


def check(tree: Any, depth: int = 0) -> None:
    """Refuse a tree that holds a tagged value of another form than its kind has.

    Raises:
        DescriptorError: It does.
    """
    if depth > _DEEPEST:
        raise later("refusals").bad_tag("value", ValueError("it is nested too deep"))
    inner = tree if type(tree) is list else list(tree.values()) if type(tree) is dict else []
    if type(tree) is dict and len(tree) == 1:
        ((tag, content),) = tree.items()
        if tag[:1] == "$":
            inner = _checked(tag, content)
            if tag == "$class":
                read(content[0], tuple(content[1:]), depth + _SPEC)
    for item in inner:
        check(item, depth + 1)


def _checked(tag: str, content: Any) -> Any:
    form = _FORMS.get(tag)
    if form is None:
        raise later("refusals").unknown_tag(tag)
    try:
        inner = form(content)
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        raise later("refusals").bad_tag(tag, error) from None
    if inner is None:
        raise later("refusals").bad_tag(tag, ValueError(f"{type(content).__name__} of another form"))
    return inner


def name_is_sound(reference: Any) -> bool:
    """Whether a text is ``module:qualname`` in ASCII identifiers, none of them special."""
    if type(reference) is not str or len(reference) > MAX_NAME or not reference.isascii() or reference.count(":") != 1:
        return False
    module, qualname = reference.split(":")
    return all(name.isidentifier() and not is_dunder(name) for name in (*module.split("."), *qualname.split(".")))


def _where(condition: bool, inner: list[Any] | None = None) -> list[Any] | None:
    return (inner or []) if condition else None


def _kinds(content: Any, *kinds: type) -> bool:
    return type(content) is list and [type(item) for item in content] == list(kinds)


def _whole(value: Any) -> bool:
    return type(value) is int or (type(value) is dict and list(value) == ["$int"])


def _long_integer(content: Any) -> Any:
    value = int(content, 16) if type(content) is str and len(content) <= _LONGEST_NUMBER else 0
    return _where(format(value, "x") == content and not -(1 << 63) <= value < 1 << 64)


def _items(content: Any) -> Any:
    return _where(type(content) is list, content)


def _set(content: Any) -> Any:
    packed = [pack(item) for item in content] if type(content) is list else None
    return _where(packed is not None and packed == sorted(set(packed)), content)


def _pairs(content: Any) -> Any:
    fits = type(content) is list and all(type(pair) is list and len(pair) == 2 for pair in content)
    return _where(fits and len({pack(key) for key, _ in content}) == len(content), content)


def _dict(content: Any) -> Any:
    if _pairs(content) is None or not content:
        return None
    if any(type(key) is not str for key, _ in content):
        return list(content)
    return _where(len(content) == 1 and content[0][0][:1] == "$", content)  # any other is written as itself


def _decimal(content: Any) -> Any:
    from decimal import Decimal

    return _where(type(content) is str and len(content) <= _LONGEST_NUMBER and str(Decimal(content)) == content)


def _fraction(content: Any) -> Any:
    from math import gcd

    if type(content) is not list or len(content) != 2 or not all(map(_whole, content)):
        return None
    top, bottom = (int(item["$int"], 16) if type(item) is dict else item for item in content)
    return _where(bottom > 0 and gcd(top, bottom) == 1, content)


def _path(content: Any) -> Any:
    import pathlib

    if not _kinds(content, str, str) or content[0] not in ("Path", "PurePosixPath", "PureWindowsPath"):
        return None
    kind = getattr(pathlib, content[0] if content[0] != "Path" else "PurePath")
    return _where(str(kind(content[1])) == content[1])


def _timezone(content: Any) -> Any:
    named = type(content) is list and len(content) == 2 and type(content[1]) in (str, type(None))
    return _where(content is None or (named and _kinds(content[0], int, int, int)))


def _moment(count: int) -> Callable[[Any], Any]:
    def form(content: Any) -> Any:
        fits = type(content) is list and len(content) == count + 1 and all(type(item) is int for item in content[:-1])
        zone = content[-1] if fits else 0
        return _where(fits and (zone is None or (type(zone) is dict and list(zone) in (["$timezone"], ["$zoneinfo"]))), [zone])

    return form


def _of_class(kind: type) -> Callable[[Any], Any]:
    def form(content: Any) -> Any:
        fits = type(content) is list and len(content) == 2 and _is_class(content[0]) and type(content[1]) is kind
        more = list(content[1].values()) if fits and kind is dict else []
        return _where(fits, [content[0], *more] if fits else [])

    return form


def _is_class(tree: Any) -> bool:
    return type(tree) is dict and list(tree) in (["$ref"], ["$script"], ["$class"], ["$member"])


def _enum(content: Any) -> Any:
    fits = type(content) is list and len(content) == 3 and _is_class(content[0]) and type(content[1]) in (str, type(None))
    return _where(fits and (content[1] is None or content[2] is None), [content[0], content[2]] if fits else [])


def _class(content: Any) -> Any:
    fits = type(content) is list and len(content) > 1 and all(type(piece) is bytes for piece in content)
    return _where(fits)


def _partial(content: Any) -> Any:
    fits = type(content) is list and len(content) == 3 and type(content[1]) is list and type(content[2]) is dict
    return _where(fits, content)


def _packed(content: Any) -> Any:
    fits = type(content) is list and len(content) == 2 and name_is_sound(content[0])
    return _where(fits, content[1:] if fits else [])


_FORMS: dict[str, Callable[[Any], Any]] = {
    "$int": _long_integer,
    "$tuple": _items,
    "$set": _set,
    "$frozenset": _set,
    "$dict": _dict,
    "$odict": _pairs,
    "$slice": lambda c: _where(type(c) is list and len(c) == 3, c),
    "$range": lambda c: _where(type(c) is list and len(c) == 3 and all(map(_whole, c)), c),
    "$partial": _partial,
    "$complex": lambda c: _where(_kinds(c, float, float)),
    "$decimal": _decimal,
    "$fraction": _fraction,
    "$uuid": lambda c: _where(type(c) is bytes and len(c) == 16),
    "$date": lambda c: _where(_kinds(c, int, int, int)),
    "$time": _moment(5),
    "$datetime": _moment(8),
    "$timedelta": lambda c: _where(_kinds(c, int, int, int) and 0 <= c[1] < 86_400 and 0 <= c[2] < 1_000_000),
    "$timezone": _timezone,
    "$zoneinfo": lambda c: _where(type(c) is str),
    "$path": _path,
    "$secret": lambda c: _where(type(c) is str),
    "$ref": lambda c: _where(name_is_sound(c)),
    "$script": lambda c: _where(_kinds(c, bytes, str) and len(c[0]) == 16 and name_is_sound(f"script:{c[1]}")),
    "$class": _class,
    "$member": _of_class(str),
    "$enum": _enum,
    "$packed": _packed,
    "$fields": _of_class(dict),
    "$struct": _of_class(dict),
    "$model": _of_class(dict),
}
