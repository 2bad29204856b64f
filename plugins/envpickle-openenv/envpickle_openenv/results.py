"""What a server answers, as text a model can read."""

import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["capped", "observation_text", "reason", "refusal_text", "result_text", "reward_of"]

QUIET = ("metadata", "done", "reward")


def reason(error: BaseException) -> str:
    """Say an exception.

    Args:
        error: The exception.

    Returns:
        Its text, or its type's name if it has none.
    """
    return str(error) or type(error).__name__


def observation_text(data: Mapping[str, Any]) -> str | None:
    """Say an observation.

    Args:
        data: The ``data`` of an ``observation`` message.

    Returns:
        The only text in it, or what is in it as JSON; its metadata if there is nothing else; None for nothing at all.
    """
    observation = data.get("observation")
    if not isinstance(observation, Mapping):
        return None if observation is None else _text(observation)
    seen = {key: value for key, value in observation.items() if key not in QUIET and value not in (None, "", [], {})}
    said = seen or observation.get("metadata")
    if not said:
        return None
    values = list(said.values()) if isinstance(said, Mapping) else []
    return values[0] if len(values) == 1 and isinstance(values[0], str) else _text(said)


def result_text(data: Mapping[str, Any]) -> str:
    """Say what a tool returned, or why it failed.

    Args:
        data: The ``data`` of an ``observation`` message, or a JSON-RPC answer to ``tools/call``.

    Returns:
        The text.
    """
    if isinstance(data.get("error"), Mapping):
        return refusal_text(data["error"])
    if "result" in data:
        return _tool_result(data["result"])
    observation = data.get("observation")
    if not isinstance(observation, Mapping):
        return "" if observation is None else _text(observation)
    if observation.get("error"):
        return refusal_text(observation["error"])
    return _tool_result(observation["result"]) if "result" in observation else observation_text(data) or ""


def refusal_text(error: Any) -> str:
    """Say an error.

    Args:
        error: An error object with a ``message``, as the protocol has several, or anything else.

    Returns:
        ``"Error: ..."``.
    """
    return f"Error: {error['message'] if isinstance(error, Mapping) and 'message' in error else _text(error)}"


def _tool_result(result: Any) -> str:
    """Say the result of a tool: MCP's content blocks, or a value."""
    if not isinstance(result, Mapping) or not isinstance(result.get("content"), list):
        return "" if result is None else _text(result)
    text = "\n".join(_block_text(block) for block in result["content"])
    if not text:
        structured = result.get("structured_content", result.get("structuredContent"))
        text = "" if structured is None else _text(structured)
    failed = result.get("is_error", result.get("isError"))
    return f"Error: {text}" if failed else text


def _block_text(block: Any) -> str:
    if not isinstance(block, Mapping):
        return _text(block)
    if isinstance(block.get("text"), str):
        return str(block["text"])
    resource = block.get("resource")
    if isinstance(resource, Mapping) and isinstance(resource.get("text"), str):
        return str(resource["text"])
    kind = block.get("mimeType") or block.get("type") or "content"
    return f"[{kind}, not shown]"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return f"[{type(value).__name__}, nested too deep to be shown]"


def reward_of(given: float) -> float | None:
    """Read a reward.

    Args:
        given: The number a server gave.

    Returns:
        The reward; None if nothing can be learned from the number, as it is infinite, none at all, or too large.
    """
    try:
        return float(given) if math.isfinite(given) else None
    except OverflowError:
        return None


def capped(text: str, limit: int | None) -> str:
    """Shorten a text.

    Args:
        text: The text.
        limit: The most characters to return; None for all.

    Returns:
        The text, or its beginning and a note of how long it was, together of at most ``limit`` characters. Half characters
        (lone surrogates), which no tokenizer takes, are question marks.
    """
    text = text if text.isascii() else text.encode(errors="replace").decode()
    if limit is None or len(text) <= limit:
        return text
    note = f"\n[cut: {len(text)} characters in all]"
    return text[: limit - len(note)] + note if limit > len(note) else text[:limit]
