"""A process may close descriptors that are not its own; its files have our numbers then, and nobody writes or closes them."""

from pathlib import Path

import pytest
from voyage.fresh import run

PROGRAM = """
import json, multiprocessing, os, signal, sys, time
from pathlib import Path
import envpickle
from harbour import berths
from voyage.fresh import report

HOME, METHOD, WHEN = sys.argv[1:]

def reopen(home):
    os.closerange(3, 256)
    return [os.open(f"{home}/file_{number}", os.O_CREAT | os.O_RDWR) for number in range(40)]

def are_open(files):
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    try:
        [os.fstat(fd) for fd in files]  # what was closed at the fork is missed here
        os._exit(0)
    finally:
        os._exit(1)

def signalled(files):
    heard = []
    signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0.01)
    return [len(heard), sum(os.fstat(fd).st_size for fd in files)]

def hold(cls, home, when):
    berths.HELD.append(cls())
    files = reopen(home)
    if when == "later":
        time.sleep(0.5)
    told = [are_open(files), signalled(files) if when == "later" else None]
    berths.told(home, "found", json.dumps(told))

if __name__ == "__main__":
    cls = envpickle.Owner().build(berths.berth, HOME, ["lift"])
    if METHOD == "home":
        child = multiprocessing.get_context("spawn").Process(target=berths.hold, args=(cls,))  # so that it listens
        child.start()
        child.join()
        report([are_open(reopen(HOME)), None])
    else:
        child = multiprocessing.get_context(METHOD).Process(target=hold, args=(cls, HOME, WHEN))
        child.start()
        child.join(30)
        report(json.loads(Path(HOME, "found").read_text()))
"""


@pytest.mark.parametrize(
    ("method", "when", "found"),
    [
        ("spawn", "at once", [True, None]),
        ("fork", "at once", [True, None]),
        ("spawn", "later", [True, [3, 0]]),
        ("fork", "later", [True, [3, 0]]),
        ("home", "at once", [True, None]),
    ],
)
def test_the_numbers_are_anothers_soon(tmp_path: Path, method: str, when: str, found: list[object]) -> None:
    """A fork closes none of the files in the child; signals are not written into them, and answered as ever."""
    assert run(PROGRAM, str(tmp_path), method, when, PYTHONWARNINGS="default", quiet=False) == found
