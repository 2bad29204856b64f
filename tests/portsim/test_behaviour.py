"""Slow, failing, full and reaping ports do what their options say."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from benchmarks.portsim.launch import Port, running


@pytest.fixture(scope="module")
def small() -> Iterator[Port]:
    with running(dock={"max_sessions": 2}, pantry={"session_timeout": 0.5}) as port:
        yield port


@pytest.fixture
def dock(port: Port) -> Iterator[Port]:
    yield port
    port.configure("dock", tool_seconds=0.0, reset_seconds=0.0, fail_resets=0, tools_after_reset=False)


def test_a_full_port_says_so_and_has_room_again_when_a_session_ends(small: Port, join: Any) -> None:
    first, second = join(small.dock_url), join(small.dock_url)
    first.reset()
    second.reset()
    third = join(small.dock_url)
    refusal = third.socket.recv(5)
    assert '"CAPACITY_REACHED"' in refusal
    with pytest.raises(ConnectionClosed):
        third.socket.recv(5)
    sessions = small.status()["dock"]["sessions"]
    assert (sessions["live"], sessions["peak"], sessions["refused"]) == (2, 2, 1)
    second.socket.close()
    small.wait_live("dock", 1)
    assert join(small.dock_url).reset()["type"] == "observation"


def test_an_idle_session_is_reaped_though_its_socket_stays_open(small: Port, join: Any) -> None:
    client = join(small.pantry_url)
    client.reset()
    assert client.call("read_recipe")["error"] is None
    small.wait_live("pantry", 0, seconds=20)
    assert client.reset()["type"] == "observation"
    assert "environment is closed" in client.call("read_recipe")["error"]["message"]
    sessions = small.status()["pantry"]["sessions"]
    assert (sessions["made"], sessions["closed"]) == (1, 1)
    client.socket.close()
    assert small.status()["pantry"]["sessions"]["closed"] == 1


def test_resets_fail_as_often_as_told(dock: Port, join: Any) -> None:
    client = join(dock.dock_url)
    dock.configure("dock", fail_resets=2)
    answers = [client.reset() for _ in range(3)]
    assert [answer["type"] for answer in answers] == ["error", "error", "observation"]
    assert answers[0]["data"]["code"] == "EXECUTION_ERROR"
    dock.configure("dock", fail_resets=-1)
    assert {client.reset()["type"] for _ in range(3)} == {"error"}


def test_resets_and_tools_take_as_long_as_told(dock: Port, join: Any) -> None:
    client = join(dock.dock_url)
    dock.configure("dock", reset_seconds=0.5)
    begun = time.monotonic()
    client.reset()
    assert time.monotonic() - begun >= 0.5
    dock.configure("dock", tool_seconds=0.5)
    begun = time.monotonic()
    client.call("crane_status")
    assert time.monotonic() - begun >= 0.5


def test_a_slow_session_does_not_hold_up_another(dock: Port, join: Any) -> None:
    slow, quick = join(dock.dock_url), join(dock.dock_url)
    quick.reset()
    dock.configure("dock", reset_seconds=2.0)
    slow.socket.send('{"type": "reset", "data": {}}')
    begun = time.monotonic()
    quick.call("crane_status")
    answered = time.monotonic() - begun
    slow.socket.recv(10)
    assert answered < time.monotonic() - begun


def test_tools_can_be_hidden_until_the_first_reset(dock: Port, join: Any) -> None:
    dock.configure("dock", tools_after_reset=True)
    client = join(dock.dock_url)
    listing = {"type": "mcp", "data": {"jsonrpc": "2.0", "method": "tools/list", "id": 1}}
    assert client.ask(listing)["data"]["result"]["tools"] == []
    client.reset()
    assert len(client.ask(listing)["data"]["result"]["tools"]) == 6


def test_a_tool_called_before_any_reset_says_what_to_do(port: Port, join: Any) -> None:
    assert "reset first" in join(port.dock_url).call("crane_status")["error"]["message"]
