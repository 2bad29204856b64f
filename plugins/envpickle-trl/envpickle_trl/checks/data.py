"""The rows of the data set: that each can be played."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..report import Finding
from ..setups import NotChecked, Setup

NAME = "data"
FINDINGS = {
    "data.environment": "A row names no environment, or one that is not among the factories.",
    "data.prompt": "A row's prompt is no list of messages, which is all that AsyncGRPO plays.",
    "data.task": "A row holds what an environment's server cannot be sent (an image, a date).",
}


def check(setup: Setup) -> Iterator[Finding]:
    """Look at the rows as the rollout process does when their turn comes."""
    factory = setup.given.get("environment_factory")
    if isinstance(factory, Mapping):
        yield from _first("data.environment", setup, lambda row: row.get("environment") not in factory, _environment(factory))
    if setup.asynchronous:
        remedy = 'Write it as [{"role": "user", "content": ...}].'
        yield from _first("data.prompt", setup, lambda row: "prompt" in row and not _is_messages(row["prompt"]), remedy)
    with suppress(NotChecked):  # the check of the environments says why
        yield from _first_unsendable(setup)


def _first_unsendable(setup: Setup) -> Iterator[Finding]:
    """One finding for the first row that a server's environment is reset with and refuses."""
    factory = setup.given.get("environment_factory")
    served = [played.arguments.get("server") is not None for played in setup.environments]
    names = (
        [name for name, by_server in zip(factory, served, strict=True) if by_server] if isinstance(factory, Mapping) else None
    )
    if not any(served):
        return
    for index, row in enumerate(setup.rows):
        if names is not None and row.get("environment") not in names:
            continue
        for column, value in row.items():
            if column != "environment" and not _is_json(value):
                yield Finding(
                    "data.task",
                    f"train_dataset[{index}]",
                    "error",
                    f"Its {column} is {value!r:.80}, which JSON cannot hold, and the environment's server is sent the row "
                    "for a reset. The run ends when it comes to such a row.",
                    "Write it as text or as numbers, or leave the column out of the data set.",
                )
                return


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _environment(factory: Mapping[str, Any]) -> str:
    return f"Give every row an `environment` column with one of {', '.join(map(repr, factory))}."


def _first(name: str, setup: Setup, is_bad: Any, remedy: str) -> Iterator[Finding]:
    """One finding for the first bad row, which says how many there are."""
    column = name.partition(".")[2]
    bad = [(index, row) for index, row in enumerate(setup.rows) if is_bad(row)]
    if bad:
        index, row = bad[0]
        yield Finding(
            name,
            f"train_dataset[{index}]",
            "error",
            f"Its {column} is {row.get(column)!r:.80}, with which no episode can begin. The rollout process ends when it comes "
            f"to such a row; {len(bad)} of {len(setup.rows)} are.",
            remedy,
        )


def _is_messages(prompt: Any) -> bool:
    return isinstance(prompt, list) and len(prompt) > 0 and all(isinstance(one, Mapping) and "role" in one for one in prompt)
