"""An inspection as text: a tree of lines, plain or in colours. The one module here that uses rich."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .findings import DescriptorFound, GlobalFound, Inspection, PickleFound
from .forms import CALLED_ONLY, PLAIN_NAMES
from .judging import OURS

__all__ = ["in_colours", "plain"]


_LONGEST = 400  # characters of one value; --json has it in full
_OURS = {
    "envpickle.payload:rebuild_class": "makes a run-time class of the descriptors below",
    "envpickle.payload:rebuild_exception": "makes an exception without its constructor",
    "envpickle.payload:rebuild_with_code": "RUNS CODE that lies in the descriptors below",
    "envpickle.payload:rebuild_from_main": "RUNS CODE that the pickle holds, if it was made by cloudpickle",
    "envpickle.payload:builder_from_main": "RUNS CODE that the pickle holds, if it was made by cloudpickle",
}


@dataclass
class Line:
    """A line, the lines under it, and whether it is good (True), bad (False) or neither."""

    text: str
    good: bool | None = None
    under: list[Line] = field(default_factory=list)


def plain(found: Inspection) -> str:
    """An inspection as indented text."""
    return "\n".join(_indented(_tree(found), 0))


def in_colours(found: Inspection, width: int | None = None) -> str:
    """An inspection as a tree with terminal colours; plain text where rich is not installed."""
    try:
        from rich.console import Console
        from rich.text import Text
        from rich.tree import Tree
    except ModuleNotFoundError:
        return plain(found)

    def grown(line: Line) -> Tree:
        style = {True: "green", False: "bold red", None: ""}[line.good]
        tree = Tree(Text(line.text, style=style))
        for under in line.under:
            tree.children.append(grown(under))
        return tree

    console = Console(force_terminal=True, width=width)
    with console.capture() as captured:
        console.print(grown(_tree(found)))
    return captured.get().rstrip("\n")


def _indented(line: Line, depth: int) -> list[str]:
    own = "  " * depth + line.text
    return [own, *(text for under in line.under for text in _indented(under, depth + 1))]


def _safe(text: str) -> str:
    """A text that may come from anybody, without what a terminal would take for a command."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}... ({len(shown):,} characters)"


def _tree(found: Inspection) -> Line:
    top = Line(f"{_safe(found.source)}: {found.kind}, {found.size:,} bytes")
    if found.error:
        top.under.append(Line(f"ERROR: {_safe(found.error)}", False))
    if found.descriptor is not None:
        top.under.append(_descriptor(found.descriptor))
    top.under += [_pickle(pickle) for pickle in found.pickles]
    if found.files:
        files = [Line(f"{_safe(name)}: {size:,} bytes") for name, size in list(found.files.items())[:20]]
        more = [Line(f"and {len(found.files) - 20} more")] if len(found.files) > 20 else []
        top.under.append(Line(f"{len(found.files)} other files, not looked into", None, files + more))
    if found.rest:
        top.under.append(Line(f"{found.rest:,} bytes of numbers after the pickles"))
    top.under.append(_verdict(found))
    return top


def _verdict(found: Inspection) -> Line:
    if found.allowed is None:
        if not found.complete:
            return Line("VERDICT: broken; what stands above is all that could be read", False)
        beyond = [name for name in found.names if name not in PLAIN_NAMES and name not in CALLED_ONLY and name not in OURS]
        if not beyond and not found.unknown:
            return Line("VERDICT: read to its end; plain data", True)
        shown = ", ".join(beyond[:5]) + (f" and {len(beyond) - 5} more" if len(beyond) > 5 else "")
        shown += " and what is unknown" if found.unknown else ""
        return Line(
            f"VERDICT: read to its end; not plain data: whoever unpickles it runs what it does with {_safe(shown)}", False
        )
    if found.allowed:
        return Line("VERDICT: everything in it is allowed", True)
    reasons = [reason for pickle in found.pickles for reason in pickle.reasons]
    named = found.descriptor.names if found.descriptor is not None else []
    reasons += [f"it names {name}" for name in named if found.allow is not None and name not in found.allow]
    return Line("VERDICT: NOT ALLOWED", False, [Line(_safe(reason), False) for reason in reasons])


def _pickle(found: PickleFound) -> Line:
    protocol = f"protocol {found.protocol}"
    line = Line(f"{_safe(found.place)}: {protocol}, {found.opcodes:,} opcodes, {found.size:,} bytes from byte {found.at:,}")
    if found.error:
        line.under.append(Line(f"ERROR: {_safe(found.error)}", False))
    names = [_global(item) for item in sorted(found.globals, key=lambda item: item.name)]
    line.under.append(Line(f"names it looks up: {len(names)}", None, names))
    if found.descriptors:
        classes = [_descriptor(item) for item in found.descriptors]
        line.under.append(Line(f"run-time classes: {len(classes)}", None, classes))
    if found.persistent:
        line.under.append(Line(f"asks {found.persistent} times for something outside of itself (persistent ids)"))
    if found.unknown:
        line.under.append(Line("unknown", False, [Line(_safe(what), False) for what in found.unknown]))
    return line


def _global(item: GlobalFound) -> Line:
    said = [_safe(item.name)]
    said += [f"(written {_safe(item.written)})"] if item.written else []
    said += [f"{item.count} times"] if item.count > 1 else []
    said += ["called"] if item.called else []
    said += [_OURS[item.name]] if item.name in _OURS else []
    said += [] if item.allowed is None else ["allowed" if item.allowed else "NOT ALLOWED"]
    return Line(", ".join(said), item.allowed)


def _descriptor(found: DescriptorFound) -> Line:
    if found.error is not None:
        return Line(f"no descriptor: {_safe(found.error)}", False)
    code = ": BY VALUE, WHICH RUNS CODE that lies in it" if found.code is not None else ""
    line = Line(f"{_safe(found.name)} = {found.builder}(...){code}", False if code else found.allowed)
    line.under += [Line(f"{index}: {_value(value)}") for index, value in enumerate(found.args)]
    line.under += [Line(f"{_safe(name)} = {_value(value)}") for name, value in found.kwargs.items()]
    line.under.append(Line(f"names: {_safe(', '.join(found.names))}"))
    line.under.append(Line(f"methods and attributes: {_safe('; '.join(found.surface)) or 'none'}"))
    sizes = f"{found.size:,} bytes (head {found.head:,}, parts {', '.join(f'{size:,}' for size in found.parts)})"
    owner = f"owner {found.owner}" if found.owner else "no owner"
    script = f", script {found.script}" if found.script else ""
    line.under.append(Line(f"key {found.key}, {owner}{script}, {sizes}"))
    if found.code is not None:
        line.under.append(_pickle(found.code))
    if found.inside:
        line.under.append(Line("classes among its arguments", None, [_descriptor(item) for item in found.inside]))
    return line


def _value(value: Any) -> str:
    return _safe(json.dumps(_shorter(value), ensure_ascii=False))


def _shorter(tree: Any) -> Any:
    """An argument without the bytes of classes in it, which are shown under it."""
    if type(tree) is list:
        return [_shorter(item) for item in tree]
    if type(tree) is dict:
        return {key: "see below" if key == "$class" else _shorter(value) for key, value in tree.items()}
    return tree
