"""Servers that answer oddly, late or of their own accord: nothing but what is documented comes out of a reset or a call."""

import json
import signal
import socket
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from quay.helpers import dock_class, running, toolset
from quay.scripted import observed, scripted

from envpickle import Secret
from envpickle_openenv import environment_class
from envpickle_openenv.errors import ServerRefused, ServerSettingsError, ServerUnavailable, SessionLost

TOOLS = toolset("move", "look")
DEEP = "[" * 200_000
ODD = ["not json", "[1]", "null", "{}", DEEP, '{"type": 5}', '{"type": "observation"}', '{"type": "weird", "data": {}}']
HASTY: dict[str, Any] = {"retry_for": 0.2, "reset_timeout": 0.3, "call_timeout": 0.3}


def play(env: Any) -> None:
    env.reset()
    env.move()


def says_its_name(message: dict[str, Any]) -> str:
    return observed({"text": f"{message['type']} {message['data'].get('tool_name', '')}".strip()})


@pytest.mark.parametrize("on_error", ["raise", "unscored"])
@pytest.mark.parametrize("answer", ODD, ids=lambda answer: answer[:20])
def test_odd_answers_are_failures_of_the_server(answer: str, on_error: str, made: list[Any]) -> None:
    with scripted(answer) as url:
        env = dock_class(url, TOOLS, on_error=on_error, **HASTY)()
        made.append(env)
        if on_error == "unscored":
            assert "not scored" in env.reset()
        else:
            with pytest.raises((ServerUnavailable, ServerRefused)):
                env.reset()
    with scripted(observed({"text": "ready"}), answer) as url:
        env = dock_class(url, TOOLS, on_error=on_error, **HASTY)()
        made.append(env)
        assert env.reset() == "ready"
        if on_error == "unscored" or '"observation"' in answer:
            assert env.move().startswith("Error: ")
        else:
            with pytest.raises(SessionLost, match="broke during move"):
                env.move()
        assert env.get_reward() is None


def test_the_answer_to_something_else_is_none(made: list[Any]) -> None:
    with scripted(observed({}), '{"type": "state", "data": {}}') as url:
        env = dock_class(url, TOOLS, call_timeout=3600)()
        made.append(env)
        env.reset()
        with pytest.raises(SessionLost, match="a step was answered as if it were something else: state"):
            env.move()


def test_a_server_that_sends_sessions_elsewhere(monkeypatch: pytest.MonkeyPatch, made: list[Any]) -> None:
    """Another server would be told the headers, and with them what is secret. Older versions of the library follow to none."""
    monkeypatch.setenv("QUAY_KEY", "swordfish")
    seen: list[Any] = []

    def look(request: Any) -> None:
        seen.append(request.headers["X-Key"])

    def here(request: Any) -> str | None:
        return None if request.path == "/there/ws" else "/there/ws"

    with scripted(observed({}), look=look) as url:
        elsewhere = url.replace("http", "ws")
        with scripted(observed({}), look=lambda request: f"{elsewhere}/ws") as first:
            env = dock_class(first, TOOLS, headers={"X-Key": Secret("QUAY_KEY")})()
            made.append(env)
            with pytest.raises(ServerRefused, match=r"sends to another server, 127\.0\.0\.1:\d+|answered HTTP 307"):
                env.reset()
    assert not seen
    with scripted(says_its_name, look=here) as url:
        env = dock_class(url, TOOLS, on_error="unscored")()
        made.append(env)
        said = env.reset()
        assert said == "reset" or "answered HTTP 307" in said


def test_what_a_server_says_unasked_is_no_answer(made: list[Any]) -> None:
    """A greeting does not shift every answer by one."""
    with scripted(says_its_name, greeting='{"type": "welcome", "data": {}}') as url:
        env = dock_class(url, TOOLS)()
        made.append(env)
        assert [env.reset(), env.reset(), env.move(), env.look()] == ["reset", "reset", "step move", "step look"]


@pytest.fixture
def interrupt() -> Iterator[None]:
    def strike(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("interrupt")
@pytest.mark.parametrize("slow", ["reset", "step move"])
def test_an_answer_nobody_waited_for_is_not_the_next_one(slow: str, made: list[Any]) -> None:
    """Ctrl-C during a call, and the call after it gets its own answer."""
    waits = [0.6]

    def answer(message: dict[str, Any]) -> str:
        said = says_its_name(message)
        if f'"{slow}"' in said and waits:
            time.sleep(waits.pop())
        return said

    with scripted(answer) as url:
        env = dock_class(url, TOOLS)()
        made.append(env)
        with pytest.raises(KeyboardInterrupt):
            play(env)
        with pytest.raises(SessionLost, match=r"call reset\(\)"):
            env.look()
        assert [env.reset(), env.look()] == ["reset", "step look"]


@pytest.mark.parametrize("reward", ["NaN", "Infinity", "1" + "0" * 400])
def test_a_number_that_is_no_reward_leaves_the_episode_unscored(reward: str, made: list[Any]) -> None:
    last = observed({"result": "moved"}).replace('"reward": null', f'"reward": {reward}')
    with scripted(observed({}), observed({"result": "moved"}, 0.5), last) as url:
        env = dock_class(url, TOOLS)()
        made.append(env)
        env.reset()
        assert env.move() == "moved"
        assert env.get_reward() == 0.5
        assert env.move() == "moved"
        assert env.get_reward() is None


def test_what_a_failure_says_is_capped_too(made: list[Any]) -> None:
    refusal = json.dumps({"type": "error", "data": {"message": "E" * 5000}})
    with scripted(refusal) as url:
        env = dock_class(url, TOOLS, on_error="unscored", max_result_chars=50)()
        made.append(env)
        assert len(env.reset()) == 50
        assert len(env.move()) == 50


def test_a_tool_before_the_first_reset_can_be_text() -> None:
    env = dock_class("http://127.0.0.1:9", TOOLS, on_error="unscored")()
    assert env.move().startswith("Error: move was not called: ")
    assert env.get_reward() is None


@pytest.mark.parametrize("server", ["nonsense", "http://a..b", Secret("QUAY_NOT_SET")])
def test_settings_that_cannot_be_used_here_can_be_text(server: Any) -> None:
    """Where an exception out of reset would end the run, a secret that this process lacks must not raise one either."""
    env: Any = environment_class("Quay", TOOLS.plain(), server, on_error="unscored")()
    assert "not scored" in env.reset()
    with pytest.raises((ServerSettingsError, LookupError)):
        environment_class("Quay", TOOLS.plain(), server)().reset()


def test_the_timeout_of_sending_is_none_of_reading(made: list[Any]) -> None:
    """A session may be silent for longer than a call may take, whatever the library's version does with the socket."""
    with scripted(says_its_name) as url:
        env = dock_class(url, TOOLS, call_timeout=0.3)()
        made.append(env)
        env.reset()
        sock = env._session._link._socket
        assert sock.gettimeout() is None
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, 16) != bytes(16)
        time.sleep(0.6)
        assert env.move() == "step move"


def test_a_server_that_stops_reading(made: list[Any]) -> None:
    with scripted(observed({}), lambda message: time.sleep(2) or observed({})) as url:  # type: ignore[func-returns-value]
        env = dock_class(url, TOOLS, call_timeout=0.5)()
        made.append(env)
        env.reset()
        with running(lambda: env.move(note="x" * 2**26)) as call:
            pass
        assert isinstance(call.error, SessionLost)
