"""Plain data that speaks of classes: references by name, members, objects with fields, run-time classes, a plugin's values.

Everything here is checked before it is used: a name must be made of ASCII identifiers and lead to a function or class
that bears that very name, an object with fields must be of a class that declares these fields.
"""

import typing
from collections.abc import Callable
from copy import deepcopy
from importlib import import_module
from typing import Any, NamedTuple

from .classes import find, is_dunder, later
from .errors import DescriptorError, PluginError
from .payload import MAX_NAME, from_tree, rebuild_class
from .runtime import Reference, find_reference

_ALIASES = (typing.TypeAliasType,) if hasattr(typing, "TypeAliasType") else ()  # from Python 3.12 on
TYPE_NAMES = (typing.TypeVar, typing.ParamSpec, typing.TypeVarTuple, typing.NewType, *_ALIASES)
"""What has a name in a module, as classes do, and is no class."""


class Unpacker(Reference):
    """A function of a plugin that makes a value from the plain data its packer made; made by ``envpickle.unpacker``."""

    kind = "unpacker"

    def __call__(self, data: Any) -> Any:
        """Make the value from its plain data."""
        return self.fn(data)


def unpacker(fn: Callable[[Any], Any]) -> Unpacker:
    """Mark an importable function of a plugin that makes a value from plain data; descriptors may name it.

    Args:
        fn: Takes the plain data that an ``envpickle_pack`` hook returned for a value, and returns an equal value.

    Returns:
        The :class:`Unpacker`, which is called like the function.
    """
    return Unpacker(fn)


class Packed(NamedTuple):
    """What ``envpickle_pack`` answers: the plain data a value travels as, and who makes the value of it again."""

    unpacker: Unpacker
    data: Any


def reference_to(value: Any) -> str | None:
    """The name ``module:qualname`` that leads to a function or class, or None where its own name does not lead to it."""
    module, qualname = module_of(value), qualname_of(value)
    if not isinstance(module, str) or not isinstance(qualname, str):
        return None
    if isinstance(value, Reference):
        return f"{module}:{qualname}" if find_reference(module, qualname) is value else None
    package, _, last = module.rpartition(".")
    if last[:1] == "_" and find(package, qualname) is value:
        return f"{package}:{qualname}"  # the public way to it: where it is really defined differs between Pythons
    if module == "builtins" and find("types", qualname) is value:
        return f"types:{qualname}"  # NoneType
    return f"{module}:{qualname}" if find(module, qualname) is value else None


def module_of(value: Any) -> Any:
    """Name of the module a function, class or builder says it is from."""
    return getattr(value, "module" if isinstance(value, Reference) else "__module__", None)


def qualname_of(value: Any) -> Any:
    """Name under which a function, class, builder or type variable says it is found in its module."""
    kind = "qualname" if isinstance(value, Reference) else "__qualname__"
    return getattr(value, kind, value.__name__ if issubclass(type(value), TYPE_NAMES) else None)


def resolve(reference: str) -> Any:
    """Find the function or class a reference names, importing its module.

    Raises:
        DescriptorError: The name is malformed, leads nowhere, or leads to something that bears another name.
    """
    module, colon, qualname = reference.partition(":")
    names = [*module.split("."), *qualname.split(".")]
    if not colon or len(reference) > MAX_NAME or not reference.isascii() or not all(map(str.isidentifier, names)):
        raise DescriptorError(f"{reference[:80]!r} is not a name of the form module:qualname in ASCII identifiers")
    if any(map(is_dunder, names)):
        raise DescriptorError(f"{reference!r} names a special module or attribute, which no descriptor may")
    try:
        import_module(module)
    except (Exception, SystemExit) as error:
        raise DescriptorError(f"a descriptor refers to {reference!r}, and importing {module!r} failed: {error!r}") from error
    found = find_reference(module, qualname)
    found = found if isinstance(found, Reference) else find(module, qualname)
    own = reference_to(found) if found is not None else None
    if own is None or own.partition(":")[2] != qualname:  # the module may be another that shows the very object
        raise DescriptorError(
            f"a descriptor refers to {reference!r}, and no function or class is to be found under that name here. "
            f"Install the version of {module.partition('.')[0]!r} that the sender has."
        )
    return found


def resolve_class(tree: Any) -> type:
    """The class a ``$ref`` or ``$class`` stands for."""
    found = from_tree(tree)
    if not isinstance(found, type):
        raise DescriptorError(f"a descriptor names {found!r} where a class belongs")
    return found


def make_class(content: Any) -> type:
    """Rebuild a run-time class that is an argument."""
    return rebuild_class(*content)


def make_nested(content: Any) -> type:
    """Find a class nested in a run-time class that is an argument."""
    tree, name = content
    found = resolve_class(tree).__dict__.get(name)
    if not isinstance(found, type):
        raise DescriptorError(f"a descriptor names a nested class {name!r} that is not there")
    return found


def make_member(content: Any) -> Any:
    """Find a member of an enumeration, by name or (a composite flag) by value."""
    tree, name, value = content
    kind = resolve_class(tree)
    members: Any = getattr(kind, "__members__", None)
    if members is None:
        raise DescriptorError(f"a descriptor names {kind!r} as an enumeration, and it is none")
    return members[name] if name is not None else kind(from_tree(value))


def fields_of(value: Any) -> tuple[str | None, dict[str, Any]]:
    """The tag and the fields of an instance of a dataclass, attrs, msgspec or pydantic class; ``(None, {})`` for others.

    Also for one whose fields are not all there is to it: what else it holds would be lost.
    """
    kind: Any = type(value)
    if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__attrs_attrs__"):
        names = declared(kind)
        whole = not _state_names(value) - {*names, "_attrs_cached_hash"} and _holds_nothing_else(kind)  # attrs fills that anew
        return ("$fields", {name: getattr(value, name) for name in names if hasattr(value, name)}) if whole else (None, {})
    if hasattr(kind, "__struct_fields__"):
        fields = {name: getattr(value, name) for name in kind.__struct_fields__}
        return ("$struct", fields) if not set(getattr(value, "__dict__", ())) and _comes_back(kind, fields) else (None, {})
    if hasattr(kind, "__pydantic_fields__"):
        return "$model", value.__getstate__()
    return None, {}


def _state_names(value: Any) -> set[str]:
    """The names of all that an instance holds, in its dict and in slots of any base."""
    state: Any = object.__getstate__(value)
    parts = state if isinstance(state, tuple) else (state,)
    return {name for part in parts if part for name in part}


def _comes_back(kind: Any, fields: dict[str, Any]) -> bool:
    """Whether a struct made of these fields has them: a ``__post_init__`` would run again."""
    if not hasattr(kind, "__post_init__"):
        return True
    try:
        again = kind(**deepcopy(fields))  # which it may change
    except Exception:  # noqa: BLE001 -- whatever its __post_init__ says to being run twice
        return False
    return all(getattr(again, name) == field for name, field in fields.items())


def _holds_nothing_else(kind: type) -> bool:
    """Whether no builtin base keeps data that the fields do not show (a dataclass derived from list, say)."""
    return all(base is object or base.__flags__ & (1 << 9) for base in kind.__mro__)  # Py_TPFLAGS_HEAPTYPE


def declared(kind: type) -> list[str]:
    """The names of the fields a dataclass or attrs class declares."""
    attrs: Any = getattr(kind, "__attrs_attrs__", None)
    if attrs is not None:
        return [attribute.name for attribute in attrs]
    import dataclasses

    return [field.name for field in dataclasses.fields(kind)]


def make_with_fields(content: Any) -> Any:
    """Make an instance of a dataclass or attrs class from its fields, without running its constructor again."""
    tree, fields = content
    kind: Any = resolve_class(tree)
    known = declared(kind)
    value: Any = object.__new__(kind)
    state = _plain_dict(fields)
    for name in state:
        if name not in known:
            raise DescriptorError(f"a descriptor gives {kind.__qualname__} a field {name!r} that it does not have here")
    if hasattr(kind, "__attrs_attrs__") and hasattr(kind, "__setstate__"):  # attrs' own: it knows of cached hashes
        value.__setstate__(state)
        return value
    for name, field in state.items():
        object.__setattr__(value, name, field)
    if "_attrs_cached_hash" in getattr(getattr(kind.__hash__, "__code__", None), "co_names", ()):
        object.__setattr__(value, "_attrs_cached_hash", None)  # attrs looks there first, and fills it
    return value


def make_struct(content: Any) -> Any:
    """Make a msgspec struct from its fields."""
    tree, fields = content
    kind = resolve_class(tree)
    if not hasattr(kind, "__struct_fields__"):
        raise DescriptorError(f"a descriptor names {kind.__qualname__} as a msgspec struct, and it is none here")
    return kind(**_plain_dict(fields))


def make_model(content: Any) -> Any:
    """Make a pydantic model from the state its own pickle protocol gave."""
    tree, state = content
    kind: Any = resolve_class(tree)
    if not hasattr(kind, "__pydantic_fields__"):
        raise DescriptorError(f"a descriptor names {kind.__qualname__} as a pydantic model, and it is none here")
    value: Any = kind.__new__(kind)
    value.__setstate__(_plain_dict(state))
    return value


def _plain_dict(tree: Any) -> dict[str, Any]:
    return {key: from_tree(value) for key, value in tree.items()}


def pack_with_plugins(value: Any) -> Packed | None:
    """Ask the plugins for the plain data a value travels as."""
    hooks = later("manager").hooks()
    try:
        packed = hooks.envpickle_pack(value=value)
    except Exception as error:
        raise PluginError(f"a plugin's envpickle_pack raised {error!r} for a {type(value).__qualname__}. Mend it.") from error
    if packed is None:
        return None
    if not isinstance(packed, Packed) or not isinstance(packed.unpacker, Unpacker):
        raise PluginError(
            f"a plugin answered envpickle_pack for a {type(value).__qualname__} with {packed!r}. "
            f"Return envpickle.plugin.Packed(unpacker, data), the unpacker marked with @envpickle.unpacker, or None."
        )
    return packed


def unpack_with_plugin(content: Any) -> Any:
    """Have a plugin's unpacker make its value."""
    reference, data = content
    found = resolve(reference)
    if not isinstance(found, Unpacker):
        raise DescriptorError(f"a descriptor names {reference!r} as an unpacker, and it is a {type(found).__name__}")
    return found(from_tree(data))
