"""Addresses and settings: what is kept, what is refused, and that nothing secret is shown."""

import sys
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
        "http://a..b", "http://.", "http://[zz]", "http://<x>", "http://ho%20st", "http://host\\x", f"http://{'a' * 64}.org",
        None, 5, "http://::1:80", "http://[::1", "http://ho st", "http://ho\nst", "http://host/\x00", "http://host?a=b", "http://host/#x",
    ],
)  # fmt: skip
def test_addresses_that_are_none(url: Any) -> None:
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
@pytest.mark.parametrize("name", ["Authorization", "authorization", "Cookie", "X-API-Key", "X-Auth-Token", "Client-Secret"])
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


@pytest.mark.parametrize(
    "headers",
    [
        {"X": 7},
        {"X": None},
        {"X": ["a", 7]},
        {"X": "a\r\nEvil: 1"},
        {"X": "é"},
        {"X\n": "a"},
        {"": "a"},
        {5: "a"},
        {"a b": "c"},
        [("X", "a")],
        "X: a",
    ],
)
def test_headers_that_are_none(headers: Any) -> None:
    with pytest.raises(ServerSettingsError, match="header"):
        server_settings("http://host", headers=headers)


@pytest.mark.parametrize("secret", ["sword\nfish", "swordfïsh", "sword\u2028fish"])
def test_a_secret_that_is_no_header_is_not_shown(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    """The libraries' own messages have it in full; with ``on_error="unscored"`` the model would read it."""
    monkeypatch.setenv("QUAY_TOKEN", secret)
    with pytest.raises(ServerSettingsError, match=r"'X-Token' is no line of ASCII.*Secret\('QUAY_TOKEN'\)") as caught:
        resolved(server_settings("http://host", headers={"X-Token": ["Bearer ", Secret("QUAY_TOKEN")]}))
    assert "sword" not in str(caught.value)


def test_a_secret_read_from_a_file_may_end_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAY_TOKEN", "swordfish\n")
    settings = server_settings("http://host", headers={"Authorization": ["Bearer ", Secret("QUAY_TOKEN")]})
    assert resolved(settings)[1] == {"Authorization": "Bearer swordfish"}


@pytest.mark.parametrize(
    "url",
    [
        "http://u:swordfish@[zz]", "http://host/x?key=swordfish", "http://u:sword/fish@host", "http://u:swordfish@host:port",
        "http://u:swordfish@ho st", "http://host/#swordfish",
    ],
)  # fmt: skip
def test_a_secret_address_that_cannot_be_used_is_not_shown(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("QUAY_URL", url)
    with pytest.raises(ServerSettingsError, match=r"QUAY_URL.*holds no server address that can be used") as caught:
        resolved(server_settings(Secret("QUAY_URL")))
    assert "fish" not in str(caught.value)


def test_a_login_without_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """Basic authentication has a colon between the two, whatever is behind it; a header given by name is kept."""
    monkeypatch.setenv("QUAY_URL", "http://swordfish@host/user@place/")
    assert resolved(server_settings(Secret("QUAY_URL"))) == (
        "http://host/user@place",
        {"Authorization": "Basic c3dvcmRmaXNoOg=="},
    )
    settings = server_settings(Secret("QUAY_URL"), headers={"authorization": Secret("QUAY_URL")})
    assert list(resolved(settings)[1]) == ["authorization"]


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


@pytest.mark.parametrize("name", ["open_timeout", "reset_timeout", "call_timeout"])
def test_no_wait_is_longer_than_the_system_can_wait(name: str) -> None:
    assert server_settings("http://host", **{name: 1e9})[name] == 1e9
    with pytest.raises(ServerSettingsError, match=f"{name} is 10000000000.0; no wait is longer than"):
        server_settings("http://host", **{name: 1e10})
    with pytest.raises(ServerSettingsError, match=f"{name} is {sys.maxsize}; no wait"):
        server_settings("http://host", **{name: sys.maxsize})
