"""AsyncGRPO's rollouts in Ray actors, in a training: wired, resumed, failing, killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from scripted.callbacks import AfterStep
from scripted.rays import ROWS, a_small_ray
from scripted.trainer import make_trainer
from scripted.watching import descendants, is_gone, wait_until

import envpickle_ray
import envpickle_trl
from benchmarks.portsim.launch import Port
from envpickle_ray.errors import RolloutArgumentsRefused, RolloutWorkerStopped
from envpickle_trl.errors import WiringError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    with a_small_ray():
        yield


class Watched:
    """A queue that remembers the places of what was read from it."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue
        self.rows: dict[int, str] = {}

    def get(self, *args: Any, **kwargs: Any) -> Any:
        sample = self._queue.get(*args, **kwargs)
        self.rows[sample.group_id] = sample.prompt[-1]["content"].partition(".")[0]
        return sample

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)


def test_training_is_saved_and_resumed(cluster: None, tiny_model: Path, model: Any, port: Port, tmp_path: Path) -> None:
    """What was trained on is not played again: the second run begins with the first prompt that the first did not train on."""
    worker = envpickle_ray.RayRolloutWorker(actors=2)
    saving = {"output_dir": str(tmp_path), "save_strategy": "steps", "save_steps": 3, "max_staleness": 100}
    with envpickle_trl.environment(port.dock_url, name="Dock") as dock:
        pids: list[int] = []
        look = AfterStep(1, lambda control: pids.extend(worker.pids))
        trainer = make_trainer(tiny_model, model.url, dock.factory, rows=ROWS, callbacks=[look], max_steps=3, **saving)
        envpickle_trl.wire(trainer, dock, worker=worker)
        trainer.rollout_queue = first = Watched(trainer.rollout_queue)
        trainer.train()
        assert dock.closed
        assert len(set(pids)) == 2
        assert worker.pids == []
        port.wait_live("dock", 0, seconds=10)
        steps = [entry for entry in trainer.state.log_history if "reward" in entry]
        assert len(steps) == 3
        assert sum(entry.get("tools/send_ship_off/call_total", 0) for entry in steps) > 0
        with pytest.raises(RolloutWorkerStopped, match="make another one"):
            trainer.train()
    checkpoint = tmp_path / "checkpoint-3"
    begin = json.loads((checkpoint / "rollout_state.json").read_text())["prompt_index"]
    assert begin > 0
    assert set(range(begin)) <= set(first.rows)

    with envpickle_trl.environment(port.dock_url, name="Dock") as dock:
        trainer = make_trainer(tiny_model, model.url, dock.factory, rows=ROWS, max_steps=6, **saving)
        envpickle_trl.wire(trainer, dock, worker=envpickle_ray.RayRolloutWorker(actors=2))
        trainer.rollout_queue = watched = Watched(trainer.rollout_queue)
        trainer.train(resume_from_checkpoint=str(checkpoint))
    assert watched.rows
    assert all(row == f"Row {(begin + place) % len(ROWS)}" for place, row in watched.rows.items())


def test_trainer_that_is_killed_leaves_nothing(tiny_model: Path, model: Any, port: Port) -> None:
    """No session and no actor. Of the Ray that the worker had started, agents may outlive it for a while: Ray's own affair."""
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "RAY_ADDRESS": "local", "RAY_AUTH_MODE": "disabled"}
    trainer = subprocess.Popen(
        [sys.executable, "-m", "scripted.run_on_ray", str(tiny_model), model.url, port.dock_url],
        env=surroundings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    below: list[int] = []
    try:
        port.wait_for("dock", lambda status: status["tool_calls"] > 0 and status["sessions"]["live"] > 2, seconds=200)
        below = descendants(trainer.pid)
        actors = [pid for pid in below if _is_an_actor(pid)]
        assert len(actors) == 2
        trainer.send_signal(signal.SIGKILL)
        trainer.wait()
        port.wait_live("dock", 0, seconds=10)
        wait_until(lambda: all(map(is_gone, actors)), "the actors' end", 60)
    finally:
        trainer.kill()
        trainer.wait()
        for pid in below:
            with contextlib.suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()


def _is_an_actor(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return "RolloutActor" in " ".join(psutil.Process(pid).cmdline())
    return False


def test_worker_in_the_wrong_place(tiny_model: Path, model: Any, port: Port) -> None:
    """Each is refused where it is handed over."""
    with envpickle_trl.environment(port.dock_url, name="Dock") as dock:
        trainer = make_trainer(tiny_model, model.url, dock.factory)
        with pytest.raises(WiringError, match="cannot take over"):
            envpickle_trl.wire(trainer, dock, worker=object())  # type: ignore[arg-type]
        told = envpickle_ray.RayRolloutWorker(2, model_name="scripted")
        with pytest.raises(RolloutArgumentsRefused, match="arguments already"):
            envpickle_trl.wire(trainer, dock, worker=told)
        with pytest.raises(RolloutArgumentsRefused, match="not told what to play"):
            envpickle_ray.RayRolloutWorker(2).start()
        with pytest.raises(RolloutArgumentsRefused, match="actors is 0"):
            envpickle_ray.RayRolloutWorker(0)
