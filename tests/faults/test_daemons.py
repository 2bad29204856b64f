"""A daemon that a child of multiprocessing forks outlives the program that multiprocessing calls its parent."""

from pathlib import Path

import pytest
from voyage.closing import await_word
from voyage.fresh import run

PROGRAM = """
import multiprocessing, os, sys, time
import envpickle
from harbour import berths
from voyage.closing import await_word
from voyage.fresh import report
from voyage.parents import runs

HOME, METHOD = sys.argv[1:]

def fork_a_daemon(cls, home, program):
    if pid := os.fork():
        os.waitpid(pid, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    [os.dup2(os.open(os.devnull, os.O_RDWR), standard) for standard in range(3)]
    own = envpickle.Owner()
    berths.HELD.extend([cls(), own.build(berths.berth, home, ["its own"])()])
    berths.told(home, "up")
    deadline = time.monotonic() + 20
    while runs(program) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(1)
    berths.told(home, "survived", [berth.file.exists() for berth in berths.HELD])
    own.close()
    os._exit(0)

if __name__ == "__main__":
    cls = envpickle.Owner().build(berths.berth, HOME, ["lift"])
    args = cls, HOME, os.getpid()
    child = multiprocessing.get_context(METHOD).Process(target=fork_a_daemon, args=args)
    child.start()
    child.join()
    await_word(HOME, "up")
    report(child.exitcode)
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_daemon_goes_on(tmp_path: Path, method: str) -> None:
    """It is not ended with the program; what it holds of the program's owner is closed, and nothing else."""
    assert run(PROGRAM, str(tmp_path), method, PYTHONWARNINGS="default", quiet=False) == 0
    await_word(str(tmp_path), "survived")
    assert (tmp_path / "survived").read_text() == "[False, True]"
