"""Descriptions as a Google docstring can carry them, and the docstring made of them.

The reader to please is ``transformers.utils.get_json_schema``, which finds the sections of a docstring by plain
regular expressions: a description that holds ``Returns:`` ends there. What such a reader would misread is written
differently here, as little as possible; docs/reference/openenv-schemas.md lists every case.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["docstring", "parameter_text", "tool_text", "with_lost"]

SECTION = re.compile(r"(Args|Returns|Raises):")
LATER_SECTION = re.compile(r"(Returns|Raises):")
CHOICES = re.compile(r"\((choices):", re.IGNORECASE)
LINE_BREAK = re.compile(r"\s*\n+\s*")


def tool_text(text: str) -> str:
    """Write a tool's description so that a docstring's reader takes all of it.

    Args:
        text: What the server says.

    Returns:
        The same text with ``Args:``, ``Returns:`` and ``Raises:`` spaced out (``Returns :``) and tabs as spaces.
    """
    return SECTION.sub(r"\1 :", text.expandtabs()).strip()


def parameter_text(text: str, choices: Sequence[Any] | None = None) -> str:
    """Write a parameter's description on one line, so that no line of it is taken for another parameter.

    Args:
        text: What the server says.
        choices: Values to give as an enumeration in the docstring's own notation.

    Returns:
        The text with line breaks as single spaces, section words spaced out, and what would be taken for that notation
        without being meant spaced out too.
    """
    line = LATER_SECTION.sub(r"\1 :", LINE_BREAK.sub(" ", text.expandtabs().strip()))
    if choices is not None or line.endswith(")"):
        line = CHOICES.sub(r"(\1 :", line)
    if choices is None:
        return line
    return f"{line} (choices: {LATER_SECTION.sub(_escaped_colon, json.dumps(choices))})"


def _escaped_colon(match: re.Match[str]) -> str:
    return f"{match[1]}\\u003a"


def with_lost(description: str, lost: Mapping[str, Any], separator: str = " ") -> str:
    """Add to a description what the signature cannot say.

    Args:
        description: The description.
        lost: The JSON schema keywords that no annotation expresses.
        separator: What to put between the two.

    Returns:
        ``'The bay. {"minimum": 0}'``, or the description alone if nothing was lost.
    """
    if not lost:
        return description
    return f"{description}{separator}{json.dumps(lost, ensure_ascii=False)}"


def docstring(description: str, parameters: Mapping[str, str]) -> str:
    """Make a Google docstring.

    Args:
        description: What the tool does, as `tool_text` returns it.
        parameters: Descriptions by parameter, as `parameter_text` returns them.

    Returns:
        The docstring. It begins with a line break, so that ``inspect.cleandoc`` keeps an indented second line. Half characters
        (lone surrogates), which no tokenizer takes, are question marks.
    """
    lines = "\n".join(f"    {name}: {text}" for name, text in parameters.items())
    text = f"\n{description}\n\nArgs:\n{lines}" if parameters else f"\n{description}"
    return text if text.isascii() else text.encode(errors="replace").decode()
