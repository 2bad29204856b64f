"""Sixteen threads at once, made to take turns at nearly every instruction (`sys.setswitchinterval`)."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from harbour.forking import boat
from voyage.fresh import run, surroundings

import envpickle

AT_ONCE = """
import gc, importlib, json, os, pickle, sys, threading
from voyage.fresh import report
import envpickle
from envpickle import errors
sys.setswitchinterval(1e-6)
ROUNDS = int(sys.argv[1])

def at_once(*calls):
    # Results or errors of calls that begin together, each in a thread of its own.
    barrier, found = threading.Barrier(len(calls)), [None] * len(calls)
    def work(number, call):
        barrier.wait(20)
        try:
            found[number] = call()
        except BaseException as error:
            found[number] = error
    threads = [threading.Thread(target=work, args=pair, daemon=True) for pair in enumerate(calls)]
    [thread.start() for thread in threads]
    [thread.join(40) for thread in threads]
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    return found
"""

LOADING = """
from harbour import docks
payload = pickle.dumps([docks.dock(["same"])] * 2)
seen = []
for number in range(ROUNDS):
    gc.collect()
    docks.reset_runs()
    found = at_once(*[lambda: pickle.loads(payload)[0]] * 16)
    seen.append([len(set(map(id, found))), docks.RUNS.count("dock")])
    del found
report(sorted(set(map(tuple, seen))))
"""


def test_sixteen_threads_load_the_same_bytes() -> None:
    """They get one class, and its builder runs once."""
    assert run(AT_ONCE + LOADING, "60") == [[1, 1]]


RAISING = """
from harbour import docks
kinds, hung = set(), 0
for number in range(ROUNDS):
    docks.FAILURES[:] = [RuntimeError(f"no {n}") for n in range(number % 5)]
    found = at_once(*[lambda: docks.failing(["round", number])] * 16)
    classes = [one for one in found if isinstance(one, type)]
    raised = [one for one in found if isinstance(one, RuntimeError)]
    kinds.add((len(set(classes)) <= 1, len(classes) + len(raised) == 16, len(raised) <= number % 5))
    docks.FAILURES.clear()
    assert docks.failing(["round", number]).__name__ == "Failing"
report(sorted(kinds))
"""


def test_a_builder_that_raises_wakes_the_waiters() -> None:
    """Each failure is one thread's; the others build in its place, and all end with the one class."""
    assert run(AT_ONCE + RAISING, "60") == [[True, True, True]]


MODULE = '''"""Builds at its import, and is built when its import is what loading needs."""
import envpickle

RUNS = []


@envpickle.builder
def make(number: int) -> type:
    """A class of this module."""
    RUNS.append(number)
    return type("Made", (), {"number": number})


Made = make(1)
'''
SENDING = """
import importlib, pickle, sys
sys.path.insert(0, sys.argv[1])
modules = [importlib.import_module(f"built_{number}") for number in range(int(sys.argv[2]))]
sys.stdout.buffer.write(pickle.dumps([pickle.dumps(module.Made) for module in modules]))
"""
IMPORTING = """
from pathlib import Path
sys.path.insert(0, sys.argv[2])
payloads = pickle.loads(Path(sys.argv[2], "payloads").read_bytes())
seen = set()
for number in range(ROUNDS):
    found = at_once(*[lambda: pickle.loads(payloads[number])] * 8,
                    *[lambda: importlib.import_module(f"built_{number}").Made] * 8)
    runs = sys.modules[f"built_{number}"].RUNS
    seen.add((len(set(map(id, found))), len(runs), type(found[0]).__name__))
report(sorted(seen))
"""


def test_import_lock_against_registry_lock(tmp_path: Path) -> None:
    """Eight threads load what eight others import, whose import builds that very class: one class, one run, nobody waits on."""
    rounds = 30
    for number in range(rounds):
        (tmp_path / f"built_{number}.py").write_text(MODULE)
    made = subprocess.run(
        [sys.executable, "-c", SENDING, str(tmp_path), str(rounds)], env=surroundings(), capture_output=True, check=True
    )
    (tmp_path / "payloads").write_bytes(made.stdout)

    assert run(AT_ONCE + IMPORTING, str(rounds), str(tmp_path)) == [[1, 1, "RuntimeType"]]


OWNING = """
from harbour.forking import CLOSED, boat
wrong = []
for number in range(ROUNDS):
    CLOSED.clear()
    owner = envpickle.Owner()
    cls, held = owner.build(boat, ["owned", number]), []
    def make():
        made = []
        try:
            for n in range(20):
                made.append(cls((threading.get_ident(), n)))
        except errors.OwnerClosed:
            pass
        held.extend(made)
        return "made"
    found = at_once(*[make] * 14, owner.close, lambda: pickle.loads(pickle.dumps(cls)))
    owner.close()
    wrong += [repr(one) for one in found if isinstance(one, BaseException)]
    names = [one.name for one in held]
    if sorted(names) != sorted(set(names) & set(CLOSED)) or len(CLOSED) != len(set(CLOSED)):
        wrong.append([len(names), len(CLOSED), len(set(CLOSED))])
report(wrong)
"""


def test_owners_close_while_others_make_instances() -> None:
    """Each instance that was made is closed, and closed once."""
    assert run(AT_ONCE + OWNING, "25") == []


FIRST_PICKLE = """
from harbour.forking import boat
seen = set()
for number in range(ROUNDS):
    with envpickle.Owner() as owner:
        classes = [owner.build(boat, ["sent", n]) for n in range(4)]
        found = at_once(*[lambda n=n: pickle.dumps(classes[n % 4]) for n in range(16)])
        seen.add((len(set(found)), type(owner._ownership.line).__name__))
folder = os.path.join(os.environ["TMPDIR"], f"envpickle-{os.geteuid()}")
report([sorted(seen), sum(name.endswith(".lock") for name in os.listdir(folder))])
"""


def test_sixteen_threads_pickle_for_the_first_time(tmp_path: Path) -> None:
    """The owner listens once, and the bytes are the same."""
    with_room = Path("/tmp") / f"ep{os.getpid()}"  # a socket's path is short
    with_room.mkdir(mode=0o700)
    try:
        assert run(AT_ONCE + FIRST_PICKLE, "40", TMPDIR=str(with_room)) == [[[4, "_Listener"]], 1]
    finally:
        for path in with_room.iterdir():
            path.rmdir()
        with_room.rmdir()


FIRST_INSTANCE = """
from harbour import moored
from envpickle import lines
payloads = [bytes.fromhex(payload) for payload in sys.argv[2].split()]
found = []
for payload in payloads:
    cls = pickle.loads(payload)
    found += at_once(*[lambda: cls("one")] * 16)
    del cls
at_once(*[lambda: None] * 2)
(watch,) = lines._watches
while watch.orders:
    pass
report([len(found), len(watch.lines), moored.threads().count("envpickle-lines")])
"""


def test_sixteen_threads_make_the_first_instance() -> None:
    """One line for each owner, and one thread for all."""
    owners = [envpickle.Owner() for _ in range(10)]
    payloads = [pickle.dumps(owner.build(boat, "held")).hex() for owner in owners]
    try:
        assert run(AT_ONCE + FIRST_INSTANCE, "0", " ".join(payloads)) == [160, 10, 1]
    finally:
        for owner in owners:
            owner.close()


@pytest.mark.parametrize("attempt", range(3))
def test_a_child_that_is_forked_from_sixteen_busy_threads(attempt: int) -> None:
    """Threads build, load, own and close without end; every child that is forked meanwhile does so too."""
    assert run(AT_ONCE + BUSY, "12", quiet=False, PYTHONWARNINGS="default") == [0] * 12


BUSY = """
from harbour.forking import boat
stop = threading.Event()

def once(number):
    cls = boat(["busy", number])
    assert pickle.loads(pickle.dumps(cls)) is cls
    with envpickle.Owner() as owner:
        held = pickle.loads(pickle.dumps(owner.build(boat, ["busy", number])))(number)

def churn(number):
    while not stop.is_set():
        number += 16
        once(number)

once(0)   # no import is left to be under way when forking
threads = [threading.Thread(target=churn, args=(n,), daemon=True) for n in range(16)]
[thread.start() for thread in threads]
codes = []
for number in range(ROUNDS):
    pid = os.fork()
    if not pid:
        code = 1
        try:
            import signal
            signal.alarm(30)
            sys.setswitchinterval(0.005)
            once(("child", number))
            code = 0
        finally:
            os._exit(code)
    codes.append(os.waitpid(pid, 0)[1])
stop.set()
[thread.join(40) for thread in threads]
report(codes)
"""


MANY = """
from harbour.forking import boat
def go(first):
    for number in range(first, first + ROUNDS):
        pickle.dumps(boat(number))
found = at_once(*[lambda first=first: go(first) for first in range(0, 16 * ROUNDS, ROUNDS)])
report([repr(error) for error in found if error is not None])
"""


def test_sixteen_threads_check_more_arguments_than_are_remembered() -> None:
    """Of arguments that were checked before some are remembered; which ones, threads decide together."""
    assert run(AT_ONCE + MANY, "250") == []
