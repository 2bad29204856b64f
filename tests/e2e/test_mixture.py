"""Dock and pantry in one AsyncGRPO run: each rollout is shown its own tools, each environment has its reward column."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from workshop.runs import Run
from workshop.vllm_server import Server

from benchmarks.portsim.launch import Port

NAMES = ("Dock", "Pantry")
STEPS = 5
PARTS = {"Dock": 9, "Pantry": 5}  # a container is up to 9 bays off, and amounts are so many hundred grams off 500


@pytest.fixture(scope="module")
def mixed(train: Callable[..., Run], server: Server) -> Run:
    run = train("async_mixture.py", server=server, steps=STEPS)
    assert run.status == 0, run.text[-8000:]
    return run


def played(sample: dict[str, Any]) -> list[str]:
    return [name for name in NAMES if math.isfinite(sample[f"rewards/{name}"])]


def test_each_rollout_is_shown_its_own_tools_only(mixed: Run) -> None:
    tools, samples = mixed.results["tools"], mixed.results["samples"]
    assert not set(tools["Dock"]) & set(tools["Pantry"])
    for sample in samples:
        (name,) = played(sample)
        assert sample["shown"] == tools[name]


def test_both_are_played_and_scored(mixed: Run) -> None:
    samples = mixed.results["samples"]
    assert {name for sample in samples for name in played(sample)} == set(NAMES)
    for name in NAMES:  # by their own task: most are multiples of what it takes off for one bay, or for 100 grams
        parts = [sample[f"rewards/{name}"] * PARTS[name] for sample in samples if name in played(sample)]
        whole = [part for part in parts if part == pytest.approx(round(part))]
        assert len(set(parts)) > 1
        assert len(whole) > 0.8 * len(parts)  # a rollout that was cut short may have any reward
    assert not [sample for sample in samples if sample.get("tools/failure_frequency", 0.0)]


def test_a_reward_column_is_finite_in_the_steps_where_its_environment_was_played(mixed: Run) -> None:
    """A step with one finite column has exactly its reward: nothing of the other was played there. Both are over the run."""
    steps = mixed.results["steps"]
    assert len(steps) == STEPS
    finite = [{name: step[f"rewards/{name}"] for name in NAMES if step.get(f"rewards/{name}") is not None} for step in steps]
    assert {name for columns in finite for name in columns} == set(NAMES)
    for step, columns in zip(steps, finite, strict=True):
        assert all(math.isfinite(reward) for reward in columns.values())
        assert min(columns.values()) - 1e-9 <= step["reward"] <= max(columns.values()) + 1e-9


def test_nothing_is_left(mixed: Run, port: Port) -> None:
    assert not mixed.left
    for name in ("dock", "pantry"):
        port.wait_live(name, 0)
