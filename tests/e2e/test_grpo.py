"""GRPO in one process: the class that crosses into AsyncGRPO's rollout process is as good where nothing has to cross."""

import math
from collections.abc import Callable

import pytest
from workshop.runs import Run

from benchmarks.portsim.launch import Port


@pytest.fixture(scope="module")
def trained(train: Callable[..., Run]) -> Run:
    """Two steps of 16 rollouts and an evaluation of 18."""
    run = train("grpo_dock.py")
    assert run.status == 0, run.text[-8000:]
    return run


def test_fifty_rollouts_are_all_scored(trained: Run) -> None:
    rewards = trained.results["rewards"]
    assert len(rewards) == 50
    assert not [reward for reward in rewards if reward is None or not math.isfinite(reward)]
    assert len(set(rewards)) > 1


def test_the_log_has_the_environments_reward(trained: Run) -> None:
    entries = trained.results["steps"]
    steps = [entry["rewards/Dock/mean"] for entry in entries if "reward" in entry]
    evaluations = [entry["eval_rewards/Dock/mean"] for entry in entries if "eval_reward" in entry]
    assert (len(steps), len(evaluations)) == (2, 1)
    assert all(math.isfinite(reward) for reward in steps + evaluations)


def test_the_class_was_never_pickled(trained: Run) -> None:
    assert trained.results["counted"] >= 1  # one that was pickled on purpose is counted
    assert trained.results["pickled"] == 0


def test_no_session_is_live_afterwards(trained: Run, port: Port) -> None:
    assert trained.results["live"] >= 16  # while it was wired
    assert not trained.left
    port.wait_live("dock", 0)
