"""Promise 8: closing takes nothing from threads that have nothing to do with it."""

from voyage.fresh import run


def test_promise_8_closing_disturbs_no_other_thread() -> None:
    """Looking for instances leaves what other threads are just making alone: a tuple under construction must not be seen."""
    seen = run(DISTURBED)

    assert seen["closes"] > 5
    assert seen["tuples"] > 500
    assert seen["errors"] == []


DISTURBED = """
import sys, threading, time
import envpickle
from voyage.fresh import report
from harbour import owned

sys.setswitchinterval(1e-5)
ballast = [[number] for number in range(50_000)]
stop, errors, tuples = threading.Event(), [], []

def work():
    while not stop.is_set():
        try:
            tuples.append(len(tuple(number for number in range(200))))
        except BaseException as error:
            errors.append(repr(error))

threads = [threading.Thread(target=work) for _ in range(2)]
[thread.start() for thread in threads]
closes, until = 0, time.monotonic() + 2
while time.monotonic() < until:
    owner = envpickle.Owner()
    one = owner.build(owned.closable, ["_close"])(closes)
    owner.close()
    closes += 1
stop.set()
[thread.join(10) for thread in threads]
report(dict(closes=closes, tuples=len(tuples), errors=errors[:3]))
"""
