"""How runs end: on their own, by an error, an interrupt, a call that takes long, a queue that nobody reads, a dead process.

The trainer is TRL's own, in this process, with the rollout process it spawns; a scripted server stands for the model.
"""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted.endings import Run, Table
from scripted.server import ScriptedServer
from scripted.watching import wait_until

from benchmarks.portsim.launch import Port
from envpickle_trl.errors import AlreadyTrained, RolloutProcessDied

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
]  # a rollout process takes ten seconds to import what it needs, more on a loaded machine


@pytest.fixture
def run(tiny_model: Path, model: ScriptedServer, port: Port) -> Iterator[Callable[..., Run]]:
    made: list[Run] = []

    def make(happens: Callable[[Run, Any], None] | None = None, **options: Any) -> Run:
        made.append(Run(tiny_model, model.url, port, happens, **options))
        return made[-1]

    yield make
    for one in made:
        one.env.close()


def test_normal_end(run: Callable[..., Run], endings: Table) -> None:
    """The process leaves by itself, though it plays to the last; the owner is closed, and a second train() is refused."""
    one = run(at=2, max_steps=2)
    assert one.train() is None
    assert one.left_nothing_unread()
    assert one.env.closed
    endings.add("normal end", one.watch, one.seconds, "the run's result")

    with pytest.raises(AlreadyTrained, match="make another one"):
        one.trainer.train()


def test_exception_in_the_trainer(run: Callable[..., Run], endings: Table) -> None:
    def fail(one: Run, control: Any) -> None:
        one.begin()
        raise FloatingPointError("the loss is no number")

    one = run(fail)
    raised = one.train()
    assert isinstance(raised, FloatingPointError)
    assert one.env.closed
    endings.add("exception in the trainer", one.watch, one.seconds, "that exception")


def test_interrupt_of_the_trainer_alone(run: Callable[..., Run], endings: Table) -> None:
    """As a notebook interrupts its kernel: the rollout process hears nothing of it."""

    def interrupt(one: Run, control: Any) -> None:
        one.begin()
        signal.raise_signal(signal.SIGINT)

    one = run(interrupt)
    assert isinstance(one.train(), KeyboardInterrupt)
    assert one.env.closed
    endings.add("`KeyboardInterrupt`, of the trainer alone", one.watch, one.seconds, "`KeyboardInterrupt`")


def test_tool_call_of_20_seconds_in_flight(run: Callable[..., Run], port: Port, endings: Table) -> None:
    """TRL terminates the process after 15 seconds; on its way out that closes what it holds."""

    def stop(one: Run, control: Any) -> None:
        before = port.configure("dock", tool_seconds=20.0)["tool_calls"]
        wait_until(lambda: port.status()["dock"]["tool_calls"] > before, "a tool call in flight")
        one.begin()
        control.should_training_stop = True

    one = run(stop)
    assert one.train() is None
    assert one.child.exitcode == -signal.SIGTERM
    endings.add("a tool call of 20 s in flight at stop", one.watch, one.seconds, "the run's result, after TRL's 15 s")


def test_queue_full(run: Callable[..., Run], endings: Table) -> None:
    """Samples nobody reads do not keep the process: it need not be terminated."""

    def stop(one: Run, control: Any) -> None:
        wait_until(one.trainer.rollout_worker.rollout_buffer.full, "a full queue")
        one.begin()
        control.should_training_stop = True

    one = run(stop, queue_maxsize=64, max_inflight_tasks=32)
    assert one.train() is None
    assert one.left_nothing_unread()
    endings.add("the sample queue full at stop", one.watch, one.seconds, "the run's result")


def test_reset_fails_for_ever(run: Callable[..., Run], port: Port, endings: Table) -> None:
    """The run ends with the exception that ended its process, within 30 seconds."""

    def break_resets(one: Run, control: Any) -> None:
        port.configure("dock", fail_resets=-1)
        one.begin()

    one = run(break_resets, max_steps=1_000_000)
    raised = one.train()
    assert isinstance(raised, RolloutProcessDied)
    assert "ServerRefused" in str(raised)
    assert "would not begin an episode" in str(raised.__cause__)
    assert one.seconds < 30
    endings.add(
        "`reset` failing for ever", one.watch, one.seconds, f"`{type(raised).__name__}`: the server's own refusal as its cause"
    )


def test_rollout_process_killed(run: Callable[..., Run], endings: Table) -> None:
    """In the middle of what it was sending: the run ends with its exit code, within 30 seconds."""

    def kill(one: Run, control: Any) -> None:
        wait_until(one.trainer.rollout_worker.rollout_buffer.full, "a full queue")
        one.begin()
        os.kill(one.child.pid, signal.SIGKILL)

    one = run(kill, max_steps=1_000_000, queue_maxsize=64, max_inflight_tasks=32)
    raised = one.train()
    assert isinstance(raised, RolloutProcessDied)
    assert raised.exitcode == -signal.SIGKILL
    assert "SIGKILL" in str(raised)
    assert one.seconds < 30
    endings.add("rollout process SIGKILL", one.watch, one.seconds, f"`{type(raised).__name__}`: killed by SIGKILL")
