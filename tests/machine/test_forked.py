"""The registry's lock at a fork, at its worst moment."""

from voyage.fresh import run

PROGRAM = """
import os, pickle, signal, threading, warnings
from voyage.fresh import report
from harbour import docks
from envpickle import runtime
warnings.simplefilter("ignore", DeprecationWarning)   # a threaded process forks here on purpose

pickle.loads(pickle.dumps(docks.lighthouse(0)))
taken, done = threading.Event(), threading.Event()

def inside():
    with runtime._lock:   # as a thread that is entering a class in the registry
        taken.set()
        done.wait(60)

thread = threading.Thread(target=inside)
thread.start()
taken.wait(60)
pid = os.fork()
if not pid:
    signal.alarm(8)   # seconds, after which a child that waits for the lock is ended
    cls = docks.lighthouse(["child"])
    os._exit(0 if pickle.loads(pickle.dumps(cls)) is cls else 2)
status = os.waitpid(pid, 0)[1]
done.set()
thread.join()
report(status)
"""


def test_a_lock_that_was_taken_at_a_fork_is_free_in_the_child() -> None:
    """A child forked while another thread is in the registry builds and loads; it does not wait for that thread."""
    assert run(PROGRAM, quiet=False) == 0
