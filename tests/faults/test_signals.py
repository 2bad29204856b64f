"""SIGTERM where an owned class arrived: handlers that C code has set, and a process that the signal does not end."""

from pathlib import Path
from typing import Any

from voyage.fresh import run

PROGRAM = """
import faulthandler, pickle, signal, subprocess, sys, time
from pathlib import Path
import envpickle
from harbour import berths
from voyage.fresh import report

HOME, ROLE = sys.argv[1:]
DATA = Path(HOME, "class.pickle")

def arrive():
    berths.HELD.append(pickle.loads(DATA.read_bytes())())

if ROLE == "in C":
    faulthandler.register(signal.SIGTERM, open(HOME + "/stacks", "w"), chain=True)
    arrive()
    signal.raise_signal(signal.SIGTERM)
elif ROLE == "first":
    # of a container, to which the kernel gives no signal that has its default action; as here, where it is held back
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    arrive()
    signal.getsignal(signal.SIGTERM)(signal.SIGTERM, None)
else:
    DATA.write_bytes(pickle.dumps(envpickle.Owner().build(berths.berth, HOME, ["lift"])))
    role = ROLE.removeprefix("start ")
    child = subprocess.run([sys.executable, __file__, HOME, role], stderr=subprocess.PIPE, timeout=50)
    report([child.returncode, child.stderr.decode(), len([*Path(HOME).glob("session_*")])])
"""


def ended(home: Path, role: str) -> Any:
    """Exit status, standard error, and the sessions that are left."""
    return run(PROGRAM, str(home), f"start {role}", PYTHONWARNINGS="default")


def test_a_handler_of_c_code_is_left_alone(tmp_path: Path) -> None:
    """What faulthandler registered before the class came is called, as a handler of Python's would be; nothing of ours is."""
    assert ended(tmp_path, "in C") == [-15, "", 1]
    assert "most recent call first" in (tmp_path / "stacks").read_text()


def test_a_process_that_the_signal_does_not_end(tmp_path: Path) -> None:
    """It closes and ends all the same: it lived on, with everything in it closed."""
    assert ended(tmp_path, "first") == [128 + 15, "", 0]
