"""Asking servers for their tools: OpenEnv without and with a session, MCP, and those that cannot be asked."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from quay.answers import answering
from quay.helpers import nowhere, running
from quay.wires import silence
from voyage import mcp_server

from benchmarks.portsim.launch import Port
from envpickle import Secret
from envpickle_openenv import list_mcp_tools, list_tools, server_settings
from envpickle_openenv.errors import ListingError, ToolsetError


@pytest.fixture(scope="module", params=[True, False], ids=["json", "events"])
def mcp_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A real MCP server, answering plainly or by a stream of events."""
    with mcp_server.serving(json_response=request.param) as url:
        yield url


def test_without_a_session(port: Port) -> None:
    before = port.status()["dock"]["sessions"]["made"]
    toolset = list_tools(port.dock_url)
    assert toolset.names[:2] == ("list_containers", "inspect_container")
    assert toolset["move_container"].input_schema["required"] == ["container", "bay"]
    assert port.status()["dock"]["sessions"]["made"] == before


def test_in_a_session_after_a_reset(port: Port) -> None:
    wanted = list_tools(port.dock_url)
    port.configure("dock", tools_after_reset=True)
    before = port.status()["dock"]["sessions"]["made"]
    assert list_tools(port.dock_url, task={"seed": 3}).plain() == wanted.plain()
    assert port.status()["dock"]["sessions"]["made"] == before + 1
    port.wait_live("dock", 0)


def test_from_an_mcp_server(mcp_url: str) -> None:
    for toolset in (list_mcp_tools(mcp_url), list_tools(mcp_url), list_tools(mcp_url.removesuffix("/mcp"))):
        assert toolset.names == ("move",)
        assert toolset["move"].description == "Move a container."
        assert list(toolset["move"].input_schema["properties"]) == ["bay", "side"]


def test_all_pages_are_read() -> None:
    """An MCP server may list its tools a page at a time, and names the next page."""
    pages: dict[Any, dict[str, Any]] = {
        None: {"tools": [{"name": "a"}], "nextCursor": "2"},
        "2": {"tools": [{"name": "b"}], "nextCursor": "3"},
        "3": {"tools": [{"name": "c"}]},
    }

    def answer(message: dict[str, Any], headers: dict[str, str]) -> Any:
        if message["method"] == "initialize":
            return {"protocolVersion": "2025-06-18"}
        return pages[message["params"].get("cursor")] if message["method"] == "tools/list" else {}

    with answering(answer) as url:
        assert list_mcp_tools(url).names == ("a", "b", "c")


def test_all_pages_are_read_without_a_handshake_too() -> None:
    """A stateless MCP server answers whoever asks; its later pages are asked for all the same."""

    def answer(message: dict[str, Any], headers: dict[str, str]) -> Any:
        return {"tools": [{"name": "b"}]} if message["params"].get("cursor") else {"tools": [{"name": "a"}], "nextCursor": "2"}

    with answering(answer) as url:
        assert list_tools(url).names == ("a", "b")


def test_a_server_may_send_to_itself_but_to_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one would be told the headers, and with them what is secret."""
    monkeypatch.setenv("QUAY_KEY", "swordfish")
    seen: list[str | None] = []

    def moved(message: dict[str, Any], headers: dict[str, str]) -> Any:
        seen.append(headers.get("x-key"))
        return {"tools": [{"name": "move"}]} if len(seen) > 1 else "/mcp/"

    key = {"X-Key": Secret("QUAY_KEY")}
    with answering(moved) as url:
        assert list_tools(server_settings(url, headers=key)).names == ("move",)
        assert seen == ["swordfish"] * 2
        with answering(lambda message, headers: f"{url}/mcp") as elsewhere:
            settings = {**hasty(elsewhere), "headers": key}
            with pytest.raises(ListingError, match=re.escape(f"it sends to another server, {url}")):
                list_tools(settings)
    assert len(seen) == 2


def test_one_deadline_for_all_ways() -> None:
    began = time.monotonic()
    with pytest.raises(ListingError):
        list_tools(server_settings(nowhere(), retry_for=1.0))
    assert time.monotonic() - began < 2.0


@pytest.mark.parametrize("tools", [5, {"a": 1}, "move"])
def test_tools_that_are_no_list(tools: Any) -> None:
    with answering(lambda message, headers: {"tools": tools}) as url, pytest.raises(ListingError, match="are no list"):
        list_tools(hasty(url))


def test_headers_are_sent_and_secrets_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAY_TOKEN", "swordfish")
    seen: list[dict[str, str]] = []

    def answer(message: dict[str, Any], headers: dict[str, str]) -> Any:
        seen.append(headers)
        return {"tools": [{"name": "move"}]}

    with answering(answer) as url:
        headers = {"Authorization": ["Bearer ", Secret("QUAY_TOKEN")], "X-Quay": "7"}
        assert list_tools(server_settings(url, headers=headers)).names == ("move",)
        monkeypatch.setenv("QUAY_URL", url.replace("://", "://dock%40er:sword%3Afish@"))
        assert list_tools(Secret("QUAY_URL")).names == ("move",)
    assert seen[0]["authorization"] == "Bearer swordfish"
    assert seen[0]["x-quay"] == "7"
    assert seen[1]["authorization"] == "Basic ZG9ja0Blcjpzd29yZDpmaXNo"


def test_a_server_without_tools_is_an_error() -> None:
    with answering(lambda message, headers: {"tools": []}) as url, pytest.raises(ListingError, match="it lists none"):
        list_tools(hasty(url))


def test_duplicate_tools_are_an_error() -> None:
    listed = {"tools": [{"name": "move"}, {"name": "move"}]}
    with answering(lambda message, headers: listed) as url, pytest.raises(ToolsetError, match="'move' is listed twice"):
        list_tools(url)


def test_the_reason_for_each_way_is_told(port: Port) -> None:
    with pytest.raises(ListingError) as caught:
        list_tools(server_settings(f"{port.url}/nothing", retry_for=0.2))
    ways = ("asked without a session: HTTP 40", "asked in a session after a reset: ", "asked as an MCP server: HTTP 40")
    assert all(way in str(caught.value) for way in ways)


def test_nobody_there() -> None:
    with pytest.raises(ListingError, match=r"http://127\.0\.0\.1:9 could not be asked"):
        list_tools(server_settings(nowhere(), retry_for=0.2))


def test_somebody_silent_there() -> None:
    with silence() as silent, running(lambda: list_tools(hasty(silent.url))) as call:
        pass
    assert isinstance(call.error, ListingError)
    assert re.search("timed out", str(call.error))


def hasty(url: str) -> dict[str, Any]:
    return server_settings(url, open_timeout=0.2, call_timeout=0.2, reset_timeout=0.2, retry_for=0.2)
