"""The way in: from a server's address to classes that close with their owner."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack

from envpickle import Owner, Secret

from .arguments import check_json
from .environment import ToolEnvironment, check_play, environment_class
from .errors import ServerSettingsError, ToolsetError
from .listing import Server, list_tools
from .naming import checked_rename
from .server import base_url, server_settings
from .toolset import Toolset

__all__ = ["AgentEnv"]

FALLBACK_NAME = "Environment"


class Settings(TypedDict, total=False):
    """The settings of a server; see `envpickle_openenv.server_settings`."""

    headers: Mapping[str, Any]
    open_timeout: float
    reset_timeout: float
    call_timeout: float
    retry_for: float
    max_idle: float | None


class AgentEnv(Owner):
    """The environments of a server, made from the tools it lists.

    Making one asks the server for its tools, once. The classes take them along, so that no process that receives them
    asks again. Closing it, or leaving its ``with`` block, ends the sessions of every class made here.

    Args:
        url: The server's base address, such as ``http://localhost:8000``, or a `envpickle.Secret` for it.
        name: The class's name, after which trainers name reward columns. The default is the last part of the address.
        tasks: Rows for the environments' ``reset``, kept as `tasks`.
        toolset: The tools, if they are known already; the server is then not asked.
        rename: Method names to use instead of those the naming rules give, by tool.
        list_task: What to pass to a reset, in case the server lists its tools only after one.
        on_error: What happens if a reset fails until the deadline, or a session is lost: an exception (``"raise"``), or
            an observation that says so and an episode without a reward (``"unscored"``).
        max_result_chars: The most characters of an observation or of a tool's result; None for no limit.
        rewards: Whether the class has ``get_reward``.
        **settings: Headers, timeouts and deadlines in seconds; see `envpickle_openenv.server_settings`.

    Attributes:
        name: The class's name.
        toolset: The tools listed.
        factory: The class: what trainers take as ``environment_factory``.
        tasks: The rows given, each with an ``environment`` column that names the class.

    Raises:
        ServerSettingsError: If the address, a setting or the name cannot be used.
        ListingError: If the server could not be asked.
        ToolsetError: If what it lists cannot be made into a class.
        TypeError: If a task is not a row, or cannot be written as JSON.
    """

    def __init__(
        self,
        url: str | Secret,
        *,
        name: str | None = None,
        tasks: Iterable[Mapping[str, Any]] | None = None,
        toolset: Toolset | None = None,
        rename: Mapping[str, str] | None = None,
        list_task: Mapping[str, Any] | None = None,
        on_error: Literal["raise", "unscored"] = "raise",
        max_result_chars: int | None = None,
        rewards: bool = True,
        **settings: Unpack[Settings],
    ) -> None:
        super().__init__()
        server = server_settings(url, **settings)
        self.name = name if name is not None else _name_from(url)
        check_play(self.name, on_error, max_result_chars)
        self.tasks = _rows(tasks if tasks is not None else (), self.name)
        if toolset is not None and not isinstance(toolset, Toolset):
            raise ToolsetError(f"toolset is a {type(toolset).__name__}; give a Toolset, such as Toolset.from_listing(tools)")
        self.toolset = _renamed(toolset, rename) if toolset is not None else list_tools(server, task=list_task, rename=rename)
        self._play: dict[str, Any] = {"on_error": on_error, "max_result_chars": max_result_chars, "rewards": rewards}
        self._settings: Settings = settings
        self.factory: type[ToolEnvironment] = self._built(self.name, self.toolset, server)
        self._further: dict[str, tuple[Server, type[ToolEnvironment]]] = {}
        self._url = server["url"]

    def _built(self, name: str, toolset: Toolset, server: dict[str, Any]) -> type[ToolEnvironment]:
        built: type[ToolEnvironment] = self.build(environment_class, name, toolset.plain(), server, **self._play)
        return built

    def factories(self, **servers: "str | Secret | dict[str, Any] | AgentEnv") -> dict[str, type[ToolEnvironment]]:
        """Return several classes by name, as trainers take them for a mixture of environments.

        Args:
            **servers: Further environments by name. An address, or what `server_settings` returned, is asked for its
                tools the first time it is given. Its class closes with this owner and shares its options, and also its
                headers if it is an address on the same host and port. Another `AgentEnv` gives its own class, which
                closes with that one.

        Returns:
            This environment's class under its own name, and one class per further environment.

        Raises:
            ServerSettingsError: If a name is this environment's own, or was given to another server before, or if two
                classes have one name, which trainers could not tell apart.
            OwnerClosed: If this environment is closed.
            ListingError: If a server could not be asked.
            ToolsetError: If what one lists cannot be made into a class.
        """
        found = {self.name: self.factory}
        for name, server in servers.items():
            if name in found:
                raise ServerSettingsError(f"{name!r} is this environment's own name; give the other one another name")
            found[name] = server.factory if isinstance(server, AgentEnv) else self._of(name, server)
        names = [built.__name__ for built in found.values()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ServerSettingsError(
                f"several classes are called {', '.join(twice)}; trainers name reward columns after them, so give "
                "each AgentEnv a `name` of its own"
            )
        return found

    def _of(self, name: str, server: Server) -> type[ToolEnvironment]:
        if name in self._further:
            known, built = self._further[name]
            if known != server:
                raise ServerSettingsError(f"{name!r} is the name of another server already; give this one another name")
            return built
        if self.closed:
            self._built(name, self.toolset, {"url": self._url})  # refuses
        settings = server if isinstance(server, dict) else server_settings(server, **self._shared_with(server))
        built = self._built(name, list_tools(settings), settings)
        self._further[name] = (server, built)
        return built

    def _shared_with(self, server: str | Secret) -> Settings:
        """The settings for another server: what lets one in here is not told elsewhere."""
        shared: Settings = {**self._settings}
        if isinstance(self._url, Secret) or isinstance(server, Secret) or _origin(server) != _origin(self._url):
            shared.pop("headers", None)
        return shared


def _origin(url: str) -> str:
    scheme, _, rest = base_url(url).partition("://")
    return f"{scheme}://{rest.partition('/')[0].lower()}"


def _renamed(toolset: Toolset, rename: Mapping[str, str] | None) -> Toolset:
    return replace(toolset, rename={**checked_rename(toolset.rename), **checked_rename(rename)}) if rename else toolset


def _name_from(url: str | Secret) -> str:
    """The class name an address suggests: ``http://host/dock-2`` is ``Dock2``."""
    if not isinstance(url, str):
        return FALLBACK_NAME
    path = url.partition("://")[2].rstrip("/").partition("/")[2]
    words = "".join(c if c.isalnum() else " " for c in path.rpartition("/")[2]).split()
    name = "".join(word[:1].upper() + word[1:] for word in words)
    return name if name.isidentifier() else FALLBACK_NAME


def _rows(tasks: Iterable[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    such = "tasks are rows for reset(), such as [{'seed': 1}, {'seed': 2}]"
    given: Any = tasks
    if isinstance(given, Mapping) or not (hasattr(given, "__iter__") or hasattr(given, "__getitem__")):
        raise TypeError(f"tasks is {given!r:.100}; {such}")
    rows = []
    for task in given:
        if not isinstance(task, Mapping) or not all(isinstance(key, str) for key in task):
            raise TypeError(f"a task is {task!r:.100}; {such}")
        if task.get("environment", name) != name:
            raise ServerSettingsError(f"a task of {name!r} is for the environment {task['environment']!r:.100}")
        check_json(task, "a task")
        rows.append({"environment": name, **deepcopy(dict(task))})
    return rows
