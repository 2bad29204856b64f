"""The context length: whether the longest conversation and one more answer fit into what the server takes."""

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from math import ceil
from typing import Any

from .. import schemas
from ..budget import Budget
from ..report import Finding
from ..served import Unreachable
from ..setups import NotChecked, Setup
from ..supported import RESULT_TOKENS

NAME = "context"
FINDINGS = {
    "context.first-turn": "Prompt, tool schemas and one answer are longer than the server's `max_model_len`.",
    "context.conversation": "A conversation can outgrow the server's `max_model_len` by its answers, or as long as it was said "
    "to become.",
    "context.results": "A conversation can outgrow the server's `max_model_len` once its tool results are as long as they may.",
    "context.template": "The chat template cannot write a prompt with the tools.",
    "context.no-limit": "Nothing limits the number of tool calls, so any `max_model_len` can be outgrown.",
}

_SUBJECT = "--max-model-len"
_COST = "The server refuses such a request, AsyncGRPO tries it again for minutes, and the run ends."
_ROWS = 8  # the longest prompts of a data set are measured, found by their characters
_CHARACTERS = 3.0  # of a token, where no tokenizer is there to count


class _NotRendered(Exception):
    """The chat template raises."""


def check(setup: Setup) -> Iterator[Finding]:
    """Measure prompt and schemas, ask the server, and add up."""
    try:
        length = setup.served.max_model_len
    except Unreachable as error:
        raise NotChecked("the server does not say its max_model_len") from error
    try:
        budget = measured(setup, length)
    except _NotRendered as error:
        message = f"The chat template cannot write a prompt with the tools ({error}), so no episode gets beyond its first turn."
        yield Finding("context.template", "processing_class", "error", message, "Give a tokenizer whose template takes tools.")
        return
    longest = setup.longest_conversation
    if longest is not None:
        if longest + budget.answer > length:
            yield _told(budget, longest)
    elif budget.first_turn > length:
        yield _first_turn(budget)
    elif budget.answers > length:
        yield _answers(budget)
    elif budget.rounds is None and (setup.tools or setup.environments):
        yield _no_limit(budget)
    elif budget.whole > length:
        yield _results(budget)


def measured(setup: Setup, max_model_len: int) -> Budget:
    """Measure the conversation of a setup.

    Args:
        setup: What is to be trained.
        max_model_len: What the server takes, in tokens.

    Returns:
        Its budget; tokens are counted with the tokenizer where there is one, else estimated from characters.

    Raises:
        Exception: The chat template cannot write a prompt.
    """
    prompts = _longest_prompts(setup)
    offered = [[*setup.tools, *played.tools().values()] for played in setup.environments] or [setup.tools]
    counts = [_count(setup, prompt, tools) for prompt in prompts for tools in offered]
    prompt, ratio = max(counts)
    caps = [played.arguments.get("max_result_chars") for played in setup.environments]
    capped = [ceil(cap / ratio) for cap in caps if isinstance(cap, int)]
    results = [*capped, *([RESULT_TOKENS] if len(capped) < len(offered) and any(offered) else [])]
    return Budget(
        max_model_len=max_model_len,
        answer=setup.setting("max_completion_length"),
        rounds=setup.setting("max_tool_calling_iterations") if any(offered) else 0,
        prompt=prompt,
        result=max(results, default=0),
        observation=max(capped, default=0),
    )


def _longest_prompts(setup: Setup) -> list[Any]:
    prompts = [row["prompt"] for row in setup.rows if isinstance(row.get("prompt"), list)]
    return sorted(prompts, key=lambda prompt: len(str(prompt)), reverse=True)[:_ROWS] or [[{"role": "user", "content": ""}]]


def _count(setup: Setup, prompt: Any, tools: list[Any]) -> tuple[int, float]:
    """Tokens of one prompt with its tools, and how many characters a token has there."""
    described = _described(tools)
    tokenizer = setup.tokenizer
    if tokenizer is None or getattr(tokenizer, "chat_template", None) is None:
        text = json.dumps([prompt, described], default=str)
        return ceil(len(text) / _CHARACTERS), _CHARACTERS
    render = partial(
        tokenizer.apply_chat_template,
        prompt,
        tools=described or None,
        add_generation_prompt=True,
        **(setup.setting("chat_template_kwargs") or {}),
    )
    try:
        tokens, text = len(render(return_dict=False)), render(tokenize=False)
    except Exception as error:  # a template is a program of its own
        raise _NotRendered(f"{type(error).__name__}: {error}") from error
    return tokens, max(1.0, len(text) / max(1, tokens))


def _described(tools: list[Any]) -> list[dict[str, Any]]:
    if not schemas.available():
        return [{"name": getattr(tool, "__name__", ""), "description": getattr(tool, "__doc__", "")} for tool in tools]
    found = []
    for tool in tools:
        with suppress(schemas.NoSchema):  # the check of the schemas says so
            found.append(schemas.json_schema(tool))
    return found


def _finding(name: str, message: str, remedy: str) -> Finding:
    severity = "error" if name in ("context.first-turn", "context.conversation") else "warning"
    return Finding(name, _SUBJECT, severity, message, remedy)  # type: ignore[arg-type]  # it is one of the two


def _told(budget: Budget, longest: int) -> Finding:
    return _finding(
        "context.conversation",
        f"The longest conversation has {longest} tokens and the last turn asks for {budget.answer} more, "
        f"{longest + budget.answer} together; the server takes {budget.max_model_len}, which leaves {budget.room} for the "
        f"conversation. {_COST}",
        f"Start the server with --max-model-len {longest + budget.answer}, or lower max_completion_length.",
    )


def _first_turn(budget: Budget) -> Finding:
    return _finding(
        "context.first-turn",
        f"Prompt and tool schemas have {budget.prompt} tokens and every turn asks for {budget.answer} more, "
        f"{budget.first_turn} together; the server takes {budget.max_model_len}. {_COST}",
        f"Start the server with --max-model-len {max(budget.whole, budget.first_turn)}, or lower max_completion_length.",
    )


def _answers(budget: Budget) -> Finding:
    return _finding(
        "context.conversation",
        f"Every turn asks for {budget.answer} new tokens, so prompt and tool schemas ({budget.prompt}) and "
        f"{(budget.rounds or 0) + 1} answers come to {budget.answers} before any tool has said a word; the server takes "
        f"{budget.max_model_len}, which leaves {budget.room} for the conversation. {_COST}",
        f"Start the server with --max-model-len {budget.whole}, or lower max_completion_length or max_tool_calling_iterations "
        f"({budget.rounds_that_fit} tool calls fit); if answers are never that long, say longest_conversation=.",
    )


def _results(budget: Budget) -> Finding:
    return _finding(
        "context.results",
        f"With {budget.rounds} tool calls, answers as long as they may be and {budget.result} tokens for each tool result, a "
        f"conversation comes to {budget.whole} tokens; the server takes {budget.max_model_len}, which leaves "
        f"{budget.left_for_a_result} for each result. {_COST}",
        f"Start the server with --max-model-len {budget.whole}, limit the results (AgentEnv(max_result_chars=...)), or lower "
        f"max_tool_calling_iterations ({budget.rounds_that_fit} fit); if you know better, say longest_conversation=.",
    )


def _no_limit(budget: Budget) -> Finding:
    return _finding(
        "context.no-limit",
        "max_tool_calling_iterations is None, so a conversation ends when the model calls no tool any more, however long it "
        f"has become; the server takes {budget.max_model_len} tokens. {_COST}",
        f"Set max_tool_calling_iterations; {budget.rounds_that_fit} tool calls fit. If none ever needs more, say "
        "longest_conversation=.",
    )
