"""`wire`: what it takes, what it refuses before anything is spawned, and what it leaves open for a GRPOTrainer."""

import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
from scripted.endings import live_on
from scripted.trainer import PROMPT, make_trainer

import envpickle_trl
from benchmarks.portsim.launch import Port
from envpickle import errors as core
from envpickle_openenv.errors import EnvironmentClosed
from envpickle_trl.errors import CrossingRefused, WiringError
from envpickle_trl.rollout_end import RolloutEnd
from envpickle_trl.trainers import given

pytestmark = pytest.mark.timeout(300)


def rated(completions: list[Any], **kwargs: Any) -> list[float]:
    return [0.0] * len(completions)


def grpo_trainer(model: Path, factory: Any, **options: Any) -> Any:
    """A GRPOTrainer that generates by transformers and steps twice."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    settings = {
        "output_dir": str(model / "out-grpo"),
        "max_steps": 1,
        "per_device_train_batch_size": 2,
        "per_device_eval_batch_size": 2,
        "num_generations": 2,
        "num_generations_eval": 1,
        "max_completion_length": 4,
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "report_to": [],
        "save_strategy": "no",
        "disable_tqdm": True,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    rows = Dataset.from_list([{"prompt": PROMPT, "seed": seed} for seed in range(2)])
    return GRPOTrainer(
        model=str(model),
        args=GRPOConfig(**{**settings, **options}),
        train_dataset=rows,
        eval_dataset=rows,
        environment_factory=factory,
    )


def test_everything_that_would_not_cross_is_told_before_anything_is_spawned(tiny_model: Path, port: Port) -> None:
    """Part by part, all faults at once, with the path to the culprit."""
    lock = threading.Lock()

    def locked(completions: list[Any], **kwargs: Any) -> list[float]:
        with lock:
            return [0.0] * len(completions)

    def look(place: str) -> str:
        """Look somewhere.

        Args:
            place: Where.
        """
        return place

    with envpickle_trl.environment(port.dock_url, name="Dock") as env:
        trainer = make_trainer(tiny_model, "http://127.0.0.1:9", env.factory, reward_funcs=[rated, locked], tools=[look])
        with pytest.raises(CrossingRefused, match="not get there") as refused:
            envpickle_trl.wire(trainer, env)
        assert not isinstance(trainer.rollout_worker, RolloutEnd)
    assert sorted(subject.partition("]")[0] for subject in refused.value.subjects) == ["reward_funcs[1", "tools[0"]
    assert "lock" in str(refused.value)
    assert pickle.loads(pickle.dumps(refused.value)).subjects == refused.value.subjects


def test_async_trainer_is_given_a_worker_that_shares_everything(tiny_model: Path, port: Port) -> None:
    """The trainer's own worker stays what TRL takes it for; wiring twice adds owners, and nothing else."""
    from trl.experimental.async_grpo.async_rollout_worker import AsyncRolloutWorker

    with envpickle_trl.environment(port.dock_url, name="Dock") as env, envpickle_trl.environment(port.pantry_url) as other:
        trainer = make_trainer(tiny_model, "http://127.0.0.1:9", env.factory)
        before = trainer.rollout_worker
        envpickle_trl.wire(trainer, env)
        worker = trainer.rollout_worker
        assert isinstance(worker, AsyncRolloutWorker)
        assert vars(worker) is vars(before)
        envpickle_trl.wire(trainer, other, close="at_exit")
        assert trainer.rollout_worker is worker
        worker.stop()
        assert env.closed
        assert not other.closed
        told = given(trainer)
        assert told["environment_factory"] is env.factory
        assert (told["asynchronous"], told["model"], told["peft_config"]) == (True, str(tiny_model), None)


def test_what_is_no_trainer_or_no_owner_is_refused(tiny_model: Path, port: Port) -> None:
    with envpickle_trl.environment(port.dock_url, name="Dock") as env:
        with pytest.raises(WiringError, match="not the class AgentEnv"):
            envpickle_trl.wire(type(env), env)
        trainer = grpo_trainer(tiny_model, env.factory)
        with pytest.raises(WiringError, match="give the AgentEnv"):
            envpickle_trl.wire(trainer, env.factory)  # type: ignore[arg-type]
        with pytest.raises(WiringError, match="'after_training' or 'at_exit'"):
            envpickle_trl.wire(trainer, env, close="never")  # type: ignore[arg-type]
    with pytest.raises(WiringError, match="closed already"):
        envpickle_trl.wire(trainer, env)


def test_grpo_evaluates_and_trains_again_and_closes_with_the_block(tiny_model: Path, port: Port) -> None:
    """Nothing is closed between; when the block is left, no session is live."""
    with envpickle_trl.environment(port.dock_url, name="Dock") as env:
        trainer = grpo_trainer(tiny_model, env.factory)
        told = given(trainer)
        assert (told["environment_factory"], told["reward_funcs"], told["asynchronous"]) == (env.factory, [], False)
        with envpickle_trl.wire(trainer, env):
            trainer.train()
            played = port.status()["dock"]["resets"]
            trainer.evaluate()
            assert port.status()["dock"]["resets"] == played + 2
            trainer.train()
            assert port.status()["dock"]["resets"] == played + 4
            assert live_on(port) > 0
        assert env.closed
    port.wait_live("dock", 0)


def test_grpo_closes_after_training_where_that_is_asked_for(tiny_model: Path, port: Port) -> None:
    """Then it can neither evaluate nor make another instance, and says so."""
    with envpickle_trl.environment(port.dock_url, name="Dock") as env:
        trainer = grpo_trainer(tiny_model, env.factory)
        envpickle_trl.wire(trainer, env, close="after_training")
        trainer.train()
        port.wait_live("dock", 0)
        assert env.closed
        with pytest.raises(EnvironmentClosed):
            trainer.evaluate()
        with pytest.raises(core.OwnerClosed):
            env.factory()


def test_grpo_that_fails_closes_with_the_block(tiny_model: Path, port: Port) -> None:
    from scripted.callbacks import AfterStep

    live: list[int] = []

    def fail(control: Any) -> None:
        live.append(live_on(port))
        raise FloatingPointError("the loss is no number")

    with envpickle_trl.environment(port.dock_url, name="Dock") as env:
        trainer = grpo_trainer(tiny_model, env.factory)
        trainer.add_callback(AfterStep(1, fail))
        with pytest.raises(FloatingPointError), envpickle_trl.wire(trainer, env):
            trainer.train()
    assert live[0] > 0
    port.wait_live("dock", 0)
