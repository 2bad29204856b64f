"""When a line ends, and when not: exit hooks, forks, constructors at work, and what killed processes leave behind."""

import os
import pickle
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harbour import latched
from voyage.fresh import run, surroundings

import envpickle
from envpickle import places as directory

AT_EXIT = """
import atexit, json, multiprocessing, os, sys, time
import multiprocessing.util
from pathlib import Path
from voyage.fresh import report
from harbour import berths

def work(cls, home):
    one = cls()
    berths.told(home, "ready")
    while not Path(home, "exiting").exists():
        time.sleep(0.005)
    time.sleep(0.3)
    two = cls()  # named: one that is dropped is closed
    report(dict(open=one.file.exists(), another=two.file.exists()))

if __name__ == "__main__":
    home = sys.argv[1]
    atexit.register(berths.told, home, "exiting")   # after our exit hook, and before multiprocessing's
    import envpickle
    owner = envpickle.Owner()
    cls = owner.build(berths.berth, home, [])
    multiprocessing.get_context("spawn").Process(target=work, args=(cls, home)).start()
    while not Path(home, "ready").exists():
        time.sleep(0.005)
"""


def test_children_at_work_outlive_the_exit_hooks(home: Path) -> None:
    """A process that ends waits for its children first: what they hold stays open until they are done."""
    assert run(AT_EXIT, str(home)) == {"open": True, "another": True}
    assert not list(home.glob("session_*"))


FORKED = """
import os, pickle, socket, stat, sys
from voyage.fresh import report
from harbour import latched, moored
import envpickle

def sockets():
    found = []
    for fd in map(int, os.listdir("/proc/self/fd")):
        try:
            found.append(stat.S_ISSOCK(os.fstat(fd).st_mode) or os.readlink(f"/proc/self/fd/{fd}").endswith(".lock"))
        except OSError:
            pass
    return sum(found)

if sys.argv[1] == "owner":
    owner = envpickle.Owner()
    cls = owner.build(latched.plain, 1)   # never pickled: the fork itself has it listen
else:
    cls = pickle.loads(bytes.fromhex(sys.argv[2]))
    one = cls()
read, write = os.pipe()
pid = os.fork()
if not pid:
    try:
        before = sockets()
        second = cls()
        os.write(write, bytes([before, sockets(), moored.threads().count("envpickle-lines")]))
    finally:
        os._exit(0)
os.waitpid(pid, 0)
report(dict(here=sockets(), child=list(os.read(read, 9))))
"""


def test_a_forked_child_has_no_socket_of_the_owner(places: Path) -> None:
    """It gives back what it inherits, and connects when it makes an instance itself."""
    seen = run(FORKED, "owner", quiet=False, PYTHONWARNINGS="default")

    assert seen == {"here": 2, "child": [0, 1, 1]}  # the socket and the file that says the process lives


def test_a_forked_child_of_a_holder_has_a_line_of_its_own(places: Path) -> None:
    """It gives back its parent's line, and connects when it makes an instance itself."""
    with envpickle.Owner() as owner:
        payload = pickle.dumps(owner.build(latched.plain, 1))
        seen = run(FORKED, "holder", payload.hex(), quiet=False, PYTHONWARNINGS="default")

    assert seen == {"here": 1, "child": [0, 1, 1]}


MAKING = """
import json, pickle, sys, threading, time
from harbour import halfway
cls = pickle.load(sys.stdin.buffer)
thread = threading.Thread(target=lambda: held.append(cls("door")))
held = []
thread.start()
assert halfway.BEGUN.wait(20)
print("making", flush=True)
ownership = cls.__dict__["__envpickle_record__"].owner
deadline = time.monotonic() + 20
while not ownership.closed and time.monotonic() < deadline:
    time.sleep(0.005)
before = list(halfway.LOG)
halfway.WORD.set()
thread.join(20)
while len(halfway.LOG) < 2 and time.monotonic() < deadline:
    time.sleep(0.005)
print(json.dumps([before, halfway.LOG]), flush=True)
"""


def test_a_constructor_at_work_elsewhere_is_waited_for() -> None:
    """What it opens is closed when it is made, as `Owner.close()` would."""
    with envpickle.Owner() as owner:
        from harbour import halfway

        holder = subprocess.Popen(
            [sys.executable, "-c", MAKING], env=surroundings(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )  # fmt: skip
        assert holder.stdin is not None
        holder.stdin.write(pickle.dumps(owner.build(halfway.opening, 1)))
        holder.stdin.close()
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"making\n"
        owner.close()
        try:
            assert holder.stdout.readline() == b'[[], [["opened", "door"], ["closed", "door"]]]\n'
        finally:
            holder.stdout.close()
            holder.kill()
            holder.wait()


LISTENING = """
import pickle, sys, time
from harbour import latched
import envpickle
owners = [envpickle.Owner() for _ in range(3)]
for number, owner in enumerate(owners):
    pickle.dumps(owner.build(latched.plain, number))
owners[0].close()
print(owners[1].key.hex(), flush=True)
time.sleep(300)
"""


def listening(places: Path) -> tuple[Any, bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENING], env=surroundings(TMPDIR=str(places.parent)), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, bytes.fromhex(process.stdout.readline())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_process_left_is_swept_away(places: Path, number: int) -> None:
    """By the next process that listens; what belongs to a living one stays, and nobody connects to it."""
    killed, of_killed = listening(places)
    living, of_living = listening(places)
    os.kill(killed.pid, number)
    killed.wait()
    assert Path(directory.path_of(of_killed)).is_socket()
    names = {path.name for path in places.iterdir()}
    assert len(names) == 8

    third, of_third = listening(places)
    left = {path.name.partition("-")[0].partition(".")[0] for path in places.iterdir()}

    assert left == {key[10:].hex() for key in (of_living, of_third)}
    assert len(list(places.iterdir())) == 8
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(directory.path_of(of_living))
    for process in (killed, living, third):
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_class_that_comes_home_is_not_tied_to_itself(places: Path) -> None:
    """In the owner's own process there is no line; an owner that was dropped goes on listening for its class."""
    owner = envpickle.Owner()
    key = owner.key
    payload = pickle.dumps(owner.build(latched.plain, 77))
    del owner
    cls: Any = pickle.loads(payload)
    before = len(list(Path("/proc/self/fd").iterdir()))
    one = cls()

    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert Path(directory.path_of(key)).is_socket()
    assert not cls.__dict__["__envpickle_record__"].owner.closed, one
