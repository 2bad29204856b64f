"""One session per instance, on a real server: begun, played, scored."""

import pickle
import re
from copy import copy as copy_of
from typing import Any

import pytest
from quay.helpers import dock_class, nowhere, running

from benchmarks.portsim.launch import Port
from benchmarks.portsim.players import play_dock, play_pantry
from envpickle_openenv import Toolset
from envpickle_openenv.errors import SessionLost


def test_an_episode_is_played_and_scored(port: Port, dock_tools: Toolset) -> None:
    with dock_class(port.dock_url, dock_tools)() as env:
        assert env.get_reward() is None
        assert "containers" in env.reset(seed=1)
        play_dock(env)
        assert env.get_reward() == 1.0
        assert port.status()["dock"]["sessions"]["live"] == 1
    port.wait_live("dock", 0)


def test_every_reset_begins_anew(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    """The task decides the episode, the reward of the last one is gone, and the session stays the same."""
    env = dock_class(port.dock_url, dock_tools)()
    made.append(env)
    before = port.status()["dock"]["sessions"]["made"]
    env.reset(seed=1)
    play_dock(env)
    env.reset(seed=1, containers=2)
    assert env.get_reward() in (None, 0.0)
    play_dock(env, careful=False)
    assert 0.0 <= env.get_reward() < 1.0
    assert port.status()["dock"]["sessions"]["made"] == before + 1


def test_another_environment_with_typed_lists(port: Port, made: list[Any]) -> None:
    env = dock_class(port.pantry_url)()
    made.append(env)
    env.reset(seed=3)
    play_pantry(env)
    assert env.get_reward() == 1.0


def test_the_constructor_does_not_connect(port: Port, dock_tools: Toolset) -> None:
    before = port.status()["dock"]["sessions"]["made"]
    dock_class(nowhere(), dock_tools)()
    dock_class(port.dock_url, dock_tools)()
    assert port.status()["dock"]["sessions"]["made"] == before


def test_arguments_by_position_and_by_name(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    env = dock_class(port.dock_url, dock_tools)()
    made.append(env)
    env.reset(seed=1)
    assert env.inspect_container("C1") == env.inspect_container(container="C1")
    with pytest.raises(TypeError, match="takes 2 arguments, 3 were given"):
        env.move_container("C1", 1, 2)
    with pytest.raises(TypeError, match="container twice"):
        env.move_container("C1", container="C1")
    with pytest.raises(TypeError, match="JSON cannot hold"):
        env.inspect_container(object())
    with pytest.raises(TypeError, match="reset was given seed="):
        env.reset(seed=object())


def test_tool_errors_are_text(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    """What a tool refuses, misses, or does not know comes back as text, and the episode goes on."""
    env = dock_class(port.dock_url, dock_tools)()
    made.append(env)
    env.reset(seed=1)
    assert re.match(r"Error: .*no bay 99", env.move_container(container="C1", bay=99))
    assert env.move_container(container="C1").startswith("Error: ")
    assert env.move_container(container="C1", bay="left").startswith("Error: ")
    assert env.crane_status(colour="red").startswith("Error: ")
    assert env.crane_status() == "the crane is ready"


def test_results_are_capped(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    env = dock_class(port.dock_url, dock_tools, max_result_chars=40)()
    made.append(env)
    beginning = env.reset(seed=1, containers=8)
    assert len(beginning) == 40
    assert beginning.startswith("A ship")
    listed = env.list_containers()
    assert len(listed) == 40
    assert re.search(r"\n\[cut: \d+ characters in all\]$", listed)


def test_calls_from_many_threads_do_not_mix(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    env = dock_class(port.dock_url, dock_tools)()
    made.append(env)
    env.reset(seed=1, containers=8)
    names = [f"C{number}" for number in range(1, 9)] * 4

    def ask(name: str) -> Any:
        return lambda: env.inspect_container(name)

    calls = [running(ask(name)) for name in names]
    started = [call.__enter__() for call in calls]
    for call in calls:
        call.__exit__(None, None, None)
    assert [call.result.split()[0] for call in started] == names


def test_a_class_without_rewards(port: Port, dock_tools: Toolset) -> None:
    assert not hasattr(dock_class(port.dock_url, dock_tools, rewards=False), "get_reward")


def test_a_tool_before_the_first_reset(port: Port, dock_tools: Toolset) -> None:
    env = dock_class(port.dock_url, dock_tools)()
    with pytest.raises(SessionLost, match=r"crane_status was not called: .*call reset\(\) first"):
        env.crane_status()


class Slotted:
    __slots__ = ("note",)


def test_what_a_subclass_keeps_in_slots_travels(dock_tools: Toolset) -> None:
    cls: type[Any] = type("Noted", (dock_class(nowhere(), dock_tools), Slotted), {})
    env = cls()
    env.note, env.other = "mine", 1
    copy = copy_of(env)
    assert (copy.note, copy.other) == ("mine", 1)


def test_a_value_that_cannot_even_be_shown(port: Port, dock_tools: Toolset) -> None:
    env = dock_class(port.dock_url, dock_tools)()
    with pytest.raises(TypeError, match="seed=<a int>, which JSON cannot hold"):
        env.reset(seed=10**5000)


def test_instances_travel_without_their_session(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    cls = dock_class(port.dock_url, dock_tools)
    env = cls()
    env.note = "mine"
    made.append(env)
    for _ in range(2):
        copy = pickle.loads(pickle.dumps(env))
        assert type(copy) is cls
        assert vars(copy) == {"note": "mine"}
        env.reset(seed=1)
    env._close()
    copy = pickle.loads(pickle.dumps(env))
    made.append(copy)
    copy.reset(seed=1)
    assert copy.crane_status() == "the crane is ready"
