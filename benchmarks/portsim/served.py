"""The rules as OpenEnv environments (runs only where `openenv` is installed)."""

import asyncio
import functools
import inspect
import logging
import time
from collections.abc import Callable
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction
from openenv.core.env_server.types import Action, Observation, State

from .counts import Counts
from .options import Options
from .rules import RuleError, Rules

__all__ = ["Berth", "PortEnvironment", "served_class"]


class Berth:
    """What all sessions of one environment share: its options and its counts.

    Attributes:
        rules: The class of the rules.
        options: The options in force; replaced while the port runs.
        counts: The counters.
    """

    def __init__(self, rules: type[Rules], options: Options) -> None:
        """Lay out a berth for one environment."""
        self.rules = rules
        self.options = options
        self.counts = Counts()

    def take_failure(self) -> bool:
        """Tell whether the reset at hand has to fail, and use that failure up."""
        left = self.options.fail_resets
        if left > 0:
            self.options = self.options.changed({"fail_resets": left - 1})
        return left != 0


class PortEnvironment(MCPEnvironment):  # type: ignore[misc]  # openenv ships no types
    """One session's environment.

    The reward stands in the observation of ``reset``, of every ``step`` that calls a tool, and in
    ``state``: it is the score of the state as it then is, so the last one is the episode's, never
    their sum, and an episode in which nothing is done has one too.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True
    berth: Berth

    def __init__(self) -> None:
        """Set up the rules and serve their tools."""
        self.rules = self.berth.rules()
        self.started = False
        self.steps = 0
        self.episode_id: str | None = None
        server = FastMCP(self.rules.name, middleware=[Habits(self)])
        for tool in self.rules.tools:
            server.tool(told(tool))
        super().__init__(server)
        self.open = is_session()
        if self.open:
            self.berth.counts.open()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **task: Any) -> Observation:
        """Begin an episode; task arguments the rules do not know are ignored, and None, which rows of other tasks leave."""
        time.sleep(self.berth.options.reset_seconds)
        if self.berth.take_failure():
            raise RuntimeError("this reset was told to fail (portsim option fail_resets)")
        asked = inspect.signature(self.rules.start).parameters.keys() - {"seed"}
        known = {name: task[name] for name in asked if task.get(name) is not None}
        text = self.rules.start(seed=seed or 0, **known)
        self.started = True
        self.steps = 0
        self.episode_id = episode_id
        return Observation(metadata={"message": text}, reward=self.rules.reward)

    async def step_async(self, action: Action, timeout_s: float | None = None, **kwargs: Any) -> Observation:
        """Take a step; a tool call is answered with the reward so far."""
        observation = await super().step_async(action, timeout_s=timeout_s, **kwargs)
        return self._scored(action, observation)

    def step(self, action: Action, timeout_s: float | None = None, **kwargs: Any) -> Observation:
        """Take a step; a tool call is answered with the reward so far."""
        observation = super().step(action, timeout_s=timeout_s, **kwargs)
        return self._scored(action, observation)

    def _scored(self, action: Action, observation: Observation) -> Observation:
        if isinstance(action, CallToolAction) and self.started:
            self.steps += 1
            observation.reward = self.rules.reward
            observation.done = self.rules.done
        return observation

    def _step_impl(self, action: Action, timeout_s: float | None = None, **kwargs: Any) -> Observation:
        raise ValueError(f"{self.rules.name} is played by tools only, not by {type(action)}")

    @property
    def state(self) -> State:
        """The episode's state: reward and done beside OpenEnv's own fields."""
        return State(
            episode_id=self.episode_id,
            step_count=self.steps,
            reward=self.rules.reward if self.started else None,
            done=self.rules.done,
        )

    def close(self) -> None:
        """End the session; OpenEnv calls this for dropped and reaped sessions too."""
        if self.open:
            self.open = False
            self.berth.counts.close()
        super().close()


class Habits(Middleware):
    """What the options make of tool calls and tool lists."""

    def __init__(self, environment: PortEnvironment) -> None:
        """Watch over one session's tools."""
        self.environment = environment

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        """Call a tool, slowly if told so, and only while an episode runs."""
        await asyncio.sleep(self.environment.berth.options.tool_seconds)
        if not self.environment.started:
            raise ToolError("no episode is running: reset first")
        return await call_next(context)

    async def on_list_tools(self, context: Any, call_next: Any) -> Any:
        """List the tools, or none where they are listed only after a reset."""
        hidden = self.environment.berth.options.tools_after_reset
        return [] if hidden and not self.environment.started else await call_next(context)


def told(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a tool so that the player, not the server's log, is told what the rules forbid."""

    @functools.wraps(tool)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except RuleError as error:
            raise ToolError(str(error), log_level=logging.DEBUG) from None

    return called


def is_session() -> bool:
    """Tell whether the environment being made is a session's.

    OpenEnv makes a session's environment in that session's own thread, and one-off environments
    (behind ``POST /mcp`` without a session, ``/reset``, ``/step``) on the event loop.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return True
    return False


def served_class(berth: Berth) -> type[PortEnvironment]:
    """Make the class OpenEnv calls for every session of one environment."""
    return type(berth.rules.__name__, (PortEnvironment,), {"berth": berth})
