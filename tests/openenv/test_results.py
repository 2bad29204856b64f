"""What servers answer, as text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envpickle_openenv.results import capped, observation_text, result_text, reward_of


def called(result: Any, error: Any = None) -> dict[str, Any]:
    return {"observation": {"metadata": {}, "tool_name": "move", "result": result, "error": error}, "reward": None}


def blocks(*found: Any, **more: Any) -> dict[str, Any]:
    return {"content": list(found), "structured_content": None, "is_error": False, **more}


TEXT = {"type": "text", "text": "moved"}
IMAGE = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///x", "text": "the log"}}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (called(blocks(TEXT)), "moved"),
        (called(blocks(TEXT, TEXT)), "moved\nmoved"),
        (called(blocks(IMAGE, RESOURCE)), "[image/png, not shown]\nthe log"),
        (called(blocks(structured_content={"bay": 3})), '{"bay": 3}'),
        (called(blocks(TEXT, is_error=True)), "Error: moved"),
        (called({"content": [TEXT], "isError": True}), "Error: moved"),
        (called("moved"), "moved"),
        (called(None), ""),
        (called({"bay": 3}), '{"bay": 3}'),
        (called([1, "é"]), '[1, "é"]'),
        (called(None, {"error_type": "timeout", "message": "too slow"}), "Error: too slow"),
        (called(None, "broken"), "Error: broken"),
        ({"jsonrpc": "2.0", "id": 1, "result": blocks(TEXT)}, "moved"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "broken"}}, "Error: broken"),
        ({"observation": {"echoed": "hello", "metadata": {}}, "reward": 1.0}, "hello"),
        ({"observation": None}, ""),
    ],
)
def test_results(data: dict[str, Any], text: str) -> None:
    assert result_text(data) == text


@pytest.mark.parametrize(
    ("observation", "text"),
    [
        (None, None),
        ({}, None),
        ({"metadata": {}}, None),
        ({"metadata": {"message": "ready"}}, "ready"),
        ({"metadata": {"message": "ready", "seed": 1}}, '{"message": "ready", "seed": 1}'),
        ({"text": "A ship.", "metadata": {"seed": 1}}, "A ship."),
        ({"text": "A ship.", "bays": 9, "empty": []}, '{"text": "A ship.", "bays": 9}'),
        ("A ship.", "A ship."),
        ({"bays": 0}, '{"bays": 0}'),
        ({"metadata": "ready"}, "ready"),
        ({"metadata": ["ready"]}, '["ready"]'),
        ({"metadata": 5}, "5"),
        ({"metadata": None}, None),
    ],
)
def test_observations(observation: Any, text: str | None) -> None:
    assert observation_text({"observation": observation, "reward": None, "done": False}) == text


def test_values_nested_too_deep_to_be_written() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    assert result_text(called(value)) == "[list, nested too deep to be shown]"


def test_half_characters_are_no_text_for_a_tokenizer() -> None:
    assert (
        capped("a\ud83d, \ud83d\ude00é".encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"), None) == "a?, 😀é"
    )


@pytest.mark.parametrize(
    ("given", "reward"),
    [(1, 1.0), (True, 1.0), (0.25, 0.25), (float("nan"), None), (float("-inf"), None), (10**400, None)],
)
def test_rewards(given: float, reward: float | None) -> None:
    assert reward_of(given) == reward


@given(st.text(max_size=200), st.integers(1, 120))
def test_capping(text: str, limit: int) -> None:
    """Never longer than asked, untouched when short enough, and a beginning of the text otherwise."""
    short = capped(text, limit)
    assert len(short) <= limit
    if len(text) <= limit:
        assert short == text
    elif "\n[cut: " in short:
        kept, _, note = short.rpartition("\n[cut: ")
        assert text.startswith(kept)
        assert note == f"{len(text)} characters in all]"
    else:
        assert text.startswith(short)
    assert capped(text, None) == text
