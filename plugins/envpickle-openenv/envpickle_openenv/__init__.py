"""Environment classes made from the tools an OpenEnv or MCP server lists.

`AgentEnv` asks a server for its tools and makes a class of them; the class pickles as the call that built it, plays
over one session per instance, and is closed with the `AgentEnv` in whichever process it is.

Every public name is loaded when it is first used, so that a process which is sent a class imports only what building it
takes.
"""

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from . import errors as errors
    from .agentenv import AgentEnv as AgentEnv
    from .environment import ToolEnvironment as ToolEnvironment
    from .environment import environment_class as environment_class
    from .listing import list_mcp_tools as list_mcp_tools
    from .listing import list_tools as list_tools
    from .server import server_settings as server_settings
    from .toolset import Tool as Tool
    from .toolset import Toolset as Toolset

__all__ = [
    "AgentEnv",
    "Tool",
    "ToolEnvironment",
    "Toolset",
    "environment_class",
    "errors",
    "list_mcp_tools",
    "list_tools",
    "server_settings",
]

_HOMES = {
    "AgentEnv": "agentenv",
    "Tool": "toolset",
    "ToolEnvironment": "environment",
    "Toolset": "toolset",
    "environment_class": "environment",
    "list_mcp_tools": "listing",
    "list_tools": "listing",
    "server_settings": "server",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "errors":
        return import_module(f"{__name__}.errors")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
