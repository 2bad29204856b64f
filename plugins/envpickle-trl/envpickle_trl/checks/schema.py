"""The schemas of all tools: what the model is shown of them, and what it can then call."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from .. import schemas
from ..report import Finding
from ..setups import Setup

NAME = "schema"
FINDINGS = {
    "schema.docstring": "A tool has no docstring, or it does not describe a parameter; no schema can be made of it.",
    "schema.annotation": "A parameter of a tool has no annotation; no schema can be made of it.",
    "schema.close": "An environment has a public method `close`, which the model would be offered as a tool.",
    "schema.name": "A tool has a name that models cannot be given.",
    "schema.function": "A tool is neither a function nor a method, and chat templates take nothing else.",
    "schema.parameter": "A parameter of a tool cannot be passed by name, as every call of the model passes it.",
    "schema.twice": "Two tools have one name; the model reaches only one of them.",
    "schema.unreadable": "transformers cannot make a schema of a tool, for another reason.",
}

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_CLOSING = ("close", "aclose")


def check(setup: Setup) -> Iterator[Finding]:
    """Make the schema of every tool, as the trainer does before the first episode."""
    shared = {f"tools[{index}]": tool for index, tool in enumerate(setup.tools)}
    for subject, tool in shared.items():
        yield from _faults(subject, _name_of(tool), tool)
    yield from _twice("tools", [_name_of(tool) for tool in shared.values()], ())
    for played in setup.environments:
        tools = played.tools()
        yield from _twice(played.subject, list(tools), [_name_of(tool) for tool in shared.values()])
        for name, tool in tools.items():
            subject = f"{played.subject}: {played.cls.__name__}.{name}"
            closes = name in _CLOSING and not played.lists(name)
            yield from _closing(subject, name) if closes else _faults(subject, name, tool)


def _closing(subject: str, name: str) -> Iterator[Finding]:
    yield Finding(
        "schema.close",
        subject,
        "error",
        "Every public method of an environment is a tool, so the model would be offered this one, and would close the "
        "environment in the middle of an episode.",
        f"Call it _{name}: envpickle closes an environment by that name too.",
    )


def _twice(subject: str, names: list[str], others: Any) -> Iterator[Finding]:
    for name in sorted({name for name in names if names.count(name) > 1 or name in others}):
        yield Finding(
            "schema.twice",
            subject,
            "error",
            f"Two tools are called {name}, and a call reaches only one.",
            "Rename one of them.",
        )


def _faults(subject: str, name: str, tool: Callable[..., Any]) -> Iterator[Finding]:
    if not (inspect.isfunction(tool) or inspect.ismethod(tool)):
        yield Finding(
            "schema.function",
            subject,
            "error",
            f"It is a {type(tool).__name__}; chat templates take functions and methods for tools, and raise for anything else.",
            "Write a function, or hand over envpickle_trl.portable(...) of it.",
        )
        return
    if _NAME.fullmatch(name) is None:
        yield Finding(
            "schema.name",
            subject,
            "error",
            f"The model cannot be given the name {name!r}: tools are called by 1 to 64 letters, digits, _ and -.",
            f"Rename it: a server's tool by AgentEnv(rename={{{name!r}: ...}}), a function made at run time by its __name__.",
        )
        return
    own = list(_own_reading(subject, tool))
    yield from own
    if not own and schemas.available():
        yield from _refused(subject, tool)


def _own_reading(subject: str, tool: Callable[..., Any]) -> Iterator[Finding]:
    """What can be said of all parameters at once; transformers ends at the first."""
    if not (inspect.getdoc(tool) or "").strip():
        yield Finding(
            "schema.docstring",
            subject,
            "error",
            "It has no docstring, from which the model is told what it does and what its parameters mean.",
            "Write one, with a line for each parameter under Args:.",
        )
    try:
        parameters = inspect.signature(tool).parameters.values()
    except (TypeError, ValueError):
        return
    bare = [one.name for one in parameters if one.annotation is one.empty]
    if bare:
        yield Finding(
            "schema.annotation",
            subject,
            "error",
            f"Without an annotation the model cannot be told the type of: {', '.join(bare)}.",
            "Annotate every parameter, such as bay: int.",
        )
    function = inspect.unwrap(getattr(tool, "__func__", tool), stop=lambda outer: hasattr(outer, "__code__"))
    code = getattr(function, "__code__", None)
    unnamed = code.co_varnames[1 if inspect.ismethod(tool) else 0 : code.co_posonlyargcount] if code is not None else ()
    if unnamed:
        yield Finding(
            "schema.parameter",
            subject,
            "error",
            f"A call of the model passes every argument by name, which these do not take: {', '.join(unnamed)}.",
            "Remove the / from its parameters.",
        )


def _refused(subject: str, tool: Callable[..., Any]) -> Iterator[Finding]:
    try:
        schemas.json_schema(tool)
    except schemas.NoSchema as error:
        yield Finding(
            f"schema.{error.kind}",
            subject,
            "error",
            f"transformers makes no schema of it: {error}.",
            "Write a Google-style docstring that describes every parameter under Args:, and plain annotations "
            "(str, int, list[int], Literal[...]).",
        )


def _name_of(tool: Any) -> str:
    return str(getattr(tool, "__name__", ""))  # a partial has none
