"""The status page is right, however a session ends."""

import json
import socket
import urllib.request
from typing import Any

import httpx
import pytest

from benchmarks.portsim.launch import Port


def difference(port: Port, before: dict[str, Any], name: str = "dock") -> dict[str, int]:
    now = port.status()[name]
    asked = {key: now[key] - before[key] for key in ("tools_listed", "resets", "tool_calls")}
    sessions = {key: now["sessions"][key] - before["sessions"][key] for key in ("made", "closed")}
    return {**asked, **sessions}


@pytest.fixture
def before(port: Port) -> dict[str, Any]:
    return port.wait_live("dock", 0)


def list_tools(url: str) -> list[dict[str, Any]]:
    answer = httpx.post(f"{url}/mcp", json={"jsonrpc": "2.0", "method": "tools/list", "id": 1}, trust_env=False)
    tools: list[dict[str, Any]] = answer.json()["result"]["tools"]
    return tools


def test_listing_tools_without_a_session_makes_none(port: Port, before: dict[str, Any]) -> None:
    names = [tool["name"] for tool in list_tools(port.dock_url)]
    assert names == [
        "list_containers",
        "inspect_container",
        "crane_status",
        "free_crane",
        "move_container",
        "send_ship_off",
    ]
    assert difference(port, before) == {"tools_listed": 1, "resets": 0, "tool_calls": 0, "made": 0, "closed": 0}


def test_the_pantry_has_other_tools_and_its_own_counts(port: Port, before: dict[str, Any]) -> None:
    dock = {tool["name"] for tool in list_tools(port.dock_url)}
    was = port.status()["pantry"]
    pantry = {tool["name"] for tool in list_tools(port.pantry_url)}
    assert not dock & pantry
    assert len(pantry) == 6
    assert difference(port, was, "pantry")["tools_listed"] == 1
    assert difference(port, before)["tools_listed"] == 1


def test_a_session_is_counted_from_its_connection_to_its_end(port: Port, join: Any, before: dict[str, Any]) -> None:
    client = join(port.dock_url)
    client.reset(seed=1)
    client.call("crane_status")
    rpc = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "crane_status"}, "id": 1}
    client.ask({"type": "mcp", "data": rpc})
    client.ask({"type": "mcp", "data": {"jsonrpc": "2.0", "method": "tools/list", "id": 2}})
    client.ask({"type": "step", "data": {"type": "list_tools"}})
    assert port.status()["dock"]["sessions"]["live"] == 1
    assert difference(port, before) == {"tools_listed": 2, "resets": 1, "tool_calls": 2, "made": 1, "closed": 0}
    client.socket.send(json.dumps({"type": "close"}))
    port.wait_live("dock", 0)
    assert difference(port, before)["closed"] == 1


def test_a_dropped_connection_ends_its_session(port: Port, join: Any, before: dict[str, Any]) -> None:
    clients = [join(port.dock_url) for _ in range(3)]
    for client in clients:
        client.reset(seed=1)
    assert port.status()["dock"]["sessions"]["live"] == 3
    for client in clients:
        client.socket.socket.shutdown(socket.SHUT_RDWR)  # as when its process is killed: no closing handshake
    status = port.wait_live("dock", 0, seconds=2)
    assert difference(port, before) == {"tools_listed": 0, "resets": 3, "tool_calls": 0, "made": 3, "closed": 3}
    assert status["sessions"]["peak"] >= 3


def test_a_connection_dropped_during_a_tool_call_ends_its_session(port: Port, join: Any, before: dict[str, Any]) -> None:
    client = join(port.dock_url)
    client.reset()
    port.configure("dock", tool_seconds=0.5)
    try:
        action = {"type": "call_tool", "tool_name": "crane_status", "arguments": {}}
        client.socket.send(json.dumps({"type": "step", "data": action}))
        port.wait_for("dock", lambda status: bool(status["tool_calls"] == before["tool_calls"] + 1))
        client.socket.socket.shutdown(socket.SHUT_RDWR)
        port.wait_live("dock", 0)
    finally:
        port.configure("dock", tool_seconds=0.0)
    assert difference(port, before)["closed"] == 1


def test_a_session_made_over_http_is_counted(port: Port, before: dict[str, Any]) -> None:
    def rpc(method: str, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        return httpx.post(f"{port.dock_url}/mcp", json=body, trust_env=False).json()["result"]

    session = rpc("openenv/session/create")["session_id"]
    assert port.status()["dock"]["sessions"]["live"] == 1
    rpc("openenv/session/close", session_id=session)
    assert difference(port, before) == {"tools_listed": 0, "resets": 0, "tool_calls": 0, "made": 1, "closed": 1}


def test_the_page_for_people_shows_the_counts(port: Port) -> None:
    page = httpx.get(f"{port.url}/portsim", trust_env=False).text
    assert "<td>dock</td>" in page
    assert "<td>pantry</td>" in page
    assert f"<td>{port.status()['dock']['sessions']['made']}</td>" in page


def test_a_wrong_option_is_refused_by_name(port: Port) -> None:
    with pytest.raises(urllib.request.HTTPError, match="400") as refusal:
        port.configure("dock", tool_second=1)
    with refusal.value as answer:
        assert "tool_second" in json.load(answer)["detail"]
    with pytest.raises(urllib.request.HTTPError, match="400") as refusal:
        port.configure("dock", max_sessions=1)
    with refusal.value as answer:
        assert "fixed when the port starts" in json.load(answer)["detail"]
