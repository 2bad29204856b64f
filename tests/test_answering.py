"""SIGTERM that arrives while the main thread goes to wait is answered: the child closes, and dies of the signal."""

from pathlib import Path
from typing import Any

import pytest
from voyage.fresh import run

PROGRAM = """
import faulthandler, multiprocessing, os, signal, sys, threading
from pathlib import Path
import envpickle
from harbour import berths
from voyage.fresh import report

HOME, METHOD, PART = sys.argv[1:]

def signal_myself():
    # in this thread: nothing interrupts the main thread, as if the signal had come just before it went to wait
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

def wait_in(semaphore, cls, part, home):
    if part == "in C":  # where the class has arrived, the signal is caught already; this calls what was there before
        faulthandler.register(signal.SIGTERM, open(home + "/stacks", "w"), chain=True)
    berths.HELD.append(cls())
    if part == "forked":  # what a child that forks has is its own child's no more
        if not (pid := os.fork()):
            berths.HELD.append(cls())
        else:
            os.waitpid(pid, 0)
    if part == "own handler":
        late = []
        signal.signal(signal.SIGTERM, lambda *_: os._exit(7 if late else 8))
        threading.Timer(1.0, lambda: (late.append(1), os.kill(os.getpid(), signal.SIGTERM))).start()
    threading.Timer(0.3, signal_myself).start()
    semaphore.acquire()

if __name__ == "__main__":
    context = multiprocessing.get_context(METHOD)
    cls = envpickle.Owner().build(berths.berth, HOME, ["lift"])
    semaphore = context.Semaphore(0)
    child = context.Process(target=wait_in, args=(semaphore, cls, PART, HOME))
    child.start()
    child.join(30)
    found = [child.exitcode, len([*Path(HOME).glob("session_*")])]
    child.kill()
    report(found)
"""


def told(home: Path, method: str, part: str) -> Any:
    return run(PROGRAM, str(home), method, part, PYTHONWARNINGS="default", quiet=False)


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_child_that_waits_closes_and_ends(tmp_path: Path, method: str) -> None:
    assert told(tmp_path, method, "alone") == [-15, 0]


def test_a_child_that_was_forked_by_a_child(tmp_path: Path) -> None:
    """Both end: each sees to its own."""
    assert told(tmp_path, "spawn", "forked") == [-15, 0]


def test_a_handler_of_the_users_own_is_left_alone(tmp_path: Path) -> None:
    """Nothing is sent again: it answers when Python next calls it."""
    assert told(tmp_path, "spawn", "own handler") == [7, 1]


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_handler_that_c_code_put_over_ours_is_called(tmp_path: Path, method: str) -> None:
    """The first instance takes nothing from faulthandler, which writes its stacks when the signal comes and hands on to us."""
    assert told(tmp_path, method, "in C") == [-15, 0]
    assert "most recent call first" in (tmp_path / "stacks").read_text()
