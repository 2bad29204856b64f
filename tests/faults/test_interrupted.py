"""Ctrl-C that comes again while things are closed, as it does where a launcher hands it on: nothing stays open."""

from pathlib import Path

import pytest
from voyage.fresh import run

PROGRAM = """
import multiprocessing, os, signal, sys, time
from pathlib import Path
import envpickle
from harbour import berths, latched
from voyage.fresh import report

HOME, ROLE = sys.argv[1:]

@envpickle.builder
def interrupted():
    class Interrupted:  # its closing comes with a Ctrl-C, and takes its time
        def _close(self):
            signal.pthread_kill(MAIN, signal.SIGINT)
            time.sleep(0.5)
            Path(HOME, "closed").write_text("at last")
    return Interrupted

def hold():
    global MAIN
    import threading
    MAIN = threading.main_thread().ident
    signal.signal(signal.SIGINT, signal.default_int_handler)
    owner = envpickle.Owner()
    berths.HELD.extend([owner, owner.build(interrupted)()])
    return owner

if __name__ == "__main__":
    if ROLE == "at the end":
        child = multiprocessing.get_context("fork").Process(target=hold)
        child.start()
        child.join(30)
        report([child.exitcode, Path(HOME, "closed").exists()])
    elif pid := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        report([code, Path(HOME, "closed").exists()])
    else:
        try:
            hold().close()
        except KeyboardInterrupt:
            sys.exit(5)
"""


@pytest.mark.parametrize(("role", "code"), [("at the end", 0), ("while an owner closes", 5)])
def test_a_second_ctrl_c_leaves_nothing_open(tmp_path: Path, role: str, code: int) -> None:
    """At a process's end it is held back; where it interrupts `Owner.close()`, that is gone through at the end."""
    assert run(PROGRAM, str(tmp_path), role, PYTHONWARNINGS="default") == [code, True]
