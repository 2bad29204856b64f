"""A server's address and how to deal with it, as plain data."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envpickle import Secret

from .errors import ServerSettingsError

if TYPE_CHECKING:
    Text = str | Secret
    HeaderValue = Text | list[Text]

__all__ = ["DEFAULTS", "resolved", "server_settings", "shown_url", "websocket_url"]

DEFAULTS: dict[str, float | None] = {
    "open_timeout": 10.0,
    "reset_timeout": 120.0,
    "call_timeout": 60.0,
    "retry_for": 60.0,
    "max_idle": 10.0,
}
SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
CREDENTIAL_HEADER = re.compile(r"(^|-)(auth|authorization|cookie|password|secret|token|api-?key|access-key)$", re.IGNORECASE)
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")
HOST = re.compile(r"\[[0-9A-Fa-f:.]+(%[\w.~-]+)?\]|(?!\.)[^\[\]:/\\<>^|%\"`{}]+")
LONGEST_LABEL = 63
NEVER_OFF = frozenset(DEFAULTS) - {"max_idle"}
LONGEST_WAIT = 1e9
"""Seconds; the system's own clocks end somewhat later."""
UNTRUSTED = "its certificate is not trusted here; name a file of those that are in SSL_CERT_FILE"


def server_settings(
    url: "Text",
    *,
    headers: "Mapping[str, HeaderValue] | None" = None,
    open_timeout: float = 10.0,
    reset_timeout: float = 120.0,
    call_timeout: float = 60.0,
    retry_for: float = 60.0,
    max_idle: float | None = 10.0,
) -> dict[str, Any]:
    """Check a server's address and settings and return them as plain data.

    Args:
        url: Base address, such as ``http://localhost:8000``; ``/ws`` and ``/mcp`` are put behind it. ``ws://`` is taken
            too. An `envpickle.Secret` stands for an address that holds a password.
        headers: Sent with every request. A value is a text, an `envpickle.Secret`, or a list of them, which is joined.
        open_timeout: Seconds to wait for a connection.
        reset_timeout: Seconds to wait for the answer to a reset.
        call_timeout: Seconds to wait for the answer to a tool call.
        retry_for: Seconds during which a reset that found no connection or no room is tried again.
        max_idle: Seconds of silence after which a session is no longer trusted: the next reset opens another. Set it
            below the server's session timeout; None trusts every session whose connection stands.

    Returns:
        The settings that differ from the defaults; equal settings are equal data.

    Raises:
        ServerSettingsError: If the address is none, it or a header holds credentials in clear, a header is none, or a
            time is not positive.
    """
    given = {
        "open_timeout": open_timeout,
        "reset_timeout": reset_timeout,
        "call_timeout": call_timeout,
        "retry_for": retry_for,
        "max_idle": max_idle,
    }
    settings: dict[str, Any] = {"url": url if _is_secret(url) else base_url(url)}
    if headers:
        settings["headers"] = checked_headers(headers)
    for name, value in given.items():
        _check_seconds(name, value)
        if value != DEFAULTS[name]:
            settings[name] = None if value is None else float(value)
    return settings


def base_url(url: Any) -> str:
    """Return an address as it is kept: ``http`` or ``https``, without a closing slash.

    Args:
        url: The address.

    Returns:
        The address.

    Raises:
        ServerSettingsError: If it is none, or holds credentials, a query or a fragment.
    """
    if not isinstance(url, str):
        raise ServerSettingsError(f"the server address is {url!r:.100}; give a text such as 'http://host:port/path'")
    scheme, separator, rest = url.strip().partition("://")
    host = rest.partition("/")[0]
    if not separator or scheme.lower() not in SCHEMES:
        raise ServerSettingsError(f"{_without_login(url)!r} is no server address; write it as http://host:port/path")
    if "@" in host:
        raise ServerSettingsError(
            f"the server address {_without_login(url)!r} holds credentials, which would travel in clear; give a header "
            'instead, as in headers={"Authorization": ["Bearer ", envpickle.Secret("TOKEN")]}, or the whole address as '
            'envpickle.Secret("ADDRESS")'
        )
    if not _is_host(host) or any(character in rest for character in "?#") or any(map(_is_blank, rest)):
        raise ServerSettingsError(
            f"the server address {_without_login(url)!r} is not of the form http://host:port/path; leave out query and "
            'fragment, and give keys as headers={"X-API-Key": envpickle.Secret("KEY")}'
        )
    return f"{SCHEMES[scheme.lower()]}://{rest}".rstrip("/")


def _is_host(host: str) -> bool:
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not colon:
        name = host
    if colon and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        return False
    labels = name.removesuffix(".").split(".")
    return HOST.fullmatch(name) is not None and (name[0] == "[" or all(0 < len(label) <= LONGEST_LABEL for label in labels))


def _is_blank(character: str) -> bool:
    return character.isspace() or not character.isprintable()


def _without_login(url: str) -> str:
    """An address for a message: what may be a password is left out."""
    scheme, separator, rest = url.partition("://")
    shown = f"...@{rest.rpartition('@')[2]}" if "@" in rest else rest
    return f"{scheme}{separator}{shown.partition('?')[0]}"[:200]


def checked_headers(headers: "Mapping[str, HeaderValue]") -> "dict[str, HeaderValue]":
    """Check headers, of which parts may be secrets that are not looked up yet.

    Args:
        headers: The headers.

    Returns:
        The same, newly made.

    Raises:
        ServerSettingsError: If one is no header, or looks like a credential and is in clear.
    """
    given: Any = headers
    if not isinstance(given, Mapping):
        raise ServerSettingsError(f"headers are a {type(given).__name__}; give a dict of values by name")
    return {name: _checked_header(name, value) for name, value in headers.items()}


def _checked_header(name: str, value: "HeaderValue") -> "HeaderValue":
    parts = list(value) if isinstance(value, list | tuple) else [value]
    given: Any = name
    if not isinstance(given, str) or HEADER_NAME.fullmatch(name) is None:
        raise ServerSettingsError(f"{name!r:.100} is no name of a header")
    if not all(_is_secret(part) or (isinstance(part, str) and HEADER_VALUE.fullmatch(part)) for part in parts):
        raise ServerSettingsError(
            f"the header {name!r} is no line of ASCII text, no envpickle.Secret and no list of these; write it as one"
        )
    if CREDENTIAL_HEADER.search(name) and not any(map(_is_secret, parts)):
        raise ServerSettingsError(
            f"the header {name!r} would travel in clear; put its value into an environment variable and give "
            f'{{{name!r}: envpickle.Secret("VARIABLE")}}, or ["Bearer ", envpickle.Secret("VARIABLE")] for a part of it'
        )
    return parts if isinstance(value, list | tuple) else value


def _is_secret(value: Any) -> bool:
    return isinstance(value, Secret)


def _check_seconds(name: str, value: float | None) -> None:
    if value is None and name not in NEVER_OFF:
        return
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise ServerSettingsError(f"{name} is {value!r}; it is a number of seconds above 0")
    if name.endswith("_timeout") and value > LONGEST_WAIT:
        raise ServerSettingsError(f"{name} is {value!r}; no wait is longer than {LONGEST_WAIT:.0e} seconds")


def resolved(settings: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Look up a server's secrets here, where they are used.

    Args:
        settings: What `server_settings` returned.

    Returns:
        The base address without credentials, and the headers to send, in which they are. Not to be shown.

    Raises:
        envpickle.errors.SecretMissing: If the environment does not have one.
        ServerSettingsError: If a secret address is none.
    """
    listed: dict[str, HeaderValue] = settings.get("headers", {})
    headers = {name: _joined(name, value) for name, value in listed.items()}
    url = settings["url"]
    if not _is_secret(url):
        return base_url(url), headers
    scheme, separator, rest = url.resolve().strip().partition("://")
    host, slash, path = rest.partition("/")
    login, at, host = host.rpartition("@")
    try:
        base = base_url(f"{scheme}{separator}{host}{slash}{path}")
    except ServerSettingsError:
        raise ServerSettingsError(
            f"{url!r} holds no server address that can be used; write it as http://user:password@host:port/path, without "
            "query and fragment, and percent-encode what is special in user and password"
        ) from None
    if at and "authorization" not in map(str.lower, headers):
        headers["Authorization"] = f"Basic {_basic(login)}"
    return base, headers


def _joined(name: str, value: "HeaderValue") -> str:
    """A header's value; white space around it, such as the line break that ends a file, is none of it."""
    parts = value if isinstance(value, list) else [value]
    joined = "".join(part if isinstance(part, str) else part.resolve() for part in parts).strip()
    if HEADER_VALUE.fullmatch(joined) is None:
        raise ServerSettingsError(f"the header {name!r} is no line of ASCII text once its secrets are looked up: {parts!r}")
    return joined


def _basic(login: str) -> str:
    from binascii import b2a_base64
    from urllib.parse import unquote_to_bytes

    login = login if ":" in login else f"{login}:"
    return b2a_base64(unquote_to_bytes(login), newline=False).decode()


def websocket_url(url: str) -> str:
    """Return the address of a server's sessions.

    Args:
        url: Its base address.

    Returns:
        ``ws://host:port/path/ws``, or ``wss://`` for ``https://``.
    """
    return f"ws{url.removeprefix('http')}/ws"


def shown_url(settings: Mapping[str, Any]) -> str:
    """Return the base address as messages may show it.

    Args:
        settings: What `server_settings` returned.

    Returns:
        The address, or the secret's name.
    """
    url = settings["url"]
    return url if isinstance(url, str) else repr(url)
