"""Asking a server for its tools, once, in the process that makes the class."""

import os
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import httpx
from tenacity import Retrying, retry_if_exception, stop_before_delay
from tenacity import wait_random_exponential as backoff_with_jitter

from envpickle import Secret

from .errors import ListingError, OpenEnvError
from .mcp import handshake_and_list, pages
from .results import reason
from .server import DEFAULTS, UNTRUSTED, resolved, server_settings, shown_url
from .toolset import Toolset

__all__ = ["Server", "list_mcp_tools", "list_tools"]

Server: TypeAlias = str | Secret | dict[str, Any]
"""A server's address, or what `envpickle_openenv.server_settings` returned."""


def list_tools(server: Server, *, task: Mapping[str, Any] | None = None, rename: Mapping[str, str] | None = None) -> Toolset:
    """Ask a server for its tools.

    An OpenEnv server is asked without a session, which takes up none of its room. One that lists nothing so is asked in
    a session after a reset, which is then ended. What does not speak OpenEnv is asked as an MCP server.

    Args:
        server: The server.
        task: What the reset is given, should one be needed.
        rename: Method names to use instead of those the naming rules give, by tool.

    Returns:
        The toolset.

    Raises:
        ListingError: If none of the ways gave tools; the message has the reason for each.
        ToolsetError: If what is listed cannot be made into a class.
    """
    settings = server if isinstance(server, dict) else server_settings(server)
    deadline = _deadline(settings)
    ways: dict[str, Callable[[httpx.Client, str], list[Any]]] = {
        "asked without a session": _without_session,
        "asked in a session after a reset": lambda client, url: _after_reset(settings, task or {}, deadline),
        "asked as an MCP server": _as_mcp_server,
    }
    reasons = []
    with _client(settings) as client:
        url = resolved(settings)[0]
        for way, ask in ways.items():
            try:
                listed = _patiently(ask, client, url, deadline)
            except (httpx.HTTPError, httpx.InvalidURL, ValueError, OpenEnvError) as error:
                reasons.append(f"{way}: {_why(error)}")
                continue
            if listed:
                return Toolset.from_listing(listed, rename)
            reasons.append(f"{way}: it lists none")
    raise ListingError(
        f"{shown_url(settings)} could not be asked for its tools ({'; '.join(reasons)}); check the address, the "
        "headers, and whether its reset needs a task"
    )


def list_mcp_tools(server: Server, *, rename: Mapping[str, str] | None = None) -> Toolset:
    """Ask an MCP server for its tools.

    Args:
        server: The server, by its endpoint, such as ``http://localhost:9000/mcp``.
        rename: Method names to use instead of those the naming rules give, by tool.

    Returns:
        The toolset.

    Raises:
        ListingError: If it could not be asked.
        ToolsetError: If it lists nothing, or what it lists cannot be made into a class.
    """
    settings = server if isinstance(server, dict) else server_settings(server)
    with _client(settings) as client:
        try:
            listed = _patiently(handshake_and_list, client, resolved(settings)[0], _deadline(settings))
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise ListingError(
                f"{shown_url(settings)} could not be asked for its tools as an MCP server: {_why(error)}; check the headers, "
                "and that the address is that of its endpoint for streamable HTTP, such as http://localhost:9000/mcp"
            ) from None
    return Toolset.from_listing(listed, rename)


def _client(settings: Mapping[str, Any]) -> httpx.Client:
    times = {**DEFAULTS, **settings}
    headers = resolved(settings)[1]
    try:
        return httpx.Client(headers=headers, timeout=httpx.Timeout(times["call_timeout"], connect=times["open_timeout"]))
    except (ImportError, ValueError, httpx.InvalidURL) as error:  # the text hides passwords; an address's part may be one
        why = type(error).__name__ if isinstance(error, httpx.InvalidURL) else reason(error)
        raise ListingError(
            f"{shown_url(settings)} could not be asked for its tools: what the environment says of proxies cannot be used "
            f"({why}); look into {', '.join(sorted(_proxy_variables())) or 'the system settings'}"
        ) from None


def _proxy_variables() -> list[str]:
    return [name for name in os.environ if name.lower().endswith("_proxy")]


def _why(error: BaseException) -> str:
    untrusted = isinstance(error, httpx.TransportError) and _is_untrusted(error)
    return f"{UNTRUSTED} ({reason(error)})" if untrusted else reason(error)


def _is_untrusted(error: BaseException | None) -> bool:
    """Whether a server's certificate was refused, which no further try changes; the library wraps that in errors of its own."""
    if error is None or isinstance(error, ssl.SSLCertVerificationError):
        return error is not None
    return _is_untrusted(error.__cause__ or (error.__context__ if error.__suppress_context__ else None))


def _deadline(settings: Mapping[str, Any]) -> float:
    return time.monotonic() + float(settings.get("retry_for", DEFAULTS["retry_for"]))


def _patiently(ask: Callable[[httpx.Client, str], list[Any]], client: httpx.Client, url: str, deadline: float) -> list[Any]:
    """Ask again while there is no answer; at least once."""
    attempts = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, httpx.TransportError) and not _is_untrusted(error)),
        wait=backoff_with_jitter(multiplier=0.1, max=5.0),
        stop=stop_before_delay(max(deadline - time.monotonic(), 0.0)),
        reraise=True,
    )
    return attempts(ask, client, url)


def _without_session(client: httpx.Client, url: str) -> list[Any]:
    return pages(client, f"{url}/mcp")


def _after_reset(settings: Mapping[str, Any], task: Mapping[str, Any], deadline: float) -> list[Any]:
    from .session import Session

    session = Session({**settings, "retry_for": max(deadline - time.monotonic(), 0.0)}, "raise", None)
    try:
        session.reset(task)
        return session.tools()
    finally:
        session.close()


def _as_mcp_server(client: httpx.Client, url: str) -> list[Any]:
    return handshake_and_list(client, url if url.endswith("/mcp") else f"{url}/mcp")
