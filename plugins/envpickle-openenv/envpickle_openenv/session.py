"""What one environment instance plays on: a session on the server, its episode and its reward."""

import os
import threading
import time
from collections.abc import Mapping
from typing import Any

from tenacity import Retrying, retry_if_exception_type, sleep_using_event, stop_before_delay, stop_when_event_set
from tenacity import wait_random_exponential as backoff_with_jitter

from envpickle.errors import EnvpickleError

from .arguments import check_json
from .errors import EnvironmentClosed, ServerRefused, ServerUnavailable, SessionLost
from .results import capped, observation_text, reason, refusal_text, result_text, reward_of
from .server import DEFAULTS, shown_url
from .transport import BROKEN, Link

__all__ = ["Session"]

FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 5.0
NO_SESSION = frozenset({"SESSION_ERROR", "FACTORY_ERROR"})
REAPED = "is not available; environment is closed"
"""What OpenEnv's tools answer once it has reaped a session, whose resets go on as if nothing had happened."""


class Session:
    """The play of one instance.

    One thread at a time resets or calls, the others wait; `close` waits for nobody.

    Args:
        settings: What `envpickle_openenv.server_settings` returned.
        on_error: ``"raise"``, or ``"unscored"`` to go on with an episode that says so and has no reward.
        max_result_chars: The most characters of an observation or result; None for all.
    """

    def __init__(self, settings: Mapping[str, Any], on_error: str, max_result_chars: int | None) -> None:
        self.pid = os.getpid()
        self.reward: float | None = None
        self._settings = {**DEFAULTS, **settings}
        self._unscored = on_error == "unscored"
        self._max_result_chars = max_result_chars
        self._lock = threading.Lock()
        self._closed = False
        self._stop_waiting = threading.Event()
        self._link: Link | None = None
        self._no_episode: str | None = "no episode was begun; call reset() first"
        self._heard_at = 0.0
        self._was_idle = False
        self._calls_by_step = True

    def reset(self, task: Mapping[str, Any]) -> str | None:
        """Begin an episode, opening a session where there is none that can be trusted.

        Args:
            task: What the server's reset is given.

        Returns:
            What the server says.

        Raises:
            ServerUnavailable: If there was no connection or no room until the deadline; this and the next only under
                ``on_error="raise"``.
            ServerRefused: If the server would not begin the episode.
            EnvironmentClosed: If the instance is closed, or was meanwhile.
            TypeError: If the task holds what JSON cannot.
        """
        message = {"type": "reset", "data": dict(task)}
        check_json(task, "reset")
        with self._lock:
            self.reward = None
            self._no_episode = "the last reset failed; call reset() again"
            try:
                data = self._until_deadline(message)
            except EnvpickleError as error:
                self._raise_if_closed()
                if not self._unscored:
                    raise
                self._no_episode = str(error)
                return self._capped(f"The environment could not begin this episode, which is not scored: {error}")
            self._no_episode = None
            self._take_reward(data)
            text = observation_text(data)
            return None if text is None else self._capped(text)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool.

        Args:
            tool: Its name on the server.
            arguments: Its arguments by the server's names.

        Returns:
            What the tool returned, or why it failed.

        Raises:
            SessionLost: If there is no episode, or its connection broke; only under ``on_error="raise"``.
            EnvironmentClosed: If the instance is closed, or was meanwhile.
            TypeError: If an argument is nothing JSON can hold.
        """
        check_json(arguments, tool)
        with self._lock:
            self._raise_if_closed()
            try:
                return self._capped(self._called(tool, arguments))
            except SessionLost as error:
                self._raise_if_closed()
                if not self._unscored:
                    raise
                return self._capped(f"Error: {error}; this episode is not scored")

    def tools(self) -> list[Any]:
        """Ask for the tools, which some servers list only once an episode has begun.

        Returns:
            What the server lists, in its words.

        Raises:
            SessionLost: If there is no session.
        """
        with self._lock:
            if self._link is None:
                raise SessionLost("there is no session to ask for tools; call reset() first")
            rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            asked = ({"type": "mcp", "data": rpc}, {"type": "step", "data": {"type": "list_tools"}})
            for message in asked:
                data = self._asked("tools/list", message).get("data")
                found = data.get("result", data.get("observation")) if isinstance(data, Mapping) else None
                if isinstance(found, Mapping) and found.get("tools"):
                    return list(found["tools"])
            return []

    def close(self) -> None:
        """End the session for good: a call in flight fails. Idempotent, takes no lock and waits for nothing."""
        self._closed = True
        link = self._link
        if link is not None:
            link.sever()
        if os.getpid() == self.pid:  # in a forked child the event's lock may be held by a thread that is not there
            self._stop_waiting.set()

    def _capped(self, text: str) -> str:
        return capped(text, self._max_result_chars)

    def _raise_if_closed(self) -> None:
        if self._closed:
            raise EnvironmentClosed("this environment is closed; make another instance of its class")

    def _until_deadline(self, message: Mapping[str, Any]) -> dict[str, Any]:
        attempts = Retrying(
            retry=retry_if_exception_type(ServerUnavailable),
            wait=backoff_with_jitter(multiplier=FIRST_WAIT_SECONDS, max=LONGEST_WAIT_SECONDS),
            stop=stop_before_delay(self._settings["retry_for"]) | stop_when_event_set(self._stop_waiting),
            sleep=sleep_using_event(self._stop_waiting),
            reraise=True,
        )
        try:
            return attempts(self._begin, message)
        except ServerUnavailable as error:
            tried = f"tried for {self._settings['retry_for']:.3g} s; see that the server is up and has room, or raise retry_for"
            raise ServerUnavailable(f"{error}; {tried}") from error

    def _begin(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """One try to begin an episode."""
        self._raise_if_closed()
        reused = self._is_trusted()
        if not reused:
            self._open()
        shown = shown_url(self._settings)
        try:
            answer = self._ask(message, self._settings["reset_timeout"])
        except BROKEN as error:
            if reused:  # it had died unnoticed
                return self._begin(message)
            raise ServerUnavailable(f"{shown} did not answer a reset: {reason(error)}") from None
        if answer.get("type") == "observation" and isinstance(answer.get("data"), dict):
            return dict(answer["data"])
        return self._refused(answer, message, reused)

    def _refused(self, answer: Mapping[str, Any], message: Mapping[str, Any], reused: bool) -> dict[str, Any]:
        data = answer.get("data")
        code = str(data.get("code", "")) if isinstance(data, Mapping) else ""
        if reused or code == "CAPACITY_REACHED" or code in NO_SESSION:
            self._drop()
        if reused:  # a session that was reaped may answer so
            return self._begin(message)
        text = f"{shown_url(self._settings)} would not begin an episode. {refusal_text(data or answer)}"
        if code == "CAPACITY_REACHED":
            raise ServerUnavailable(text)
        raise ServerRefused(f"{text.rstrip('.')}; look into the server's log, or send it another task", code=code)

    def _is_trusted(self) -> bool:
        """Whether the session at hand can begin another episode.

        A server may reap an idle session and leave its connection open, with an environment behind it that answers a
        reset but no longer works. Only silence hints at that.
        """
        if self._link is None:
            return False
        if self._link.is_open() and not self._idle_too_long():
            return True
        self._drop()
        return False

    def _idle_too_long(self) -> bool:
        most = self._settings["max_idle"]
        self._was_idle |= most is not None and time.monotonic() - self._heard_at > most
        return self._was_idle

    def _open(self) -> None:
        link = self._link = Link(self._settings)
        if self._closed:  # close() may have looked before there was a link
            link.sever()
        try:
            link.open()
        except BaseException:
            self._drop()
            raise
        self._was_idle = False

    def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.sever()

    def _ask(self, message: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        assert self._link is not None
        try:
            answer = self._link.ask(message, timeout)
        except BaseException:
            # A late answer would be taken for that of the next message, so the session goes with it; also when whoever
            # waits is interrupted.
            self._drop()
            self.reward = None
            raise
        self._heard_at = time.monotonic()
        return answer

    def _called(self, tool: str, arguments: Mapping[str, Any]) -> str:
        if self._no_episode is not None or self._link is None:
            raise SessionLost(f"{tool} was not called: {self._no_episode or 'the session is lost; call reset()'}")
        self._idle_too_long()
        step = {"type": "step", "data": {"type": "call_tool", "tool_name": tool, "arguments": dict(arguments)}}
        rpc = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": dict(arguments)},
        }
        if self._calls_by_step:
            answer = self._asked(tool, step)
            data = answer.get("data")
            if answer.get("type") != "error" or not isinstance(data, Mapping) or data.get("code") != "VALIDATION_ERROR":
                return self._told(answer)
            self._calls_by_step = False  # its steps are of another kind; tools are called past them
        return self._told(self._asked(tool, {"type": "mcp", "data": rpc}))

    def _asked(self, tool: str, message: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._ask(message, self._settings["call_timeout"])
        except BROKEN as error:
            self._no_episode = f"the session broke during {tool}: {reason(error)}"
            raise SessionLost(f"{self._no_episode}; call reset() for another episode") from None

    def _told(self, answer: Mapping[str, Any]) -> str:
        data = answer.get("data")
        if not isinstance(data, Mapping):
            return refusal_text(answer)
        if answer.get("type") == "error":
            return refusal_text(data)
        text = result_text(data)
        if text.startswith("Error: ") and text.endswith(REAPED):
            self._drop()
            self.reward = None
            self._no_episode = "the server has ended the session, which was silent for too long"
            raise SessionLost(f"{self._no_episode}; call reset() for another episode")
        self._take_reward(data)
        return text

    def _take_reward(self, data: Mapping[str, Any]) -> None:
        if isinstance(data.get("reward"), int | float):
            self.reward = reward_of(data["reward"])
