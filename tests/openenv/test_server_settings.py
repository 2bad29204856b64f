"""Addresses and settings: what is kept, what is refused, and that nothing secret is shown."""

from typing import Any

import pytest

from envpickle import Secret
from envpickle_openenv import server_settings
from envpickle_openenv.errors import ServerSettingsError
from envpickle_openenv.server import resolved, shown_url, websocket_url


@pytest.mark.parametrize(
    ("url", "base", "socket"),
    [
        ("http://host", "http://host", "ws://host/ws"),
        ("http://host:8000/", "http://host:8000", "ws://host:8000/ws"),
        ("https://host/a/b//", "https://host/a/b", "wss://host/a/b/ws"),
        ("HTTPS://host", "https://host", "wss://host/ws"),
        ("ws://host:1/x", "http://host:1/x", "ws://host:1/x/ws"),
        ("wss://host", "https://host", "wss://host/ws"),
        ("http://[::1]:8000", "http://[::1]:8000", "ws://[::1]:8000/ws"),
        ("http://[fe80::1]/x", "http://[fe80::1]/x", "ws://[fe80::1]/x/ws"),
        (" http://host ", "http://host", "ws://host/ws"),
        ("http://host/user@place", "http://host/user@place", "ws://host/user@place/ws"),
    ],
)
def test_addresses(url: str, base: str, socket: str) -> None:
    assert server_settings(url) == {"url": base}
    assert websocket_url(base) == socket


@pytest.mark.parametrize(
    "url",
    [
        "", "host", "host:8000", "ftp://host", "http://", "http:///path", "http://host:port", "http://host:0", "http://host:99999",
        "http://::1:80", "http://[::1", "http://ho st", "http://ho\nst", "http://host/\x00", "http://host?a=b", "http://host/#x",
    ],
)  # fmt: skip
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ServerSettingsError, match="http://host:port/path"):
        server_settings(url)


@pytest.mark.parametrize("url", ["http://docker:swordfish@host", "https://swordfish@host/x", "http://a:sword@fish@host"])
def test_credentials_in_an_address_are_refused_and_not_shown(url: str) -> None:
    with pytest.raises(ServerSettingsError, match=r'headers=.*envpickle\.Secret\("TOKEN"\)') as caught:
        server_settings(url)
    assert "sword" not in str(caught.value)


def test_a_key_in_a_query_is_refused_and_not_shown() -> None:
    with pytest.raises(ServerSettingsError, match=r'envpickle\.Secret\("KEY"\)') as caught:
        server_settings("http://host/x?key=swordfish")
    assert "swordfish" not in str(caught.value)


@pytest.mark.parametrize("value", ["Bearer swordfish", ["Bearer ", "swordfish"]])
@pytest.mark.parametrize("name", ["Authorization", "authorization", "Cookie", "X-API-Key"])
def test_credentials_in_headers_are_refused_and_not_shown(name: str, value: Any) -> None:
    with pytest.raises(ServerSettingsError, match=f"'{name}' would travel in clear") as caught:
        server_settings("http://host", headers={name: value})
    assert "swordfish" not in str(caught.value)


def test_secrets_are_looked_up_where_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {"Authorization": ["Bearer ", Secret("QUAY_TOKEN")], "X-Quay": "7", "X-Key": Secret("QUAY_KEY")}
    settings = server_settings(Secret("QUAY_URL"), headers=headers)
    assert settings == {"url": Secret("QUAY_URL"), "headers": headers}
    monkeypatch.setenv("QUAY_TOKEN", "swordfish")
    monkeypatch.setenv("QUAY_KEY", "flounder")
    monkeypatch.setenv("QUAY_URL", "wss://host:1/x/")
    url, resolved_headers = resolved(settings)
    assert url == "https://host:1/x"
    assert resolved_headers == {"Authorization": "Bearer swordfish", "X-Quay": "7", "X-Key": "flounder"}
    monkeypatch.setenv("QUAY_URL", "https://docker:p%40ss@host")
    settings = server_settings(Secret("QUAY_URL"))
    assert resolved(settings) == ("https://host", {"Authorization": "Basic ZG9ja2VyOnBAc3M="})
    assert "QUAY_URL" in shown_url(settings)
    assert "p%40ss" not in shown_url(settings)
    monkeypatch.setenv("QUAY_URL", "swordfish")
    with pytest.raises(ServerSettingsError, match=r"QUAY_URL.*holds no server address") as caught:
        resolved(settings)
    assert "swordfish" not in str(caught.value)


def test_only_what_differs_from_the_defaults_travels() -> None:
    assert server_settings("http://host", call_timeout=60) == {"url": "http://host"}
    settings = server_settings("http://host", call_timeout=5, max_idle=None)
    assert settings == {"url": "http://host", "call_timeout": 5.0, "max_idle": None}


@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), "5", True])
@pytest.mark.parametrize("name", ["open_timeout", "reset_timeout", "call_timeout", "retry_for", "max_idle"])
def test_times_are_seconds_above_zero(name: str, value: Any) -> None:
    with pytest.raises(ServerSettingsError, match=f"{name} is .*seconds above 0"):
        server_settings("http://host", **{name: value})


@pytest.mark.parametrize("name", ["open_timeout", "reset_timeout", "call_timeout", "retry_for"])
def test_there_is_no_waiting_for_ever(name: str) -> None:
    with pytest.raises(ServerSettingsError, match=f"{name} is None"):
        server_settings("http://host", **{name: None})
