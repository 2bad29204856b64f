"""Episodes are decided by their seed, and the reward by how they are played."""

from typing import Any

import pytest

from benchmarks.portsim.dock import Dock
from benchmarks.portsim.launch import Port
from benchmarks.portsim.pantry import Pantry
from benchmarks.portsim.players import play_dock, play_pantry
from benchmarks.portsim.rules import RuleError

SEEDS = range(200)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_careful_play_over_the_wire_scores_one(port: Port, join: Any, seed: int) -> None:
    dock = join(port.dock_url)
    dock.reset(seed=seed)
    play_dock(dock)
    assert (dock.reward, dock.done) == (1.0, True)
    state = dock.ask({"type": "state"})["data"]
    assert (state["reward"], state["done"]) == (1.0, True)


def test_careful_pantry_play_over_the_wire_scores_one(port: Port, join: Any) -> None:
    pantry = join(port.pantry_url)
    pantry.reset(seed=4, goods=3)
    play_pantry(pantry)
    assert (pantry.reward, pantry.done) == (1.0, True)


def test_an_episode_in_which_nothing_is_done_is_worth_nothing(port: Port, join: Any) -> None:
    """It has a reward all the same: left out, training would not hold idleness against a model."""
    dock = join(port.dock_url)
    assert dock.ask({"type": "reset", "data": {"seed": 1}})["data"]["reward"] == 0.0


def test_a_row_of_a_mixture_begins_an_episode(port: Port, join: Any) -> None:
    """Rows of several environments have each other's columns, and None in them: a server takes what it knows."""
    dock = join(port.dock_url)
    dock.reset(seed=53, containers=1, goods=2, environment="Dock")
    play_dock(dock)
    assert (dock.reward, dock.done) == (1.0, True)
    dock.reset(seed=53, containers=None, goods=2)
    assert dock.list_containers().count("on board") == 3


def test_careless_play_over_the_wire_scores_less(port: Port, join: Any) -> None:
    dock = join(port.dock_url)
    dock.reset(seed=3)
    play_dock(dock, careful=False)
    assert dock.done
    assert 0.0 <= dock.reward < 1.0


@pytest.mark.parametrize(("rules", "play"), [(Dock, play_dock), (Pantry, play_pantry)])
def test_careful_play_always_scores_one_and_careless_play_less(rules: Any, play: Any) -> None:
    careless = []
    for seed in SEEDS:
        for size in (1, 3, 8):
            careful = rules()
            careful.start(seed, size)
            play(careful)
            assert careful.reward == pytest.approx(1.0)
            idle = rules()
            idle.start(seed, size)
            play(idle, careful=False)
            assert 0.0 <= idle.reward <= 1.0
            careless.append(idle.reward)
    assert sum(careless) / len(careless) < 0.8


def test_equal_seeds_give_equal_episodes() -> None:
    for seed in SEEDS:
        first, second = Dock(), Dock()
        first.start(seed)
        second.start(seed)
        assert vars(first) == vars(second)
    layouts = []
    for seed in SEEDS:
        dock = Dock()
        dock.start(seed)
        layouts.append(tuple(dock.wanted.values()))
    assert len(set(layouts)) > 100


def test_the_dock_is_scored_by_nearness_and_by_the_ship_having_sailed() -> None:
    dock = Dock()
    dock.start(seed=0, containers=1)
    assert dock.reward == 0.0
    dock.jams.clear()
    dock.move_container("C1", (dock.wanted["C1"] + 3) % 10 if dock.wanted["C1"] < 7 else dock.wanted["C1"] - 3)
    assert dock.reward == pytest.approx(0.75 * (1 - 3 / 9))
    dock.send_ship_off()
    assert dock.reward == pytest.approx(1 - 3 / 9)


def test_a_blocked_crane_moves_nothing_until_freed_with_the_right_tool() -> None:
    dock = Dock()
    dock.start(seed=0, containers=1)
    assert "blocked" in dock.move_container("C1", 1)
    assert not dock.placed
    right = dock.crane_status().split("'")[1]
    wrong = "winch" if right == "restart" else "restart"
    assert "does not help" in dock.free_crane(wrong)
    assert "blocked" in dock.move_container("C1", 1)
    dock.free_crane(right)
    dock.move_container("C1", 1)
    assert dock.placed == {"C1": 1}


def test_what_nobody_asked_for_costs_in_the_pantry() -> None:
    pantry = Pantry()
    pantry.start(seed=1)
    play_pantry(pantry)
    pantry.done = False
    unasked = next(label for label, good in pantry.labels.items() if good not in pantry.recipe)
    pantry.take(unasked, 10)
    pantry.hand_over()
    assert pantry.reward == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("break_rule", "words"),
    [
        (lambda: Dock().move_container("C9", 1), "no container 'C9'"),
        (lambda: Dock().move_container("C1", 10), "no bay 10"),
        (lambda: Dock().start(containers=9), "1 to 8 containers"),
        (lambda: Pantry().take("P0", 1), "no shelf is labelled 'P0'"),
        (lambda: Pantry().start(goods=0), "1 to 8 goods"),
    ],
)
def test_a_broken_rule_says_what_is_allowed(break_rule: Any, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        break_rule()


def test_a_broken_rule_is_told_over_the_wire(port: Port, join: Any) -> None:
    dock = join(port.dock_url)
    dock.reset()
    error = dock.call("inspect_container", container="C9")["error"]
    assert error == {"error_type": "execution_error", "message": "no container 'C9': there are C1, C2, C3"}
