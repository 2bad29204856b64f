"""Tagged values of a descriptor made into what they stand for; what a kind needs is imported when one of it arrives."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from importlib import import_module

from .classes import later
from .payload import from_tree

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def untag(tag: str, content: Any) -> Any:
    """Make the value a tagged map stands for (see :mod:`envpickle.plain` for the kinds).

    Raises:
        DescriptorError: The tag is unknown, or what it holds is not what its kind holds.
    """
    decoder = _DECODERS.get(tag)
    if decoder is None:
        raise later("refusals").unknown_tag(tag)
    try:
        return decoder(content)
    except Exception as error:  # noqa: BLE001 -- hostile content may raise anything
        raise later("refusals").bad_tag(tag, error)  # noqa: B904 -- it may be this very error


def _many(kind: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda content: kind(map(from_tree, content))


def _from(module: str, name: str) -> Callable[..., Any]:
    return lambda *args, **kwargs: getattr(import_module(module), name)(*args, **kwargs)


def _ours(name: str) -> Callable[[Any], Any]:
    return lambda content: getattr(import_module("envpickle.objects"), name)(content)


def _spread(kind: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda content: kind(*map(from_tree, content))


def _dict(content: Any) -> dict[Any, Any]:
    return {from_tree(key): from_tree(value) for key, value in content}


def _partial(content: Any) -> Any:
    func, args, keywords = map(from_tree, content)
    return partial(func, *args, **keywords)


_delta = _from("datetime", "timedelta")


def _zone(content: Any) -> Any:
    timezone = import_module("datetime").timezone
    if content is None:
        return timezone.utc
    delta, name = content
    return timezone(_delta(*delta)) if name is None else timezone(_delta(*delta), name)


def _moment(kind: str) -> Callable[[Any], Any]:
    def make(content: Any) -> Any:
        *fields, fold, zone = content
        return _from("datetime", kind)(*fields, fold=fold, tzinfo=from_tree(zone))

    return make


def _path(content: Any) -> Any:
    kind, text = content
    if kind not in ("Path", "PurePosixPath", "PureWindowsPath"):
        raise ValueError(f"{kind!r} is no kind of path")
    return _from("pathlib", kind)(text)


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "$int": lambda content: int(content, 16),
    "$tuple": _many(tuple),
    "$dict": _dict,
    "$set": _many(set),
    "$frozenset": _many(frozenset),
    "$odict": lambda content: OrderedDict(_dict(content)),
    "$complex": _spread(complex),
    "$range": _spread(range),
    "$slice": _spread(slice),
    "$partial": _partial,
    "$decimal": _from("decimal", "Decimal"),
    "$fraction": _spread(_from("fractions", "Fraction")),
    "$uuid": lambda content: _from("uuid", "UUID")(bytes=content),
    "$date": _spread(_from("datetime", "date")),
    "$time": _moment("time"),
    "$datetime": _moment("datetime"),
    "$timedelta": _spread(_delta),
    "$timezone": _zone,
    "$zoneinfo": _from("zoneinfo", "ZoneInfo"),
    "$path": _path,
    "$secret": _from("envpickle.secret", "Secret"),
    "$ref": _ours("resolve"),
    "$script": lambda content: later("script").object_of(*content),
    "$class": _ours("make_class"),
    "$member": _ours("make_nested"),
    "$enum": _ours("make_member"),
    "$packed": _ours("unpack_with_plugin"),
    "$fields": _ours("make_with_fields"),
    "$struct": _ours("make_struct"),
    "$model": _ours("make_model"),
}
