"""Closing, on a stand-in for a server: however a child, its parent or a pool ends, no session stays open."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from voyage import closing
from voyage.fresh import end_group
from voyage.parents import Parent, live, running, runs

METHODS = ["spawn", "forkserver", "fork"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where sessions are files and processes leave word."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def started(tmp_path: Path, home: Path) -> Iterator[list[Parent]]:
    """Parents that are ended after the test with all they started."""
    parents: list[Parent] = []
    yield parents
    for parent in parents:
        end_group(parent.process)


def sail(started: list[Parent], home: Path, method: str, ending: str) -> Parent:
    parent = Parent(home, method, ending)
    started.append(parent)
    return parent


CODES = {
    "return": "0",
    "raise": "1",
    "exit": "3",
    "interrupt": "1",
    "sigterm": str(-signal.SIGTERM),
    "unread": str(-signal.SIGTERM),
    "call": str(-signal.SIGTERM),
    "main call": str(-signal.SIGTERM),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ending", CODES)
def test_a_child_that_ends_leaves_no_session(started: list[Parent], home: Path, method: str, ending: str) -> None:
    """Return, exception, sys.exit, SIGINT, SIGTERM (also with unread queue data, in a call): closed, usual status."""
    parent = sail(started, home, method, ending)

    assert parent.ended() == 0, parent.err
    assert live(home) == []
    assert parent.code() == CODES[ending]
    assert (home / "ready").exists()


@pytest.mark.parametrize("method", METHODS)
def test_a_daemon_child_leaves_no_session(started: list[Parent], home: Path, method: str) -> None:
    """A daemon child that the ending parent shuts down closes its sessions."""
    parent = sail(started, home, method, "daemon")

    assert parent.ended() == 0, parent.err
    assert live(home) == []
    assert running(parent.child()) == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_a_parent_that_is_killed_leaves_nothing(started: list[Parent], home: Path, method: str, number: int) -> None:
    """When the parent is ended by a signal the child closes its sessions and ends too."""
    parent = sail(started, home, method, "parent")
    closing.await_word(str(home), "up")
    child = parent.child()
    assert len(list(home.glob("session_*"))) == 3
    assert runs(child)

    os.kill(parent.process.pid, number)

    assert live(home) == []
    assert running(child) == []


@pytest.mark.parametrize("method", METHODS)
def test_a_grandchild_ends_with_the_parent(started: list[Parent], home: Path, method: str) -> None:
    """When the parent is killed, a child's child closes its sessions and nobody of the family is left."""
    parent = sail(started, home, method, "grandchild")
    closing.await_word(str(home), "up")
    family = [parent.child(), int((home / "grandchild").read_text())]
    assert all(map(runs, family))

    os.kill(parent.process.pid, signal.SIGKILL)

    assert live(home) == []
    assert [running(pid) for pid in family] == [[], []]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ending", ["stuck return", "stuck sigterm"])
def test_a_closing_that_hangs_does_not_keep_the_process(started: list[Parent], home: Path, method: str, ending: str) -> None:
    """A child whose instances cannot be closed tries, ends all the same in a bounded time, and keeps its status."""
    parent = sail(started, home, method, ending)

    assert parent.ended() == 0, parent.err
    assert (home / "closing").exists()
    assert parent.code() == ("0" if ending == "stuck return" else str(-signal.SIGTERM))


@pytest.mark.parametrize("method", METHODS)
def test_instances_made_in_threads_are_closed(started: list[Parent], home: Path, method: str) -> None:
    """A child whose instances were all made outside its main thread closes them on SIGTERM too."""
    parent = sail(started, home, method, "threads")

    assert parent.ended() == 0, parent.err
    assert live(home) == []
    assert parent.code() == str(-signal.SIGTERM)


@pytest.mark.parametrize("method", METHODS)
def test_a_users_own_handler_stays(started: list[Parent], home: Path, method: str) -> None:
    """A SIGTERM handler of the user's runs, with its own status, and sessions are closed by the exit it makes."""
    parent = sail(started, home, method, "own handler")

    assert parent.ended() == 0, parent.err
    assert (home / "own handler ran").exists()
    assert parent.code() == "7"
    assert live(home) == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["executor", "pool"])
def test_pool_workers_leave_no_session(started: list[Parent], home: Path, method: str, kind: str) -> None:
    """Workers that end with their pool close what tasks left in them."""
    parent = sail(started, home, method, kind)

    assert parent.ended() == 0, parent.err
    assert live(home) == []
    assert parent.code() == "0"


@pytest.mark.parametrize("ending", ["inherited", "raw fork"])
def test_a_forked_child_closes_only_its_own(started: list[Parent], home: Path, ending: str) -> None:
    """A forked child's end leaves the sessions it inherited to the parent, which closes them at its own end."""
    parent = sail(started, home, "fork", ending)

    assert parent.ended() == 0, parent.err
    assert parent.code() == "0"
    assert not (home / "the child closed its parent's sessions").exists()
    assert live(home) == []


@pytest.mark.parametrize(("ending", "status"), [("main returns", 0), ("main raises", 1), ("main exits", 3)])
def test_the_main_process_leaves_no_session(started: list[Parent], home: Path, ending: str, status: int) -> None:
    """A main process that ends in a usual way closes what nobody closed, and keeps its status."""
    parent = sail(started, home, "spawn", ending)

    assert parent.ended() == status, parent.err
    assert parent.code() == "0"
    assert live(home) == []


def test_the_stand_in_notices_what_stays_open(home: Path) -> None:
    """The measuring itself: an open session is seen, so that none of the tests above can pass by looking away."""
    from harbour import berths

    one = berths.berth(str(home), ["x"])()
    assert len(live(home, 0.1)) == 1
    one._close()
    assert live(home, 0.1) == []
