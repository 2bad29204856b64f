"""The errors of rollouts in Ray actors: each is raised by what it is for, tells all four parts, and is pickled whole."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import ray
from voyage import telling

from envpickle_ray import RayRolloutWorker, errors, rollout_crew, trl_loop
from envpickle_ray.rollout_ends import Ends
from envpickle_ray.rollout_metrics import as_of_all
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


def _crew() -> Any:
    plan: Any = SimpleNamespace(actors=1, generations=4)
    return rollout_crew.Crew(plan, Dispenser(["row"]), queue.Queue(), queue.Queue(), lambda: 1)


def _failed() -> None:
    raise rollout_crew._failed(_crew()._places[0], "no bay is free", ValueError())


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


def test_rows_given_back_come_first() -> None:
    rows = Dispenser(["a", "b", "c"])
    taken = [rows.take() for _ in range(5)]
    assert taken == [(0, "a"), (1, "b"), (2, "c"), (3, "a"), (4, "b")]
    rows.give_back([taken[3], taken[1]])
    assert [rows.take() for _ in range(3)] == [(1, "b"), (3, "a"), (5, "c")]
    with pytest.raises(errors.RolloutArgumentsRefused, match="no rows"):
        Dispenser([]).take()


def test_metrics_of_several_loops() -> None:
    """What the trainer makes of them is what one loop would have said."""
    of_one = {"rollout/inflight": 4.0, "rollout/generated_tok_s": (100.0, 2.0), "env/reset_s": (3.0, 6)}
    assert as_of_all(of_one, 2) == {"rollout/inflight": 8.0, "rollout/generated_tok_s": (100.0, 1.0), "env/reset_s": (3.0, 6)}
