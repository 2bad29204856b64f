"""An owner that is closed, or whose process is killed, ends the sessions of every process on the machine that holds some."""

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest
from harbour.berths import told
from voyage.lifelines import EACH, IN_GRANDCHILD, WORKERS, seconds_until_empty
from voyage.parents import runs

METHODS = ["spawn", "forkserver", "fork"]
ALL = WORKERS * EACH + IN_GRANDCHILD
AT_ONCE_S = 0.5
"""Seconds from the call's return, or from the signal, until no session may be left."""


@pytest.mark.parametrize("method", METHODS)
def test_close_reaches_a_pool_and_a_grandchild(parent: Callable[..., Any], method: str) -> None:
    """Four workers and a grandchild have 64 sessions: none is left half a second after `close()` returned, and all live on."""
    ours = parent("pool", method)
    ours.await_word("ready")
    assert ours.sessions() == ALL == 64

    told(str(ours.home), "close")
    ours.await_word("done")

    assert float((ours.home / "seconds").read_text()) < AT_ONCE_S
    assert (ours.home / "later_OwnerClosed").exists(), list(ours.home.iterdir())
    assert all(map(runs, ours.family()))
    told(str(ours.home), "go")
    ours.await_word("over")


@pytest.mark.parametrize("method", METHODS)
def test_the_kill_of_the_parent_reaches_a_pool_and_a_grandchild(parent: Callable[..., Any], method: str) -> None:
    """The same half a second after the owner's process was killed with SIGKILL."""
    ours = parent("pool", method)
    ours.await_word("ready")
    assert ours.sessions() == ALL

    os.kill(ours.process.pid, signal.SIGKILL)

    assert seconds_until_empty(str(ours.home)) < AT_ONCE_S


@pytest.mark.parametrize("ending", ["close", *map(int, (signal.SIGKILL, signal.SIGTERM, signal.SIGINT))])
def test_detached_processes_are_reached(parent: Callable[..., Any], ending: Any) -> None:
    """A process forked twice and a program that unpickled the class, each in a session of its own, close and live on."""
    ours = parent("detached")
    ours.await_word("ready")
    assert ours.sessions() == 6

    if ending == "close":
        told(str(ours.home), "close")
    else:
        os.kill(ours.process.pid, ending)

    seconds = seconds_until_empty(str(ours.home))
    if ending == "close":
        ours.await_word("seconds")
        seconds = float((ours.home / "seconds").read_text())
    assert seconds < AT_ONCE_S
    assert len(ours.family()) == 2
    assert all(map(runs, ours.family()))
