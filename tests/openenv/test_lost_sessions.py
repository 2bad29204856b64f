"""Sessions that are lost, late, refused or not to be had, and what the next reset makes of it."""

import re
from typing import Any

import pytest
from quay.helpers import dock_class, nowhere, running, toolset
from quay.wires import line, silence

from benchmarks.portsim.launch import Port
from benchmarks.portsim.players import play_dock, play_pantry
from envpickle_openenv import Toolset, list_tools
from envpickle_openenv.errors import ServerRefused, ServerUnavailable, SessionLost


def test_a_dropped_connection_is_reopened_by_reset(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    """The call meets the loss and says so, later calls too; the next reset opens another session."""
    with line(port.dock_url) as cut_off:
        env = dock_class(cut_off.url, dock_tools)()
        made.append(env)
        env.reset(seed=1)
        play_dock(env)
        cut_off.cut()
        with pytest.raises(SessionLost, match=r"broke during crane_status.*call reset\(\)"):
            env.crane_status()
        assert env.get_reward() is None
        with pytest.raises(SessionLost, match="broke during crane_status"):
            env.list_containers()
        env.reset(seed=1)
        play_dock(env)
        assert env.get_reward() == 1.0


def test_a_connection_that_died_unnoticed_is_reopened_by_reset(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    with line(port.dock_url) as cut_off:
        env = dock_class(cut_off.url, dock_tools)()
        made.append(env)
        env.reset(seed=1)
        cut_off.cut()
        assert "containers" in env.reset(seed=1)
        assert env.crane_status() == "the crane is ready"


def test_a_lost_session_can_be_text(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    with line(port.dock_url) as cut_off:
        env = dock_class(cut_off.url, dock_tools, on_error="unscored")()
        made.append(env)
        env.reset(seed=1)
        play_dock(env)
        cut_off.cut()
        assert "this episode is not scored" in env.crane_status()
        assert "this episode is not scored" in env.list_containers()
        assert env.get_reward() is None


def test_a_reaped_session_is_replaced_by_reset(narrow_port: Port, made: list[Any]) -> None:
    """The server has closed the environment behind a connection that still stands."""
    env = dock_class(narrow_port.pantry_url, max_idle=0.5)()
    made.append(env)
    env.reset(seed=3)
    before = narrow_port.status()["pantry"]["sessions"]["made"]
    narrow_port.wait_live("pantry", 0, seconds=30)
    env.reset(seed=3)
    play_pantry(env)
    assert env.get_reward() == 1.0
    assert narrow_port.status()["pantry"]["sessions"]["made"] == before + 1


def test_silence_within_an_episode_is_remembered(narrow_port: Port, made: list[Any]) -> None:
    """A session that was silent between two calls is not trusted by the next reset, however soon that comes."""
    env = dock_class(narrow_port.pantry_url, max_idle=0.5)()
    made.append(env)
    env.reset(seed=3)
    narrow_port.wait_live("pantry", 0, seconds=30)
    with pytest.raises(SessionLost, match="silent for too long"):
        env.read_recipe()
    env.reset(seed=3)
    play_pantry(env)
    assert env.get_reward() == 1.0


def test_at_capacity_a_reset_waits_for_room(narrow_port: Port, made: list[Any]) -> None:
    cls = dock_class(narrow_port.dock_url)
    first, second = cls(), cls()
    made += [first, second]
    first.reset(seed=1)
    refused = narrow_port.status()["dock"]["sessions"]["refused"]
    with running(lambda: second.reset(seed=1)) as waiting:
        narrow_port.wait_for("dock", lambda status: status["sessions"]["refused"] >= refused + 2)
        assert waiting.is_running()
        first._close()
    assert "containers" in waiting.result
    play_dock(second)
    assert second.get_reward() == 1.0


def test_at_capacity_until_the_deadline(narrow_port: Port, made: list[Any]) -> None:
    tools = list_tools(narrow_port.dock_url)
    first = dock_class(narrow_port.dock_url, tools)()
    strict = dock_class(narrow_port.dock_url, tools, retry_for=0.3)()
    lenient = dock_class(narrow_port.dock_url, tools, retry_for=0.3, on_error="unscored")()
    made += [first, strict, lenient]
    first.reset(seed=1)
    with pytest.raises(ServerUnavailable, match=r"at capacity.*tried for 0\.3 s"):
        strict.reset(seed=1)
    assert "not scored" in lenient.reset(seed=1)
    assert lenient.get_reward() is None
    assert "was not called" in lenient.crane_status()
    first._close()
    assert "containers" in lenient.reset(seed=1)
    play_dock(lenient)
    assert lenient.get_reward() == 1.0


def test_a_reset_that_fails(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    strict = dock_class(port.dock_url, dock_tools)()
    lenient = dock_class(port.dock_url, dock_tools, on_error="unscored")()
    made += [strict, lenient]
    port.configure("dock", fail_resets=1)
    with pytest.raises(ServerRefused, match="would not begin an episode") as caught:
        strict.reset(seed=1)
    assert caught.value.code == "EXECUTION_ERROR"
    with pytest.raises(SessionLost, match="the last reset failed"):
        strict.crane_status()
    port.configure("dock", fail_resets=1)
    assert re.search("could not begin this episode, which is not scored: .* would not begin", lenient.reset(seed=1))
    assert lenient.get_reward() is None
    for env in (strict, lenient):
        env.reset(seed=1)
        play_dock(env)
        assert env.get_reward() == 1.0


def test_a_reset_that_fails_on_an_old_session_is_tried_on_a_new_one(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    """A session whose environment the server has closed may answer so."""
    env = dock_class(port.dock_url, dock_tools)()
    made.append(env)
    env.reset(seed=1)
    port.configure("dock", fail_resets=1)
    assert "containers" in env.reset(seed=1)


def test_a_tool_that_takes_too_long(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    """The late answer is not taken for that of the next call: the session is given up."""
    env = dock_class(port.dock_url, dock_tools, call_timeout=0.3)()
    made.append(env)
    env.reset(seed=1)
    port.configure("dock", tool_seconds=1.5)
    with pytest.raises(SessionLost, match="broke during crane_status: timed out"):
        env.crane_status()
    port.configure("dock", tool_seconds=0.0)
    env.reset(seed=1)
    assert env.inspect_container(container="C1").startswith("C1 ")


def test_a_reset_that_takes_too_long(port: Port, dock_tools: Toolset, made: list[Any]) -> None:
    env = dock_class(port.dock_url, dock_tools, reset_timeout=0.2, retry_for=0.5)()
    made.append(env)
    port.configure("dock", reset_seconds=3.0)
    with pytest.raises(ServerUnavailable, match=r"did not answer a reset: timed out.*tried for 0\.5 s"):
        env.reset(seed=1)


@pytest.mark.parametrize("on_error", ["raise", "unscored"])
def test_nobody_there(on_error: str) -> None:
    env = dock_class(nowhere(), toolset("move"), retry_for=0.3, on_error=on_error)()
    if on_error == "unscored":
        assert "could not be connected to" in env.reset()
        return
    with pytest.raises(ServerUnavailable, match=r"http://127\.0\.0\.1:9 could not be connected to"):
        env.reset()


def test_somebody_silent_there() -> None:
    with silence() as silent:
        env = dock_class(silent.url, toolset("move"), open_timeout=0.2, retry_for=0.3)()
        with pytest.raises(ServerUnavailable, match="could not be connected to"):
            env.reset()


def test_a_wrong_address_is_not_tried_again(port: Port) -> None:
    """The deadline is an hour away; a refusal that will not change is told at once."""
    env = dock_class(f"{port.url}/nothing", toolset("move"), retry_for=3600)()
    with running(env.reset) as call:
        pass
    assert isinstance(call.error, ServerRefused)
    assert re.search(r"answered HTTP 40\d .*check the address", str(call.error))
