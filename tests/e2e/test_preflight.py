"""preflight against the real vLLM server: nothing to say of the good training, and right to the token about the context."""

from collections.abc import Callable
from typing import Any

import pytest
from workshop.runs import Run
from workshop.vllm_server import Server


@pytest.fixture(scope="module")
def asked(train: Callable[..., Run], server: Server) -> dict[str, Any]:
    run = train("preflight_dock.py", server=server, steps=5)
    assert run.status == 0, run.text[-8000:]
    return run.results


def findings(report: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report["findings"]
    return found


def test_nothing_is_found_in_a_training_that_runs(asked: dict[str, Any]) -> None:
    assert findings(asked["found"]["good"]) == []


def test_a_conversation_that_just_fits_is_taken(asked: dict[str, Any]) -> None:
    assert findings(asked["found"]["fits"]) == []
    assert asked["answers"]["fits"] == 200


def test_one_token_more_is_found_as_the_server_would_refuse_it(asked: dict[str, Any]) -> None:
    (finding,) = findings(asked["found"]["over"])
    assert finding["check"] == "context.conversation"
    assert f"--max-model-len {asked['length'] + 1}" in finding["remedy"]
    assert asked["answers"]["over"] == 400
