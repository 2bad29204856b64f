"""Names of tools and parameters as Python and the trainers can take them."""

import re
from collections.abc import Iterable, Mapping
from keyword import iskeyword
from typing import Any

from .errors import ToolsetError

__all__ = ["PREFIX", "checked_rename", "method_names", "parameter_names"]

PREFIX = "tool_"
OURS = frozenset({"reset", "get_reward"})
SECTIONS = ("Returns", "Raises")
"""What a docstring's reader takes for the end of the parameters, wherever a colon follows."""


def method_names(tools: Iterable[str], rename: Mapping[str, str] | None = None) -> dict[str, str]:
    """Choose the method of each tool.

    A tool keeps its name, whatever characters it has, unless it is called ``reset`` or ``get_reward`` or begins with an
    underscore: then ``tool_`` is put before it. Names asked for are taken as they are.

    Args:
        tools: The tools' names.
        rename: Method names to use instead, by tool.

    Returns:
        Method names by tool, in the order of the tools.

    Raises:
        ToolsetError: If a name is empty, two tools share a name or a method, a name asked for is none a method can
            have, or ``rename`` names a tool that is not there.
    """
    rename = checked_rename(rename)
    methods: dict[str, str] = {}
    taken: dict[str, str] = {}
    for tool in tools:
        if not tool:
            raise ToolsetError("a tool has no name; have the server name every tool it lists")
        if tool in methods:
            raise ToolsetError(f"the tool {tool!r} is listed twice; have the server give every tool a name of its own")
        method = rename.get(tool, PREFIX + tool if _reserved(tool) else tool)
        if not method or _reserved(method):
            raise ToolsetError(
                f"the tool {tool!r} cannot be the method {method!r}: reset, get_reward and names that begin with an "
                "underscore are the environment's own; choose another name in `rename`"
            )
        if method in taken:
            raise ToolsetError(
                f"the tools {taken[method]!r} and {tool!r} would both be the method {method!r}; "
                f"choose a name for one of them, as in rename={{{tool!r}: ...}}"
            )
        methods[tool] = method
        taken[method] = tool
    unknown = sorted(rename.keys() - methods.keys())
    if unknown:
        raise ToolsetError(f"`rename` names {unknown}, which the server does not list; it lists {sorted(methods)}")
    return methods


def checked_rename(rename: Any) -> dict[str, str]:
    """Return method names asked for, newly made; none for None.

    Args:
        rename: Method names by tool.

    Returns:
        The same.

    Raises:
        ToolsetError: If it is nothing of that kind.
    """
    rename = {} if rename is None else rename
    if not isinstance(rename, Mapping) or not all(isinstance(text, str) for pair in rename.items() for text in pair):
        raise ToolsetError(f"rename is {rename!r:.200}; give a dict of method names by tool, such as {{'reset': 'restart'}}")
    return dict(rename)


def _reserved(name: str) -> bool:
    return name in OURS or name.startswith("_")


def parameter_names(listed: Iterable[str]) -> dict[str, str]:
    """Choose the Python parameter of each listed parameter.

    A name is kept if a signature and a docstring can carry it; Python's keywords can, ``return`` excepted, which stands
    for the result among annotations. Otherwise what is no letter, digit or underscore becomes an underscore, another is
    put behind ``Returns`` and ``Raises`` at the end, ``p_`` is put before a leading digit and before ``return``, and a
    number is added while the name is taken.

    Args:
        listed: The names the server lists.

    Returns:
        Parameter names by listed name, in the order listed.
    """
    names = list(listed)
    taken = {name for name in names if _expressible(name)}
    chosen: dict[str, str] = {}
    for name in names:
        if _expressible(name):
            chosen[name] = name
            continue
        base = "".join(character if _expressible(f"p{character}") else "_" for character in name)
        if base.endswith(SECTIONS):
            base = f"{base}_"
        if not _expressible(base):
            base = f"p_{base}"
        candidate, number = base, 2
        while candidate in taken:
            candidate, number = f"{base}_{number}", number + 1
        taken.add(candidate)
        chosen[name] = candidate
    return chosen


def _expressible(name: str) -> bool:
    if name == "return" or name.endswith(SECTIONS):
        return False
    return name.isidentifier() and re.fullmatch(r"\w+", name) is not None


def needs_positional_only(names: Iterable[str]) -> bool:
    """Tell whether a signature of these parameters must be positional-only.

    Args:
        names: Parameter names.

    Returns:
        True if one of them is a keyword of Python, which only a positional-only parameter may be called.
    """
    return any(map(iskeyword, names))
