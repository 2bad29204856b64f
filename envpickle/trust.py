"""Rebuilding a class from a descriptor, against an allow-list if one is given."""

from collections.abc import Iterable
from typing import Any

from .payload import BY_VALUE, rebuild_class, rebuild_with_code
from .refusals import not_allowed
from .spec import Spec


def rebuild(spec: Spec | bytes, *, allow: Iterable[str] | None = None) -> type:
    """Return the class that a spec describes: the one that is alive, or a new one made by its builder.

    Args:
        spec: The spec, or its bytes.
        allow: The names (``module:qualname``) that the descriptor may contain: of builders, and of the functions, classes and
            unpackers that its arguments refer to. They are checked before anything is imported. None allows every name but
            :data:`envpickle.by_value`, which runs the code it is given; a descriptor can call nothing but a builder.

    Returns:
        The class.

    Raises:
        DescriptorError: The bytes are no descriptor.
        NotAllowed: It names something that is not on the list, or holds code and there is no list that allows it.
        BuilderNotFound: The builder does not exist here.
        RebuildMismatch: The builder makes something different here.
    """
    spec = spec if isinstance(spec, Spec) else Spec.from_bytes(spec)
    head, parts = spec.descriptor()
    if allow is None:
        return rebuild_class(head, *parts)
    allowed = frozenset([allow] if isinstance(allow, str) else allow)
    forbidden = sorted(set(names_in(spec)) - allowed)
    if forbidden:
        raise not_allowed(forbidden)
    return rebuild_with_code(head, *parts) if ":".join(BY_VALUE) in allowed else rebuild_class(head, *parts)


def names_in(spec: Spec) -> list[str]:
    """Every name a spec would have looked up: its builder, and what its arguments refer to, at any depth."""
    found = [spec.builder]
    stack = spec.trees()
    while stack:
        tree = stack.pop()
        if type(tree) is list:
            stack.extend(tree)
        elif type(tree) is dict:
            ((key, content), *others) = tree.items() if tree else (("", None),)
            if not others and key in _NAMING:
                found += _NAMING[key](content)
            stack.extend(tree.values())
    return found


def _of_class(content: Any) -> list[str]:
    return names_in(Spec(content[0], tuple(content[1:])))


_NAMING: dict[str, Any] = {
    "$ref": lambda content: [content] if isinstance(content, str) else [],
    "$script": lambda content: [f"__main__:{content[1]}"] if isinstance(content, list) and len(content) == 2 else [],
    "$packed": lambda content: [content[0]] if isinstance(content, list) and content else [],
    "$class": _of_class,
}
