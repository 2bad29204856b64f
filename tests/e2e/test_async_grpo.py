"""AsyncGRPO on real parts: TRL's trainer and its spawned rollout process, vLLM with LoRA over HTTP, the port on OpenEnv."""

import math
import os
import statistics
from collections.abc import Callable
from typing import Any

import pytest
from workshop.learning import fifths, keep
from workshop.runs import Run
from workshop.vllm_server import Server

from benchmarks.portsim.launch import Port

SEEDS = range(int(os.environ.get("ENVPICKLE_E2E_SEEDS", "1")))
STEPS, ROLLOUTS, LEARNT = 40, 16, 0.1


def test_without_envpickle_the_class_does_not_cross(train: Callable[..., Run], server: Server, port: Port) -> None:
    """The same training with a class made by a plain function plays in this process, and ends when it is to be sent."""
    run = train("async_dock_by_hand.py", server=server, steps=5)
    assert run.status != 0
    assert "the crane is blocked" in run.text
    assert "Can't pickle local object 'dock_class.<locals>.Dock'" in run.text
    assert not run.left
    port.wait_live("dock", 0)


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed{seed}")
def learning(request: pytest.FixtureRequest, train: Callable[..., Run], server: Server, say: Callable[[str], None]) -> Run:
    """A run of 40 steps of 16 rollouts, 32 in flight."""
    run = train("async_dock.py", server=server, steps=STEPS, seed=request.param)
    assert run.status == 0, run.text[-8000:]
    syncs = [step["perf/weight_sync_s"] for step in run.results["steps"]]
    first, last = fifths(run.results["steps"])
    say(f"reward {first:.3f} in the first fifth, {last:.3f} in the last; median LoRA sync {statistics.median(syncs):.2f} s")
    keep(request.param, run, adapters=server.adapters())
    return run


def test_every_step_is_rewarded_by_the_environment(learning: Run) -> None:
    steps = learning.results["steps"]
    assert len(steps) == STEPS
    assert all(step["batch/samples_per_step"] == ROLLOUTS for step in steps)
    assert all(math.isfinite(step["rewards/Dock"]) for step in steps)
    assert all(step["reward"] == pytest.approx(step["rewards/Dock"]) for step in steps)


def test_every_rollout_is_scored(learning: Run) -> None:
    samples = learning.results["samples"]
    assert len(samples) >= STEPS * ROLLOUTS
    assert not [sample for sample in samples if not math.isfinite(sample["rewards/Dock"])]


def test_no_tool_fails(learning: Run) -> None:
    """Later on the model may make a tool up: its own mistake, which TRL counts apart, and which must stay rare."""
    steps, samples = learning.results["steps"], learning.results["samples"]
    failures = [sample.get("tools/failure_frequency", 0.0) for sample in samples]
    assert not any(failures[: 5 * ROLLOUTS])
    assert statistics.fmean(failures) < 0.01
    tools = {name for sample in samples for name in sample["shown"]}
    assert tools >= {"move_container", "free_crane"}
    assert not [key for step in steps for key in step if key in {f"tools/{name}/failure_total" for name in tools}]


def test_a_rollout_makes_at_least_the_two_calls_the_task_needs(learning: Run) -> None:
    """On the whole; one that makes none is the model's choice."""
    assert statistics.fmean(sample.get("tools/call_frequency", 0.0) for sample in learning.results["samples"]) >= 2


def test_adapters_are_synced_and_gradients_flow(learning: Run, server: Server) -> None:
    steps = learning.results["steps"]
    assert f"trl-policy-v{STEPS + 1}" in server.adapters()
    assert {sample["version"] for sample in learning.results["samples"]} > {1}
    assert any(step["grad_norm"] > 0 for step in steps)
    assert any(sample["advantage"] for sample in learning.results["samples"])


def test_it_learns(learning: Run) -> None:
    """The mean reward of the last fifth of the steps is above that of the first."""
    first, last = fifths(learning.results["steps"])
    assert last - first >= LEARNT


def test_nothing_is_left(learning: Run, port: Port) -> None:
    assert not learning.left
    status: dict[str, Any] = port.wait_live("dock", 0)
    assert status["sessions"]["peak"] >= 32
