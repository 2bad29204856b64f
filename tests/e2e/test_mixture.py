"""Dock and pantry in one AsyncGRPO run: each rollout is shown its own tools, each environment has its reward column."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from workshop.runs import Run
from workshop.vllm_server import Server

from benchmarks.portsim.launch import Port

NAMES = ("Dock", "Pantry")
STEPS = 5  # no more than TRL's max_staleness and one: no sample is dropped, so the n-th sixteen are the n-th step


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
    assert not [sample for sample in samples if sample.get("tools/failure_frequency", 0.0)]


def test_a_reward_column_is_finite_in_the_steps_where_its_environment_was_played(mixed: Run) -> None:
    steps, samples = mixed.results["steps"], mixed.results["samples"]
    assert len(steps) == STEPS
    columns = {name: [step.get(f"rewards/{name}") for step in steps] for name in NAMES}
    for name in NAMES:
        assert any(value is not None and math.isfinite(value) for value in columns[name])
    for number in range(STEPS):
        step = samples[16 * number : 16 * (number + 1)]
        here = {name for sample in step for name in played(sample)}
        finite = {name for name in NAMES if columns[name][number] is not None and math.isfinite(columns[name][number])}
        assert finite == here


def test_nothing_is_left(mixed: Run, port: Port) -> None:
    assert not mixed.left
    for name in ("dock", "pantry"):
        port.wait_live(name, 0)
