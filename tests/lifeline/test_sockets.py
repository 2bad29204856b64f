"""What a lifeline is not: a door. Whoever connects, sends or stands in the way changes nothing but how far closing reaches."""

import gc
import logging
import os
import pickle
import socket
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harbour import berths, moored
from voyage.closing import await_word
from voyage.lifelines import seconds_until_empty

import envpickle
from envpickle import closing, errors, lifeline
from envpickle import owner as owners
from envpickle import places as directory

Hold = Callable[..., Any]
A_WHILE_S = 0.3
"""Seconds in which something that must not happen would have happened many times."""


@pytest.fixture
def hold(home: Path) -> Iterator[Hold]:
    """Starts a process that holds two sessions of a pickled class, and waits until it does."""
    started: list[Any] = []

    def begin(payload: bytes, word: str = "holds", **surroundings: str) -> Any:
        started.append(moored.detach_by_subprocess(payload, str(home), 2, word, **surroundings))
        await_word(str(home), word)
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def owner() -> Iterator[envpickle.Owner]:
    """An owner, closed at the end."""
    with envpickle.Owner() as made:
        yield made


def sessions(home: Path) -> int:
    return len(list(home.glob("session_*")))


def socket_of(owner: envpickle.Owner) -> str:
    return directory.path_of(owner.key)


def stays_open(home: Path, count: int = 2) -> bool:
    """Whether so many sessions are open, and still are after a while."""
    until = time.monotonic() + A_WHILE_S
    while time.monotonic() < until:
        if sessions(home) != count:
            return False
        time.sleep(0.01)
    return True


def test_it_listens_in_a_private_directory_once_a_class_was_pickled(places: Path, home: Path, owner: envpickle.Owner) -> None:
    """Not before; with mode 0700; the same bytes before and after, and a file that goes when the owner is closed."""
    cls = owner.build(berths.berth, str(home), [])
    assert not places.exists()

    before = pickle.dumps(cls)

    assert stat.S_IMODE(places.stat().st_mode) == 0o700
    assert stat.S_ISSOCK(os.lstat(socket_of(owner)).st_mode)
    assert pickle.dumps(cls) == before
    assert envpickle.describe(cls) == envpickle.describe(pickle.loads(before))
    owner.close()
    assert not stat.S_ISSOCK(os.lstat(socket_of(owner)).st_mode)


def test_a_foreign_connection_changes_nothing(places: Path, home: Path, owner: envpickle.Owner, hold: Hold) -> None:
    """Others connect, send, go, or stay: the holder keeps its sessions, and closing still reaches it."""
    hold(pickle.dumps(owner.build(berths.berth, str(home), [])))
    foreign = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    for one in foreign:
        one.connect(socket_of(owner))
        one.sendall(b"close everything\n" * 100)
    for one in foreign[::2]:
        one.close()

    assert stays_open(home)
    assert not owner.closed
    owner.close()
    assert seconds_until_empty(str(home)) < 5
    for one in foreign:
        one.close()


def test_what_is_sent_on_a_line_changes_nothing(places: Path, home: Path, owner: envpickle.Owner, hold: Hold) -> None:
    """Where another listens in the owner's place, what it sends to the holder is not read; only the line's end counts."""
    payload = pickle.dumps(owner.build(berths.berth, str(home), []))
    Path(socket_of(owner)).unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(socket_of(owner))
        other.listen()
        hold(payload)
        line, _ = other.accept()
        line.sendall(b"\x00closed\n" * 1_000)
        line.shutdown(socket.SHUT_WR)
        assert stays_open(home)

        line.close()

        assert seconds_until_empty(str(home)) < 5


def open_directory(path: Path, mode: int) -> None:
    """Make a directory with that very mode."""
    path.mkdir()
    path.chmod(mode)


IN_THE_WAY: dict[str, Callable[[Path], Any]] = {
    "others may read it": lambda path: open_directory(path, 0o750),
    "others may write in it": lambda path: open_directory(path, 0o777),
    "a symbolic link": lambda path: path.symlink_to(path.parent / "real"),
    "a file": lambda path: path.write_text("in the way"),
    "anybody may replace it": lambda path: path.parent.chmod(0o777),
    "no writing around it": lambda path: path.parent.rename(path.parent.with_name(path.parent.name + "x")),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_a_directory_that_is_not_ours_alone(
    places: Path, home: Path, owner: envpickle.Owner, caplog: pytest.LogCaptureFixture, what: str
) -> None:
    """No socket is made there. The class travels and is closed here all the same, and the log says why it is so."""
    open_directory(places.parent / "real", 0o700)
    IN_THE_WAY[what](places)
    with caplog.at_level(logging.DEBUG, "envpickle"):
        cls = pickle.loads(pickle.dumps(owner.build(berths.berth, str(home), [])))
    held = cls()

    assert "nobody is told of the end of the owner" in caplog.text
    assert not [path for path in places.parent.rglob("*") if path.is_socket()]
    owner.close()
    assert sessions(home) == 0, held
    moved = places.parent.with_name(places.parent.name + "x")
    if moved.exists():
        moved.rename(places.parent)


@pytest.mark.parametrize("mode", [0o750, 0o777])
def test_a_holder_does_not_trust_such_a_directory(
    places: Path, home: Path, owner: envpickle.Owner, hold: Hold, mode: int
) -> None:
    """It connects to nobody where others might listen."""
    payload = pickle.dumps(owner.build(berths.berth, str(home), []))
    places.chmod(mode)
    hold(payload)
    places.chmod(0o700)
    owner.close()

    assert stays_open(home)


def test_a_path_that_is_too_long(places: Path, home: Path, owner: envpickle.Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no lifeline where a socket's path would not fit."""
    deep = places.parent / ("d" * 90)
    deep.mkdir(mode=0o700)
    monkeypatch.setenv("TMPDIR", str(deep))
    held = pickle.loads(pickle.dumps(owner.build(berths.berth, str(home), [])))()
    owner.close()

    assert sessions(home) == 0, held
    assert not [path for path in deep.rglob("*") if path.is_socket()]


def test_another_temporary_directory_is_not_reached(places: Path, home: Path, owner: envpickle.Owner, hold: Hold) -> None:
    """A holder with another TMPDIR makes its instances, keeps them, and closes them at its own end."""
    (other := places.parent / "other").mkdir(mode=0o700)
    hold(pickle.dumps(owner.build(berths.berth, str(home), [])), TMPDIR=str(other))
    owner.close()

    assert stays_open(home)


def filled(path: str) -> list[socket.socket]:
    """Connections until there is no more room."""
    filling: list[socket.socket] = []
    while len(filling) < 100:
        filling.append(socket.socket(socket.AF_UNIX))
        filling[-1].setblocking(False)
        try:
            filling[-1].connect(path)
        except BlockingIOError:
            return filling
    raise AssertionError("there is room for 100")


def test_a_full_backlog_is_not_waited_for(
    places: Path, home: Path, owner: envpickle.Owner, hold: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the kernel takes no more connections, a holder makes its instances at once, without a line."""
    monkeypatch.setattr(lifeline, "BACKLOG", 1)
    payload = pickle.dumps(owner.build(berths.berth, str(home), []))
    filling = filled(socket_of(owner))
    hold(payload)
    for one in filling:
        one.close()
    owner.close()

    assert stays_open(home)


def test_the_directory_may_vanish(places: Path, home: Path, owner: envpickle.Owner, hold: Hold) -> None:
    """What is connected stays so, closing works, and the next owner makes the directory again."""
    hold(pickle.dumps(owner.build(berths.berth, str(home), [])))
    for path in places.iterdir():
        path.unlink()
    places.rmdir()
    assert stays_open(home)
    with envpickle.Owner() as second:
        pickle.dumps(second.build(berths.berth, str(home), []))
        assert Path(socket_of(second)).is_socket()

    owner.close()
    assert seconds_until_empty(str(home)) < 5


def test_who_comes_too_late_is_told(places: Path, home: Path, owner: envpickle.Owner) -> None:
    """A process that makes its first instance after the owner was closed gets OwnerClosed, and opens nothing."""
    payload = pickle.dumps(owner.build(berths.berth, str(home), []))
    owner.close()
    late = moored.late_instance(payload)

    assert late == errors.OwnerClosed.__name__
    assert sessions(home) == 0


def test_a_class_that_is_sent_after_its_owner_was_closed(places: Path, home: Path, owner: envpickle.Owner) -> None:
    """Nobody listened for it before: who gets the class is told all the same."""
    cls = owner.build(berths.berth, str(home), [])
    owner.close()

    assert moored.late_instance(pickle.dumps(cls)) == errors.OwnerClosed.__name__
    assert sessions(home) == 0


def test_a_class_that_is_sent_while_its_owner_is_closed(
    places: Path, home: Path, owner: envpickle.Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another thread, after closing has looked whether anybody is to be told, and before the owner counts as closed."""
    cls = owner.build(berths.berth, str(home), [])
    sent: list[bytes] = []

    def close(*args: Any) -> Any:
        sent.append(pickle.dumps(cls))
        return closing.close_owned(*args)

    monkeypatch.setattr(owners, "close_owned", close)
    owner.close()

    assert not Path(socket_of(owner)).is_socket()
    assert moored.late_instance(sent[0]) == errors.OwnerClosed.__name__


def test_an_owner_that_was_dropped_is_not_closed(places: Path, home: Path, hold: Hold, monkeypatch: pytest.MonkeyPatch) -> None:
    """It listens on; where too many were dropped, holders of the oldest are let go, and not closed."""
    gc.collect()  # owners that other tests dropped are the oldest then
    monkeypatch.setattr(lifeline, "MOST_LEFT", 1)
    first, second = envpickle.Owner(), envpickle.Owner()
    paths = [Path(socket_of(first)), Path(socket_of(second))]
    hold(pickle.dumps(first.build(berths.berth, str(home), [])))
    pickle.dumps(second.build(berths.berth, str(home), []))
    del first
    gc.collect()
    assert paths[0].is_socket()
    del second
    gc.collect()

    assert [path.is_socket() for path in paths] == [False, True]
    assert stays_open(home)


def test_a_process_that_closes_all_its_descriptors(places: Path, home: Path, owner: envpickle.Owner) -> None:
    """A holder that closes what is not its own (as daemons do) loses its line: nothing is closed, and no thread spins."""
    payload = pickle.dumps(owner.build(berths.berth, str(home), []))
    seen = moored.after_closing_descriptors(payload)

    assert seen == {"sessions": 2, "threads": ["envpickle-closer"], "foreign": True}
    owner.close()
