"""Which rows are played: each once, wherever, and none for ever."""

import contextlib
import queue
from types import SimpleNamespace
from typing import Any

import pytest
from datasets import Dataset, IterableDataset
from scripted.dying import DeadlyAtOneRow
from scripted.rays import a_small_ray, make_worker
from voyage import telling

from envpickle_ray import errors, rollout_crew
from envpickle_ray.rollout_rows import Dispenser


def test_rows_given_back_come_first() -> None:
    rows = Dispenser(["a", "b", "c"])
    taken = [rows.take() for _ in range(5)]
    assert taken == [(0, "a"), (1, "b"), (2, "c"), (3, "a"), (4, "b")]
    rows.give_back([taken[3], taken[1]])
    assert [rows.take() for _ in range(3)] == [(1, "b"), (3, "a"), (5, "c")]
    rows.give_back([taken[3]])
    assert rows.given_back(2) == [3]
    assert rows.take() == taken[3]
    assert rows.given_back(2) == []  # somebody plays it


def test_the_row_that_was_given_back_too_often_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plan: Any = SimpleNamespace(actors=1, generations=4)
    rows = Dispenser(["a", "b", "c"], start=7)
    crew = rollout_crew.Crew(plan, rows, queue.Queue(), queue.Queue(), lambda: 1)
    monkeypatch.setattr(crew, "_fill", lambda place: None)

    def lose() -> None:
        crew._places[0].given, crew._places[0].deaths = dict([rows.take()]), 0  # others were delivered in between
        crew._replace(crew._places[0], RuntimeError("the node is gone"))

    for _ in range(rollout_crew.MOST_LOSSES - 1):
        lose()
    with pytest.raises(errors.RolloutActorsLost) as lost:
        lose()
    assert (lost.value.times, lost.value.prompts) == (rollout_crew.MOST_LOSSES, (7,))
    assert telling.faults(str(lost.value), "row 7 of train_dataset.*the node is gone") == []
    assert telling.changed_by_pickling(lost.value) == []


@pytest.mark.parametrize("dataset", [[], iter(["a"]), Dataset.from_list([])])
@pytest.mark.parametrize("start", [0, 1, 5])
def test_no_rows(dataset: Any, start: int) -> None:
    def take_two() -> None:
        rows = Dispenser(dataset, start)
        rows.take()
        rows.take()

    with pytest.raises(errors.RolloutArgumentsRefused, match="no rows"):
        take_two()


@pytest.mark.parametrize("start", [0, 1, 2, 3, 7])
def test_where_to_begin(start: int) -> None:
    """Any kind of dataset begins with the same row, counted over the epochs."""
    letters = [{"row": letter} for letter in "abc"]
    expected = [letters[(start + place) % 3] for place in range(5)]
    for dataset in (letters, Dataset.from_list(letters), IterableDataset.from_generator(lambda: iter(letters))):
        rows = Dispenser(dataset, start)
        assert [rows.take() for _ in range(5)] == list(enumerate(expected))


def _play(worker: Any) -> None:
    worker.start()
    while True:
        worker.check_health(60.0)
        with contextlib.suppress(queue.Empty):
            worker.rollout_buffer.get(timeout=1)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_row_that_kills(tokenizer: Any, model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the others deliver in between: nobody plays it for ever, and it is named."""
    monkeypatch.setattr(rollout_crew, "MOST_LOSSES", 2)
    with a_small_ray():
        worker = make_worker(DeadlyAtOneRow, tokenizer=tokenizer, url=model.url, dataset_start_index=2)
        try:
            with pytest.raises(errors.RolloutActorsLost, match="2 actors") as lost:
                _play(worker)
            assert DeadlyAtOneRow.ROW in lost.value.prompts
        finally:
            worker.stop()
