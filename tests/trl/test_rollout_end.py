"""A rollout process that is killed: what TRL does by itself, and how the worker behaves that ends with its process."""

import os
import pickle
import queue
import signal
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from scripted.worker import working

import envpickle_trl
from benchmarks.portsim.launch import Port
from envpickle_trl.errors import RolloutProcessDied
from envpickle_trl.rollout_end import ending_with_its_process

STILL = 3.0  # seconds after which something that should be over at once counts as hanging


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


def test_worker_of_another_make_is_left_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    other = SimpleNamespace(rollout_buffer=queue.Queue())
    assert ending_with_its_process(other) is other
    assert "that dies may hang the run" in caplog.text
