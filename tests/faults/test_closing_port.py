"""Closing with real sessions on the port pack: however a child or its parent ends, the server has no session of it left."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from voyage import closing
from voyage.fresh import end_group
from voyage.parents import PATIENCE_S, Parent, running, runs

from benchmarks.portsim.launch import Port
from benchmarks.portsim.launch import running as running_port

METHODS = ["spawn", "forkserver", "fork"]
CALL_SECONDS = 1.5
"""A tool call that is under way when the child is ended. The server frees a session when it is done with its call."""


@pytest.fixture(scope="module")
def shared_port() -> Iterator[Port]:
    with running_port() as port:
        yield port


@pytest.fixture
def port(shared_port: Port) -> Iterator[Port]:
    """The port with nobody on it."""
    shared_port.wait_live("dock", 0)
    yield shared_port
    shared_port.configure("dock", tool_seconds=0.0)


@pytest.fixture
def sail(tmp_path: Path, port: Port) -> Iterator[object]:
    """Starts a parent whose child plays on the port; both are ended after the test."""
    home = tmp_path / "home"
    home.mkdir()
    parents: list[Parent] = []

    def start(method: str, ending: str) -> Parent:
        parents.append(Parent(home, method, ending, port.dock_url))
        return parents[-1]

    yield start
    for parent in parents:
        end_group(parent.process)


CODES = {
    "return": "0",
    "raise": "1",
    "exit": "3",
    "sigterm": str(-signal.SIGTERM),
    "unread": str(-signal.SIGTERM),
    "call": str(-signal.SIGTERM),
    "main call": str(-signal.SIGTERM),
    "killed": str(-signal.SIGKILL),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ending", CODES)
def test_a_child_that_ends_leaves_no_session(sail: object, port: Port, method: str, ending: str) -> None:
    """Every way a child ends, its own SIGKILL among them: three sessions were made, none is left, the status is the usual."""
    before = port.status()["dock"]
    in_call = "call" in ending
    port.configure("dock", tool_seconds=CALL_SECONDS if in_call else 0.0)
    parent = sail(method, ending)  # type: ignore[operator]

    assert parent.ended() == 0, parent.err
    after = port.wait_live("dock", 0, seconds=PATIENCE_S + (CALL_SECONDS if in_call else 0.0))
    assert after["sessions"]["made"] - before["sessions"]["made"] == 3
    assert after["tool_calls"] - before["tool_calls"] == int(in_call)
    assert parent.code() == CODES[ending]


@pytest.mark.parametrize("method", METHODS)
def test_a_daemon_child_leaves_no_session(sail: object, port: Port, method: str) -> None:
    """A daemon child that the ending parent shuts down."""
    parent = sail(method, "daemon")  # type: ignore[operator]

    assert parent.ended() == 0, parent.err
    port.wait_live("dock", 0, seconds=PATIENCE_S)
    assert running(parent.child()) == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_parent_that_is_killed_leaves_nothing(sail: object, port: Port, method: str, number: int) -> None:
    """When the parent is ended by a signal neither a session nor the child is left."""
    parent = sail(method, "parent")  # type: ignore[operator]
    closing.await_word(str(parent.home), "up")
    child = parent.child()
    port.wait_live("dock", 3)
    assert runs(child)

    os.kill(parent.process.pid, number)

    port.wait_live("dock", 0, seconds=PATIENCE_S)
    assert running(child) == []
