"""AsyncGRPO's rollouts in Ray actors: TRL's own loop in real actors, fed and read without a trainer; see also the training."""

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import ray
from scripted.dying import Deadly, blocks, hangs, leaving_out
from scripted.rays import ROWS, Reader, a_small_ray, make_worker, metrics_of
from scripted.watching import is_gone, wait_until

import envpickle_trl
from benchmarks.portsim.launch import Port
from envpickle_ray import rollout_crew, rollouts
from envpickle_ray.errors import (
    RolloutActorsLate,
    RolloutActorsLost,
    RolloutLoopFailed,
    RolloutLoopSilent,
    RolloutWorkerStopped,
)
from envpickle_ray.rollout_rows import Dispenser

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

GENERATIONS = 4


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with a_small_ray():
        yield


@pytest.fixture
def make(port: Port, tokenizer: Any, model: Any) -> Iterator[Callable[..., Any]]:
    """Makes workers on the dock, not started; stops them in the end, and closes the dock."""
    made: list[Any] = []
    with envpickle_trl.environment(port.dock_url, name="Dock") as dock:

        def make(factory: Any = None, **options: Any) -> Any:
            made.append(make_worker(factory or dock.factory, tokenizer=tokenizer, url=model.url, **options))
            return made[-1]

        yield make
        for worker in made:
            worker.stop()
    port.wait_live("dock", 0, seconds=10)


def _is_the_row(sample: Any, place: int) -> bool:
    return str(sample.prompt[-1]["content"]).startswith(f"Row {place % len(ROWS)}.")


def test_every_prompt_comes_once_though_an_actor_is_killed(make: Callable[..., Any], port: Port) -> None:
    """A SIGKILL in the middle of its rollouts: nobody hangs, and each prompt comes exactly once, in one whole group."""
    worker = make()
    worker.start()
    worker.start()  # of no effect
    before = worker.pids
    assert len(set(before)) == 2
    reader = Reader(worker)
    reader.read(GENERATIONS * 12)  # so many that either actor has delivered some, which must not come again
    assert "ray/actors_lost_total" not in metrics_of(worker)

    port.configure("dock", tool_seconds=0.5)  # so that it has something in its hands
    calls = port.status()["dock"]["tool_calls"]
    wait_until(lambda: port.status()["dock"]["tool_calls"] > calls, "a tool call")
    os.kill(before[0], signal.SIGKILL)
    wait_until(lambda: is_gone(before[0]), "its end")
    port.configure("dock", tool_seconds=0.0)
    found: dict[str, list[Any]] = {}
    while "ray/actors_lost_total" not in found:
        reader.read()
        found.update(metrics_of(worker))
    assert found["ray/actors_lost_total"] == [1.0]
    (rollouts_lost,) = found["ray/rollouts_lost_total"]
    assert rollouts_lost % GENERATIONS == 0  # of what it was last heard to have begun; maybe nothing
    while before[0] in worker.pids or len(worker.pids) < 2:
        reader.read()
    reader.read_through(max(reader.groups) + 10)

    assert reader.counts() == {GENERATIONS}
    assert all(_is_the_row(sample, place) for place, samples in reader.groups.items() for sample in samples)
    worker.check_health(60.0)


def test_version_start_metrics_and_a_second_start(make: Callable[..., Any], port: Port) -> None:
    """What the trainer tells the worker reaches every actor; it ends with nothing left, and may be started again."""
    worker = make(dataset_start_index=len(ROWS) + 3, log_completions=False)
    worker.update_model_version(3)
    with pytest.raises(RolloutWorkerStopped):
        worker.check_health(60.0)
    worker.start()
    reader = Reader(worker)
    first = reader.read()
    assert first.model_version == 3
    assert _is_the_row(first, first.group_id + 3)
    worker.update_model_version(8)
    assert worker.model_version == 8
    while (sample := reader.read()).model_version != 8:
        assert sample.model_version == 3
    found = metrics_of(worker)
    rates = found["env/reset_s"]
    assert sum(number for _, number in rates) >= len(reader.groups) * GENERATIONS
    assert 2 <= max(found["rollout/inflight"]) <= 8  # of both actors, as one would say
    assert sum(found["tools/send_ship_off/call_total"]) > 0

    pids = worker.pids
    worker.stop()
    wait_until(lambda: all(map(is_gone, pids)), "the actors' end")
    port.wait_live("dock", 0, seconds=10)
    with pytest.raises(RolloutWorkerStopped, match="not running"):
        worker.rollout_buffer.get(timeout=60)
    worker.stop()

    worker.start()
    again = Reader(worker)
    again.read_through(3)
    assert again.counts() == {GENERATIONS}
    assert again.groups[0][0].model_version == 8


def test_nobody_reads(make: Callable[..., Any], model: Any) -> None:
    """Production stops while the samples wait, and goes on when they are read."""
    worker = make(queue_maxsize=8)
    worker.start()
    served = [-1]

    def at_rest() -> bool:
        time.sleep(3.0)
        served.append(model.served)
        return served[-1] == served[-2] > 0

    wait_until(at_rest, "that nothing is asked of the model any more")
    assert worker.rollout_buffer.qsize() == 8
    worker.check_health(2.0)  # waiting is no hanging
    reader = Reader(worker)
    reader.read_through(40)
    assert reader.counts() == {GENERATIONS}
    assert model.served > served[-1]


def test_groups_without_a_sample(make: Callable[..., Any]) -> None:
    """TRL leaves a group out if no token of it can be trained on: it is played once, and neither waited for nor kept."""
    worker = make()
    worker._loop = leaving_out(worker._loop, "Row 3.")
    worker.start()
    reader = Reader(worker)
    while len(reader.groups) < 18:
        reader.read()
    reader.read(GENERATIONS - 1)  # the rest of the last one
    assert not any(place % len(ROWS) == 3 for place in reader.groups)
    assert reader.counts() == {GENERATIONS}
    assert not any(3 in place.given or 10 in place.given for place in worker._crew._places)


def test_loop_that_fails(make: Callable[..., Any], port: Port) -> None:
    """As with TRL: its own exception ends the run. It is no dead actor, which would be replaced."""
    worker = make()
    worker.start()
    port.configure("dock", fail_resets=-1)
    with pytest.raises(RolloutLoopFailed, match="would not begin an episode") as failed:
        Reader(worker).read(10_000)
    assert "ServerRefused" in str(failed.value.__cause__)
    assert "Traceback" in str(failed.value.__cause__)
    with pytest.raises(RolloutLoopFailed):
        worker.check_health(60.0)


def test_loop_that_cannot_be_made(make: Callable[..., Any]) -> None:
    worker = make(object)
    with pytest.raises(RolloutLoopFailed, match="must define a callable `reset`"):
        worker.start()
    assert worker.pids == []


def test_loop_that_hangs(make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts, "GRACE", 2.0)
    worker = make(reward_funcs=[blocks], actors=1)
    worker.start()
    (pid,) = worker.pids

    def for_long() -> bool:
        try:
            worker.check_health(2.0)
        except RolloutLoopSilent:
            return True
        return False

    wait_until(for_long, "its silence")
    with pytest.raises(RolloutLoopSilent, match="silent") as silent:
        worker.check_health(2.0)
    assert silent.value.pid == pid
    worker.check_health(300.0)
    worker.stop()
    wait_until(lambda: is_gone(pid), "its end", 30)


def test_reward_that_hangs(make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """In a thread: the loop lives and is healthy. Python would wait at its end for that thread, and Ray for nothing more."""
    monkeypatch.setattr(rollouts, "GRACE", 1.0)
    worker = make(reward_funcs=[hangs], actors=1)
    worker.start()
    (pid,) = worker.pids
    with pytest.raises(queue.Empty):
        worker.rollout_buffer.get(timeout=5)
    worker.check_health(60.0)
    worker.stop()
    wait_until(lambda: is_gone(pid), "its end", 60)


def test_actor_that_dies_at_every_start(make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollout_crew, "MOST_DEATHS", 1)
    worker = make(Deadly, actors=1)
    with pytest.raises(RolloutActorsLost, match="died 2 times in a row") as lost:
        worker.start()
    assert lost.value.times == 2
    assert worker.pids == []


def test_a_place_that_ray_cannot_fill(make: Callable[..., Any]) -> None:
    """No prompt waits for an actor that is not there: the others play all of them."""
    worker = make()
    worker.start()
    before = worker.pids
    reader = Reader(worker)
    reader.read(GENERATIONS * 4)
    worker.ray_options["num_cpus"] = 99  # of which there are two
    os.kill(before[0], signal.SIGKILL)
    wait_until(lambda: worker.pids == before[1:], "that it is missed")
    reader.read_through(max(reader.groups) + 20)
    assert reader.counts() == {GENERATIONS}
    assert worker.pids == before[1:]
    worker.check_health(60.0)


def test_ray_has_no_room(make: Callable[..., Any]) -> None:
    """It is said once the time for it has passed, with what was asked and what there is."""
    worker = make(ray_options={"num_cpus": 99}, child_ready_timeout=3)
    with pytest.raises(RolloutActorsLate, match=r"2 of 2 actors .* after 3 s.*num_cpus=99.*CPU 2") as late:
        worker.start()
    assert late.value.seconds == 3
    assert worker.pids == []


def test_stop_while_it_starts(make: Callable[..., Any]) -> None:
    """By another thread: nobody waits on for actors that will not play."""
    worker = make(ray_options={"num_cpus": 99})  # so that it does start for as long as it may

    def stop() -> None:
        wait_until(lambda: worker._crew is not None, "its start")
        worker.stop()

    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(RolloutWorkerStopped):
        worker.start()
    stopping.join()
    assert worker.pids == []


@ray.remote(num_cpus=0)
class Owning:
    """Owns what it puts into Ray's object store."""

    def put(self) -> list[Any]:
        """A reference of its own."""
        return [ray.put(b"an answer")]


def test_an_answer_that_is_lost_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray tells of some losses with errors that are no ``RayActorError``."""
    owning = Owning.remote()
    (answer,) = ray.get(owning.put.remote())
    ray.kill(owning)
    plan: Any = SimpleNamespace(actors=1, generations=GENERATIONS)
    crew = rollout_crew.Crew(plan, Dispenser(ROWS), queue.Queue(), metrics := queue.Queue(), lambda: 1)
    filled: list[Any] = []
    monkeypatch.setattr(crew, "_fill", filled.append)
    place = crew._places[0]
    place.actor, place.answer, place.given, place.left = Owning.remote(), answer, {3: ROWS[3], 4: ROWS[4]}, 1

    def lost() -> bool:
        with contextlib.suppress(AttributeError):  # an answer that is there still is no report
            crew._hear(place)
        return bool(filled)

    wait_until(lost, "the loss of the answer")
    assert filled == [place]
    assert place.given == {}
    assert metrics.get_nowait() == {"ray/actors_lost_total": 1.0, "ray/rollouts_lost_total": float(GENERATIONS)}
