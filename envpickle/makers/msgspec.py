"""msgspec's ``defstruct``: a struct made of its name, its fields and its options."""

import inspect
import sys
from typing import Any

from ..objects import Packed, unpacker
from ..runtime import builder
from .checks import (
    Making,
    cannot,
    own_body,
    why_no_base,
    why_no_callable,
    why_no_name,
    why_no_type,
    why_not_plain,
    why_too_many,
)
from .generics import Recognised

_OPTIONS = frozenset((
    "frozen", "eq", "order", "array_like", "gc", "omit_defaults", "forbid_unknown_fields", "weakref", "dict", "cache_hash",
    "repr_omit_defaults", "tag", "tag_field", "kw_only",
))  # fmt: skip
_OF_MSGSPEC = frozenset((
    "__module__", "__qualname__", "__doc__", "__slots__", "__annotations__", "__annotate_func__", "__annotations_cache__",
    "__weakref__", "__dict__", "__firstlineno__", "__static_attributes__", "__match_args__", "__slotnames__",
    "__msgspec_cached_hash__",
))  # fmt: skip
_META = (
    "gt", "ge", "lt", "le", "multiple_of", "pattern", "min_length", "max_length", "tz", "title", "description", "examples",
    "extra_json_schema", "extra",
)  # fmt: skip
_INSTEAD = "Define the struct at the top of an importable module, or make it in a function marked @envpickle.builder."
Field = tuple[str, Any, dict[str, Any]]


@unpacker
def meta(said: dict[str, Any]) -> Any:
    """Make a ``msgspec.Meta``, which constrains the type it stands beside."""
    import msgspec

    with Making("msgspec.Meta") as refuse:
        refuse(why_not_plain(said))
        return msgspec.Meta(**said)


@unpacker
def unset(_: None) -> Any:
    """What stands for a field that was not set."""
    import msgspec

    return msgspec.UNSET


def pack(value: Any) -> Packed | None:
    """The plain data of a ``msgspec.Meta`` and of ``msgspec.UNSET``; None for anything else."""
    if value is sys.modules["msgspec"].UNSET:
        return Packed(unset, None)
    if type(value) is not sys.modules["msgspec"].Meta:
        return None
    return Packed(meta, {name: getattr(value, name) for name in _META if getattr(value, name) is not None})


@builder
def defstruct(name: str, fields: list[Field], bases: tuple[type, ...], options: dict[str, Any], doc: str | None) -> type:
    """Make a struct as ``msgspec.defstruct`` does.

    Args:
        name: Its name.
        fields: Name, type, and default, factory or encoded name of each field.
        bases: The structs it derives from.
        options: Its options, by their names in msgspec.
        doc: Its docstring.

    Raises:
        DescriptorError: msgspec makes no struct of these, or something in them might run while it does.
    """
    import msgspec

    with Making("msgspec.defstruct") as refuse:
        refuse(why_no_name(name, *(field for field, _, _ in fields)))
        refuse(why_too_many(len(fields)) or ("" if set(options) <= _OPTIONS else "its options are others"))
        refuse(why_not_plain(options))
        for base in bases:
            refuse(why_no_base(base, "msgspec", type(msgspec.Struct)))
        for said in fields:
            refuse(_why_no_field(*said))
        made: type = msgspec.defstruct(
            name,
            [(field, kind, msgspec.field(**said)) for field, kind, said in fields],
            bases=bases,
            namespace=None if doc is None else {"__doc__": doc},
            **options,
        )
        return made


def _why_no_field(_: str, annotation: Any, said: dict[str, Any]) -> str:
    if not set(said) <= {"default", "default_factory", "name"}:
        return "a field has other attributes than msgspec knows"
    factory = said.get("default_factory")
    return why_no_type(annotation, _why_not_beside) or (why_no_callable(factory) if factory is not None else "")


def _why_not_beside(item: Any) -> str:
    meta = getattr(sys.modules.get("msgspec"), "Meta", None)
    if type(item) is meta:
        return ""
    return why_not_plain(item)


def recognise(cls: type) -> Recognised | None:
    """Recognise a struct that ``defstruct`` could have made: fields and options, and nothing else in its body.

    Raises:
        RegistrationError: It is a struct, and something of it would not come along.
    """
    msgspec = sys.modules.get("msgspec")
    if msgspec is None or type(cls) is not type(msgspec.Struct) or cls is msgspec.Struct:
        return None
    kind: Any = cls
    own = [field for field in msgspec.structs.fields(cls) if field.name in inspect.get_annotations(cls)]
    if rest := sorted(set(own_body(cls)) - _OF_MSGSPEC - {field.name for field in own}):
        raise cannot(cls, f"{', '.join(rest)} in its body would not come along", _INSTEAD)
    config = kind.__struct_config__
    options = {name: getattr(config, name) for name in dir(config) if name in _OPTIONS and getattr(config, name) is not None}
    keywords = inspect.signature(cls).parameters
    options["kw_only"] = bool(own) and all(keywords[field.name].kind is inspect.Parameter.KEYWORD_ONLY for field in own)
    said = [_field(msgspec, field, inspect.get_annotations(cls)[field.name]) for field in own]
    reasons = [*(why_no_base(base, "msgspec", type(cls)) for base in cls.__bases__), *(_why_no_field(*field) for field in said)]
    if why := next(filter(None, reasons), ""):
        raise cannot(cls, why, _INSTEAD)
    return defstruct, (cls.__name__, said, cls.__bases__, options, cls.__dict__.get("__doc__")), {}


def _field(msgspec: Any, field: Any, annotation: Any) -> Field:
    said = {key: getattr(field, key) for key in ("default", "default_factory") if getattr(field, key) is not msgspec.NODEFAULT}
    return field.name, annotation, said | ({"name": field.encode_name} if field.encode_name != field.name else {})
