"""Closing an instance: at once, from anywhere, whatever it is doing, and only its own process's session."""

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from quay.helpers import HANG_SECONDS, dock_class, nowhere, running, toolset
from quay.wires import silence

from benchmarks.portsim.launch import Port
from benchmarks.portsim.players import play_dock
from envpickle_openenv import Toolset
from envpickle_openenv.errors import EnvironmentClosed, SessionLost

LONG_SECONDS = 60.0
"""Longer than any test waits: what is interrupted did not end by itself."""


@pytest.fixture
def env(port: Port, dock_tools: Toolset) -> Iterator[Any]:
    found = dock_class(port.dock_url, dock_tools)()
    yield found
    found._close()


def in_child(fn: Callable[[], str]) -> str:
    """What a call returns in a forked child, which ends without any exit hook."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = fn()
        except BaseException as error:
            said = repr(error)
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        said = answers.read().decode()
    os.waitpid(pid, 0)
    return said


def test_a_call_in_flight_fails(port: Port, env: Any) -> None:
    """`_close` waits neither for the call nor for its lock."""
    env.reset(seed=1)
    port.configure("dock", tool_seconds=2.0)
    calls = port.status()["dock"]["tool_calls"]
    with running(env.crane_status) as call:
        port.wait_for("dock", lambda status: status["tool_calls"] > calls)
        env._close()
    assert isinstance(call.error, EnvironmentClosed)
    assert port.status()["dock"]["sessions"]["live"] == 1, "the call ended before the server's did"
    port.wait_live("dock", 0)


def test_a_reset_that_waits_for_room_fails(narrow_port: Port) -> None:
    cls = dock_class(narrow_port.dock_url, retry_for=LONG_SECONDS)
    first, second = cls(), cls()
    first.reset(seed=1)
    refused = narrow_port.status()["dock"]["sessions"]["refused"]
    with running(second.reset) as call:
        narrow_port.wait_for("dock", lambda status: status["sessions"]["refused"] > refused)
        second._close()
    assert isinstance(call.error, EnvironmentClosed)
    first._close()
    narrow_port.wait_live("dock", 0)


def test_a_reset_that_waits_for_a_connection_fails() -> None:
    """The server has taken the connection and says nothing to the handshake."""
    with silence() as silent:
        env = dock_class(silent.url, toolset("move"), open_timeout=LONG_SECONDS, retry_for=LONG_SECONDS)()
        with running(env.reset) as call:
            silent.take()
            env._close()
    assert isinstance(call.error, EnvironmentClosed)


def test_closing_is_idempotent_from_many_threads(port: Port, env: Any) -> None:
    env.reset(seed=1)
    closers = [threading.Thread(target=env._close) for _ in range(16)]
    for closer in closers:
        closer.start()
    for closer in closers:
        closer.join(HANG_SECONDS)
    env._close()
    port.wait_live("dock", 0)


def test_a_closed_instance_refuses(port: Port, env: Any) -> None:
    env.reset(seed=1)
    env._close()
    for use in (env.crane_status, lambda: env.reset(seed=1)):
        with pytest.raises(EnvironmentClosed, match="make another instance"):
            use()
    port.wait_live("dock", 0)


def test_an_instance_that_is_dropped_ends_its_session(port: Port, dock_tools: Toolset) -> None:
    """Without an owner too, and although the connection has a thread of its own."""
    env = dock_class(port.dock_url, dock_tools)()
    env.reset(seed=1)
    port.wait_live("dock", 1)
    del env
    port.wait_live("dock", 0)


def test_an_instance_that_never_opened_can_be_closed() -> None:
    env = dock_class(nowhere(), toolset("move"))()
    env._close()
    with pytest.raises(EnvironmentClosed, match="make another instance"):
        env.reset()


def test_a_forked_child_leaves_the_session_to_its_parent(port: Port, env: Any) -> None:
    """It can neither play on it nor end it; what it resets is its own."""
    env.reset(seed=1)

    def play_and_close() -> str:
        try:
            env.crane_status()
        except SessionLost:
            env.reset(seed=1)
            play_dock(env)
            reward = env.get_reward()
            env._close()
            return f"played {reward}"
        return "played on the parent's session"

    assert in_child(play_and_close) == "played 1.0"
    port.wait_live("dock", 1)
    assert in_child(lambda: str(env._close())) == "None"
    assert in_child(lambda: str(env.get_reward())) == "None"
    play_dock(env)
    assert env.get_reward() == 1.0


def test_a_session_ends_with_its_process_though_a_forked_child_lives_on(port: Port) -> None:
    """The child had a handle of its own on the connection, which kept the session alive; a killed parent says no goodbye."""
    script = f"""
        import os, sys
        from quay.helpers import dock_class
        env = dock_class({port.dock_url!r})()
        env.reset(seed=1)
        if os.fork() == 0:
            print("forked", flush=True)
            sys.stdin.read()  # ends with the test
            os._exit(0)
        sys.stdin.read()
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "forked\n"
        port.wait_live("dock", 1)
        parent.kill()
        port.wait_live("dock", 0)


def test_a_fork_while_a_call_runs(port: Port, env: Any) -> None:
    """The child's reset does not wait for a lock whose holder is not there."""
    env.reset(seed=1)
    port.configure("dock", tool_seconds=1.0)
    calls = port.status()["dock"]["tool_calls"]
    with running(env.crane_status) as call:
        port.wait_for("dock", lambda status: status["tool_calls"] > calls)
        assert "containers" in in_child(lambda: str(env.reset(seed=1)))
    assert call.result == "the crane is ready"


@pytest.mark.parametrize("ending", ["pass", "raise SystemExit(3)", "raise KeyError('x')"])
def test_in_an_exit_hook(port: Port, dock_tools: Toolset, ending: str) -> None:
    """No thread, loop or executor is needed to close; a session that nobody closes ends with its process."""
    script = f"""
        import atexit
        from quay.helpers import dock_class
        env = dock_class({port.dock_url!r})()
        other = dock_class({port.dock_url!r})()
        env.reset(seed=1)
        other.reset(seed=1)
        atexit.register(env._close)
        print("open", flush=True)
        input()
        {ending}
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"open\n"
        port.wait_live("dock", 2)
        _, errors = process.communicate(b"\n", timeout=HANG_SECONDS)
    finally:
        process.kill()
        process.wait()
    port.wait_live("dock", 0)
    assert process.returncode == {"pass": 0, "raise SystemExit(3)": 3}.get(ending, 1)
    assert (b"KeyError" in errors) == (b"Traceback" in errors)
