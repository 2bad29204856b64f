"""The errors of rollouts in Ray actors: each is raised by what it is for, tells all four parts, and is pickled whole."""

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import ray
from voyage import telling

from envpickle_ray import RayRolloutWorker, errors, rollout_actors, rollout_crew, rollout_failures, trl_loop
from envpickle_ray.rollout_ends import Ends
from envpickle_ray.rollout_metrics import as_of_all
from envpickle_ray.rollout_places import Place
from envpickle_ray.rollout_plan import check_sent
from envpickle_ray.rollout_rows import Dispenser


def _ends(rows: int) -> Ends:
    ends = Ends(version=1, now=0.0)
    ends.feed.add([(place, f"row {place}") for place in range(10, 10 + rows)])
    return ends


def _split() -> None:
    async def put() -> None:
        ends = _ends(1)
        next(ends.feed)
        ends.samples.put_nowait(SimpleNamespace(group_id=0))
        await asyncio.sleep(0)
        ends.samples.put_nowait(SimpleNamespace(group_id=0))

    asyncio.run(put())


def _silent() -> None:
    crew = _crew()
    place = crew._places[0]
    place.playing, place.pid, place.heard = True, 7, time.monotonic() - 100
    crew.check(60.0)


def _lost() -> None:
    crew = _crew()
    crew._places[0].deaths = rollout_crew.MOST_DEATHS
    crew._places[0].actor = object()
    crew._replace(crew._places[0], RuntimeError("the node is gone"))


def _late() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray, "is_initialized", lambda: True)
        patch.setattr(ray, "cluster_resources", lambda: {"CPU": 2.0, "node:10.0.0.1": 1.0})
        crew = _crew()
        crew._places[0].since = time.monotonic() - 100
        crew._see_to(crew._places)


def _crew() -> Any:
    plan: Any = SimpleNamespace(actors=1, generations=4, ready_timeout=60.0, ray_options={"num_cpus": 99})
    return rollout_crew.Crew(plan, Dispenser(["row"]), queue.Queue(), queue.Queue(), lambda: 1)


def _failed() -> None:
    raise rollout_failures.failed(7, "no bay is free", ValueError())


def _unsupported() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trl_loop, "NEEDED", ("_no_such_name",))
        RayRolloutWorker()


RAISED: dict[str, tuple[Callable[[], Any], type[BaseException], str]] = {
    "UnsupportedRollouts": (_unsupported, RuntimeError, r"trl 1\.\d+.*_no_such_name"),
    "RolloutArgumentsRefused": (lambda: check_sent(object, {"tools": [threading.Lock()]}), TypeError, "tools.*lock"),
    "RolloutGroupSplit": (_split, RuntimeError, "group 0"),
    "RolloutLoopFailed": (_failed, RuntimeError, "ValueError: no bay is free"),
    "RolloutLoopSilent": (_silent, RuntimeError, "pid 7"),
    "RolloutActorsLate": (_late, TimeoutError, "num_cpus=99.*CPU 2"),
    "RolloutActorsLost": (_lost, RuntimeError, "the node is gone"),
    "RolloutWorkerStopped": (lambda: RayRolloutWorker().check_health(1.0), RuntimeError, "RayRolloutWorker"),
}


@pytest.mark.parametrize("name", RAISED)
def test_each_error_is_raised_told_and_pickled(name: str) -> None:
    with pytest.raises(getattr(errors, name)) as caught:
        RAISED[name][0]()

    assert isinstance(caught.value, RAISED[name][1])
    assert isinstance(caught.value, errors.RayError)
    assert telling.faults(str(caught.value), RAISED[name][2]) == []
    assert telling.changed_by_pickling(caught.value) == []


def test_an_actor_that_is_lost_with_its_cluster_starts_no_other() -> None:
    """Ray connects by itself when it is asked for anything."""
    with pytest.raises(errors.RolloutActorsLost):
        _lost()
    assert not ray.is_initialized()


@pytest.mark.parametrize(("moment", "asked"), [("before", 0), ("in a wait", 1), ("with an exit", 1)])
def test_ray_that_is_shut_down_meanwhile(moment: str, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other is started; Ray's own SystemExit, by which it ends a thread that awaits something, does not end the trainer."""
    there = [moment != "before"]
    waits: list[Any] = []

    def wait(answers: list[Any], **options: Any) -> tuple[list[Any], list[Any]]:
        waits.append(answers)
        there[0] = False
        if moment == "with an exit":
            raise SystemExit(0)
        return [], answers

    monkeypatch.setattr(ray, "wait", wait)
    monkeypatch.setattr(ray, "is_initialized", lambda: there[0])
    crew = _crew()
    monkeypatch.setattr(crew, "_fill", lambda place: None)
    crew.begin()
    crew.ready.wait()
    with pytest.raises(errors.RolloutActorsLost, match="shut down") as lost:
        crew.check(60.0)
    assert lost.value.times == 0
    assert len(waits) == asked


def test_actors_of_an_earlier_ray_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Ray was shut down in the middle and connected again, the end of the run does not fail for them."""

    def remote(seconds: float) -> None:
        raise ray.exceptions.ActorHandleNotFoundError("of another session")

    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    monkeypatch.setattr(ray, "kill", remote)
    crew = _crew()
    place = crew._places[0]
    for place.playing in (True, False):
        place.actor = SimpleNamespace(finish=SimpleNamespace(remote=remote))
        crew.stop(0.1)
        crew.kill(0.1)
        assert place.actor is None


def test_groups_are_told_apart_without_a_pause() -> None:
    """Also where the event loop runs nothing between the last sample of one and the first of the next; a full box says so."""

    async def put() -> Ends:
        ends = _ends(3)
        assert [next(ends.feed) for _ in range(3)] == ["row 10", "row 11", "row 12"]
        ends.samples.room = 2
        for group in (0, 0, 2, 2, 2):
            ends.samples.put_nowait(SimpleNamespace(group_id=group))
        await asyncio.sleep(0)
        with pytest.raises(queue.Full):
            ends.samples.put_nowait(SimpleNamespace(group_id=1))
        return ends

    ends = asyncio.run(put())
    assert [[sample.group_id for sample in group] for group in ends.samples.take(9)] == [[10, 10], [12, 12, 12]]
    assert ends.heartbeat.value > 0


def test_a_group_that_is_left_out_is_told_of() -> None:
    class Loop:
        async def _score_group(self, group: Any) -> Any:
            return group.samples

    ends = _ends(2)
    assert [next(ends.feed), next(ends.feed)] == ["row 10", "row 11"]
    loop = trl_loop._telling(Loop, ends.samples.drop)()
    for group, samples in ((0, ["a sample"]), (1, []), (7, [])):  # the last is one of those that a loop begins while it ends
        assert asyncio.run(loop._score_group(SimpleNamespace(group_id=group, samples=samples))) == samples
    assert ends.samples.take_dropped() == [11]
    assert ends.samples.take_dropped() == []
    assert [ends.feed.place_of(group) for group in (0, 1)] == [10, None]
    assert trl_loop._telling(object, ends.samples.drop) is object  # a TRL that has no such name


def test_a_loop_that_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an exception, and without having been told to: nothing more can come of it, and nobody waits for that."""
    monkeypatch.setattr(rollout_actors, "run_loop", lambda loop, arguments, ends: None)
    actor = rollout_actors.RolloutActor()
    actor.begin(object, {}, 1)
    actor._thread.join()
    report = actor.exchange([], 1, 1, 0.0)
    assert report.failure == "it returned, though nobody had told it to stop"
    assert not report.playing


def test_an_actor_that_is_late_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as somebody plays, one that was started is replaced, and one that Ray has no room for is waited for."""
    crew = _crew()
    crew._places += [Place(), Place()]
    playing, started, waiting = crew._places
    playing.playing, started.pid = True, 7
    started.since = waiting.since = time.monotonic() - 100
    replaced: list[Any] = []
    monkeypatch.setattr(crew, "_replace", lambda place, why: replaced.append(place))
    with pytest.raises(errors.RolloutActorsLate, match=r"^2 of"):  # all that do not play, also those asked for a moment later
        crew._see_to([started])
    with pytest.raises(errors.RolloutActorsLate):
        crew._see_to([started, waiting])  # before all have played once, the run does not begin without them
    crew.ready.set()
    crew._see_to([started, waiting])
    assert replaced == [started]
    assert waiting.since > time.monotonic() - 50


def test_an_end_that_is_interrupted_comes_to_its_end() -> None:
    """Ctrl-C while an owner is closed: the others are closed too, the actors are killed, and what was begun is left."""
    done: list[str] = []

    def interrupted() -> None:
        raise KeyboardInterrupt

    worker: Any = RayRolloutWorker()
    worker._crew = SimpleNamespace(stop=lambda seconds: done.append("stop"), kill=lambda seconds: done.append("kill"))
    worker._disconnect = lambda: done.append("disconnect")
    worker.afterwards += [lambda: done.append("first"), interrupted, lambda: done.append("last")]
    with pytest.raises(KeyboardInterrupt):
        worker.stop()
    assert done == ["stop", "first", "last", "kill", "disconnect"]


@pytest.mark.parametrize("options", [{"name": "mine"}, {"lifetime": "detached", "num_cpus": 1}, {"max_restarts": 1}])
def test_options_that_are_not_the_readers(options: dict[str, Any]) -> None:
    with pytest.raises(errors.RolloutArgumentsRefused, match=next(iter(options))) as refused:
        RayRolloutWorker(ray_options=options)
    assert refused.value.argument == "ray_options"


def test_how_many_groups_are_asked_for() -> None:
    """All actors together are asked for as many as there is room for, and for one group too many each at most."""
    crew = rollout_crew.Crew(_crew()._plan, Dispenser(["row"]), samples := queue.Queue(16), queue.Queue(), lambda: 1)
    crew._plan.actors = 2
    rooms = []
    for _ in range(17):
        rooms.append(crew._room())
        with contextlib.suppress(queue.Full):
            samples.put_nowait("sample")
    assert rooms == [2] * 8 + [1] * 8 + [0]
    crew._samples = queue.Queue()
    assert crew._room() == rollout_crew.MOST_GROUPS


def test_how_many_samples_may_wait() -> None:
    """What the worker was told counts, else what the trainer's own was."""
    trainers: Any = SimpleNamespace(_loop_cls=object, _loop_kwargs={"queue_maxsize": 32})
    for given, expected in ((None, 32), (5, 5), (0, 0)):
        worker = RayRolloutWorker(queue_maxsize=given)
        worker.take_over(trainers)
        assert worker.rollout_buffer.maxsize == expected


def test_metrics_of_several_loops() -> None:
    """What the trainer makes of them is what one loop would have said."""
    of_one = {"rollout/inflight": 4.0, "rollout/generated_tok_s": (100.0, 2.0), "env/reset_s": (3.0, 6)}
    assert as_of_all(of_one, 2) == {"rollout/inflight": 8.0, "rollout/generated_tok_s": (100.0, 1.0), "env/reset_s": (3.0, 6)}
