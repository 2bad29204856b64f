"""The builder of environment classes, and what their instances have in common.

This is imported by every process that such a class is sent to, before it makes an instance: it imports nothing but a
neighbour that is as light. What speaks to the server comes with the first ``reset``.
"""

from __future__ import annotations

from os import getpid

from envpickle import RuntimeType, builder

from .signature import annotation, signature_bearer

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, Self

    from envpickle import Secret

    from .errors import EnvironmentClosed, ToolsetError
    from .session import Session

__all__ = ["ToolEnvironment", "environment_class"]


class Play:
    """How the instances of one class play.

    Attributes:
        server: A server's address, or what `envpickle_openenv.server_settings` returned.
        on_error: What a failed reset and a lost session come to.
        max_result_chars: The most characters of an observation or a result.
    """

    __slots__ = ("max_result_chars", "on_error", "server")

    def __init__(self, server: str | Secret | dict[str, Any], on_error: str, max_result_chars: int | None) -> None:
        self.server = server
        self.on_error = on_error
        self.max_result_chars = max_result_chars

    def session(self) -> Session:
        """Return a session that is not open yet, importing what it takes to open it."""
        from .session import Session

        settings = self.server if isinstance(self.server, dict) else {"url": self.server}
        return Session(settings, self.on_error, self.max_result_chars)


class ToolEnvironment:
    """What `environment_class` builds on: an instance is one session on the server, opened by its first `reset`."""

    _play: Play
    _session: Session | None = None
    _closed = False

    def reset(self, /, **task: object) -> str | None:
        """Begin an episode.

        Args:
            **task: What the server's reset is given.

        Returns:
            What the server says of the beginning, or None.
        """
        return self._own_session().reset(task)

    def _call(self, method: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        session = self._session
        if self._closed:
            raise _closed()
        if session is None or session.pid != getpid():
            return self._not_begun(method["name"])
        from .arguments import bound_arguments

        order = [*method["required"], *(name for name in method["parameters"] if name not in method["required"])]
        bound = bound_arguments(method.get("method", method["name"]), order, args, kwargs)
        listed = method.get("listed", {})
        return session.call(method["name"], {listed.get(name, name): value for name, value in bound.items()})

    def _not_begun(self, tool: str) -> str:
        text = f"{tool} was not called: no episode was begun in this process; call reset() first"
        if self._play.on_error == "unscored":
            return f"Error: {text}"
        from .errors import SessionLost

        raise SessionLost(text)

    def _own_session(self) -> Session:
        """Return this instance's session in this process; one inherited from a parent is left to the parent."""
        inherited = self._session
        if inherited is not None and inherited.pid != getpid():
            inherited.close()
            self.__dict__.pop("_session", None)
        session: Session = self.__dict__.get("_session") or self.__dict__.setdefault("_session", self._play.session())
        if self._closed:
            session.close()
            raise _closed()
        return session

    def _close(self) -> None:
        """End the session: a call in flight fails, and the instance cannot be used any more. May be called again."""
        self._closed = True
        session = self._session
        if session is not None:
            session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def __getstate__(self) -> Any:
        """A copy has no session and is not closed: it opens its own."""
        state: Any = super().__getstate__()
        named, slots = state if isinstance(state, tuple) else (state, None)
        kept = {name: value for name, value in (named or {}).items() if name not in ("_session", "_closed")}
        return kept if slots is None else (kept, slots)


def get_reward(self: ToolEnvironment) -> float | None:
    """Return the episode's reward.

    Returns:
        The last reward the server gave since the last reset; None if it gave none or the episode is not scored.
    """
    session = self._session
    return None if session is None or session.pid != getpid() else session.reward


@builder
def environment_class(
    name: str,
    tools: list[dict[str, Any]],
    server: str | Secret | dict[str, Any],
    *,
    on_error: Literal["raise", "unscored"] = "raise",
    max_result_chars: int | None = None,
    rewards: bool = True,
) -> type[ToolEnvironment]:
    """Build the class of environments that play on a server with the tools it lists.

    Its instances have one method per tool, ``reset(**task)``, ``get_reward()`` and ``_close()``. The constructor does
    not connect; the first ``reset`` does.

    Args:
        name: The class's name.
        tools: `Toolset.plain()`, or the tools as the server lists them (``name``, ``description``, ``inputSchema``).
        server: The server's address, or what `server_settings` returned.
        on_error: What happens if a reset fails until the deadline, or a session is lost: an exception (``"raise"``), or
            an observation that says so and an episode without a reward (``"unscored"``).
        max_result_chars: The most characters of an observation or of a tool's result; None for no limit.
        rewards: Whether the class has ``get_reward``; False for a server that gives no rewards.

    Returns:
        The class.

    Raises:
        ToolsetError: If the tools, the name or an option cannot be used.
        ServerSettingsError: If the address holds credentials in clear.
    """
    check_play(name, on_error, max_result_chars)
    _check_tools(name, tools)
    _check_server(server if isinstance(server, dict) else {"url": server})
    methods = tools if all("doc" in tool and "parameters" in tool for tool in tools) else _described(tools)
    namespace: dict[str, Any] = {
        "__doc__": f"{len(methods)} tools of a server, played over one session per instance.",
        "_play": Play(server, on_error, max_result_chars),
    }
    if rewards:
        namespace["get_reward"] = get_reward
    for method in methods:
        method_name = method.get("method", method["name"])
        if method_name in namespace or method_name == "reset" or method_name.startswith("_"):
            raise _unusable(f"the tool {method['name']!r} cannot be the method {method_name!r}, which is taken")
        namespace[method_name] = _method(method_name, method)
    built: Any = RuntimeType(name, (ToolEnvironment,), namespace)
    return built  # type: ignore[no-any-return]  # a metaclass's instances are not known to be subclasses


def check_play(name: Any, on_error: str, max_result_chars: int | None) -> None:
    """Refuse a name or an option that cannot be used."""
    if not isinstance(name, str) or not name.isidentifier():
        raise _unusable(f"{name!r} is no class name; give one such as 'Dock'")
    if on_error not in ("raise", "unscored"):
        raise _unusable(f"on_error is {on_error!r}; it is 'raise' or 'unscored'")
    if max_result_chars is not None and (type(max_result_chars) is not int or max_result_chars < 1):
        raise _unusable(f"max_result_chars is {max_result_chars!r}; it is a number of at least 1, or None")


def _check_tools(name: str, tools: Any) -> None:
    if not isinstance(tools, list | tuple) or not all(isinstance(tool, dict) for tool in tools):
        raise _unusable(
            f"the tools of {name} are a {type(tools).__name__}; give Toolset.plain(), or a list as the server lists it"
        )
    if not tools:
        raise _unusable(f"the class {name} would have no tools; check what the server lists")


def _check_server(settings: dict[str, Any]) -> None:
    """Refuse what may hold a password in clear; the rest can wait for the first reset."""
    url, headers = settings.get("url"), settings.get("headers")
    if url is None:
        raise _unusable("the server's settings have no url; make them by server_settings()")
    if not isinstance(url, str):
        from envpickle import Secret

        if not isinstance(url, Secret):
            raise _unusable(f"the server's address is {url!r:.100}; give a text, an envpickle.Secret, or server_settings()")
    if headers or (isinstance(url, str) and ("@" in url or "?" in url)):
        from .server import base_url, checked_headers

        checked_headers(headers or {})
        if isinstance(url, str):
            base_url(url)


def _described(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    from .toolset import Toolset

    return Toolset.from_listing(tools).plain()


def _method(name: str, described: dict[str, Any]) -> Callable[..., str]:
    def method(self: ToolEnvironment, /, *args: Any, **kwargs: Any) -> str:
        return self._call(described, args, kwargs)

    parameters, required = described["parameters"], described["required"]
    defaults = described.get("defaults", {})
    optional = [parameter for parameter in parameters if parameter not in required]
    method.__name__ = name
    method.__doc__ = described["doc"]
    method.__annotations__ = hints = {parameter: annotation(schema) for parameter, schema in parameters.items()}
    method.__wrapped__ = signature_bearer(  # type: ignore[attr-defined]  # where inspect.signature looks
        name,
        [*required, *optional],
        hints,
        tuple(defaults.get(parameter, ...) for parameter in optional),
        "positional" in described,
    )
    return method


# The errors are imported when there is one to raise: they cost a loading process as much as all the rest of this.


def _closed() -> EnvironmentClosed:
    from .errors import EnvironmentClosed

    return EnvironmentClosed("this environment was closed, and its session with it; make another instance of its class")


def _unusable(text: str) -> ToolsetError:
    from .errors import ToolsetError

    return ToolsetError(text)
