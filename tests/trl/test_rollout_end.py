"""A rollout process that is killed: what TRL does by itself, and how the worker behaves that ends with its process."""

import multiprocessing
import os
import pickle
import queue
import signal
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from scripted.dying import holding_locks, in_the_middle_of_a_message
from scripted.worker import working

import envpickle_trl
from benchmarks.portsim.launch import Port
from envpickle_trl.errors import RolloutProcessDied
from envpickle_trl.rollout_end import ending_with_its_process

STILL = 3.0  # seconds after which something that should be over at once counts as hanging


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_trl_by_itself_still_hangs(port: Port, tokenizer: Any, model: Any) -> None:
    """When this fails, TRL has mended its stop(), and `envpickle_trl.rollout_end` can be dropped for that version."""
    with (
        envpickle_trl.environment(port.dock_url, name="Dock") as dock,
        working(dock.factory, tokenizer=tokenizer, model_url=model.url) as worker,
    ):
        worker.samples.get(timeout=60)
        process = worker._process
        os.kill(process.pid, signal.SIGKILL)
        process.join(30)
        with pytest.raises(RolloutProcessDied, match="killed by SIGKILL") as died:
            worker.samples.get(timeout=1)
        assert died.value.exitcode == -signal.SIGKILL
        assert pickle.loads(pickle.dumps(died.value)).exitcode == -signal.SIGKILL
        with pytest.raises(RolloutProcessDied):
            worker.check_health(300.0)

        theirs = threading.Thread(target=worker._stop_event_mp.set, daemon=True)
        theirs.start()
        theirs.join(STILL)
        assert theirs.is_alive()
    assert worker._process is None  # ours came to its end all the same


@pytest.fixture
def idle(tokenizer: Any) -> Any:
    """A real worker whose process is another one, which dies at once; the arguments are what it is told."""
    from accelerate.state import PartialState
    from trl.experimental.async_grpo.async_rollout_worker import AsyncRolloutWorker

    PartialState(cpu=True)
    worker = ending_with_its_process(AsyncRolloutWorker())

    def with_process(dies: Any, *arguments: Any) -> Any:
        worker._process = multiprocessing.get_context("spawn").Process(target=dies, args=arguments)
        worker._heartbeat_value.value = time.time()
        worker._process.start()
        worker.samples.begin()
        worker._process.join(60)
        return worker

    return SimpleNamespace(worker=worker, with_process=with_process)


def test_locks_that_a_dead_process_holds_keep_nobody(idle: Any) -> None:
    values = (idle.worker._heartbeat_value, idle.worker._model_version_value)
    worker = idle.with_process(holding_locks, *values)
    with pytest.raises(RolloutProcessDied, match="exit status 1"):
        worker.check_health(300.0)
    with pytest.raises(RolloutProcessDied):
        worker.update_model_version(2)
    worker.stop()


def test_half_a_message_keeps_nobody(idle: Any) -> None:
    """The thread that reads in the trainer's place has begun with it; the trainer is told."""
    queue_of_it = idle.worker.rollout_buffer
    worker = idle.with_process(in_the_middle_of_a_message, queue_of_it._writer)
    with pytest.raises(RolloutProcessDied, match="exit status 1"):
        worker.samples.get(timeout=5)
    worker.stop()


def test_process_that_hangs_is_reported_as_trl_does(idle: Any) -> None:
    """It lives, and was not heard of for long."""
    worker = idle.worker
    worker._process = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,), daemon=True)
    worker._process.start()
    worker._heartbeat_value.value = time.time()
    worker.check_health(300.0)
    with pytest.raises(RuntimeError, match="stale") as told:
        worker.check_health(-1.0)
    assert not isinstance(told.value, RolloutProcessDied)
    worker._process.kill()
    worker._process.join()
    worker.stop()


def test_worker_of_another_make_is_left_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    other = SimpleNamespace(rollout_buffer=queue.Queue())
    assert ending_with_its_process(other) is other
    assert "that dies may hang the run" in caplog.text
