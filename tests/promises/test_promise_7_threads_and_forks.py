"""Promise 7: no thread waits for ever, no fork inherits a wait, and a builder that fails leaves nothing behind."""

import gc
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from harbour import crossed, docks
from voyage.fresh import run

import envpickle
from envpickle import errors


@pytest.fixture(autouse=True)
def _calm() -> None:
    crossed.MEETING.clear()
    crossed.GATE.clear()
    crossed.ENTERED.clear()
    crossed.RUNS.clear()


def outcomes(*calls: Any) -> list[Any]:
    """Call each in a thread of its own at once; results or errors in order. A thread that hangs fails the test."""
    with ThreadPoolExecutor(len(calls)) as pool:
        futures = [pool.submit(call) for call in calls]
        return [future.exception(timeout=20) or future.result() for future in futures]


def test_promise_7_a_builder_that_calls_itself_raises() -> None:
    """A builder that needs the class it is building is told so, and can be used afterwards."""
    with pytest.raises(errors.BuildCycleError, match="selfish"):
        crossed.selfish(1)
    with pytest.raises(errors.BuildCycleError, match="selfish"):
        crossed.selfish(1)


def test_promise_7_two_builders_in_one_thread() -> None:
    """Two builders that call each other in one thread are told so; other calls of them work."""
    with pytest.raises(errors.BuildCycleError, match="left"):
        crossed.left(True)
    assert crossed.left(False).__name__ == "Left"
    assert crossed.right(False).__name__ == "Right"


@pytest.mark.parametrize("attempt", range(5))
def test_promise_7_two_builders_in_two_threads(attempt: int) -> None:
    """Two threads, each in one of two builders that call each other: nobody waits for ever, and the cycle is named."""
    crossed.MEETING[:] = [threading.Barrier(2)]

    found = outcomes(lambda: crossed.left(True), lambda: crossed.right(True))

    assert all(isinstance(one, errors.BuildCycleError) for one in found), found
    crossed.MEETING.clear()
    assert crossed.left(False) is crossed.left(False)


def test_promise_7_a_chain_of_builders_is_no_cycle() -> None:
    """A builder may call itself with other arguments, from many threads at once, and each step runs once."""
    found = outcomes(*[lambda: crossed.stairs(12)] * 8)

    assert len(set(found)) == 1
    assert found[0].height == 12
    assert sorted(crossed.RUNS) == sorted(f"stairs {n}" for n in range(13))


def test_promise_7_a_builder_may_use_threads() -> None:
    """A builder that builds another class in a thread of its own is not in that thread's way."""
    assert crossed.threaded(1).inner() is crossed.quick(1)


def test_promise_7_no_lock_is_held_while_a_builder_runs() -> None:
    """While one builder takes its time, others build, pickle and load."""
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(crossed.slow, 1)
        assert crossed.ENTERED.wait(10)
        cls = pool.submit(lambda: pickle.loads(pickle.dumps(crossed.quick(2)))).result(10)
        crossed.GATE.set()

        assert cls.number == 2
        assert waiting.result(10).number == 1


def test_promise_7_waiters_get_the_one_class() -> None:
    """Threads that ask while the builder runs wait for it and get its class."""
    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(crossed.slow, 3) for _ in range(6)]
        assert crossed.ENTERED.wait(10)
        crossed.GATE.set()

        assert len({call.result(10) for call in calls}) == 1
    assert crossed.RUNS == ["slow 3"]


@pytest.mark.parametrize("failure", [RuntimeError("no"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_promise_7_a_builder_that_raises_leaves_nothing_behind(failure: BaseException) -> None:
    """After a builder raised, whatever it raised, the next call runs it again."""
    docks.FAILURES[:] = [failure]
    with pytest.raises(type(failure)):
        docks.failing(failure.__class__.__name__)

    assert docks.failing(failure.__class__.__name__).__name__ == "Failing"


def test_promise_7_a_builder_that_raises_wakes_the_waiters() -> None:
    """Threads that wait for a builder which raises get its error or a class, and none waits for ever."""
    docks.FAILURES[:] = [RuntimeError(f"no {n}") for n in range(3)]

    found = outcomes(*[lambda: docks.failing("many")] * 12)

    classes = {one for one in found if isinstance(one, type)}
    assert all(isinstance(one, RuntimeError | type) for one in found), found
    assert len(classes) <= 1
    docks.FAILURES.clear()
    assert docks.failing("many").__name__ == "Failing"


def test_promise_7_loading_in_threads_and_building_in_threads_agree() -> None:
    """Half the threads build what the other half load: one class."""
    payload = pickle.dumps(docks.dock(["mixed"]))
    gc.collect()
    docks.reset_runs()
    barrier = threading.Barrier(8)

    def build() -> type:
        barrier.wait(10)
        return docks.dock(["mixed"])

    def load() -> Any:
        barrier.wait(10)
        return pickle.loads(payload)

    assert len(set(outcomes(*[build, load] * 4))) == 1
    assert docks.RUNS == ["dock"]


def test_promise_7_describe_during_a_build_of_another() -> None:
    """Describing a class takes no lock of a running builder."""
    cls = crossed.quick(9)
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(crossed.slow, 9)
        assert crossed.ENTERED.wait(10)
        assert pool.submit(envpickle.describe, cls).result(10).name == "Quick"
        crossed.GATE.set()
        waiting.result(10)


IMPORTING = r"""
import pickle, subprocess, sys, threading
from voyage.fresh import report
make = "import pickle, sys; from harbour.early import Made, early; " \
       "sys.stdout.buffer.write(pickle.dumps([Made, early('other')]))"
payload = subprocess.run([sys.executable, "-c", make], capture_output=True, check=True).stdout
one = pickle.dumps
found, errors = [], []
barrier = threading.Barrier(5)

def load():
    barrier.wait()
    try:
        found.append(pickle.loads(payload))
    except BaseException as error:
        errors.append(repr(error))

def bring_in():
    barrier.wait()
    import harbour.early
    found.append([harbour.early.Made, harbour.early.early("other")])

threads = [threading.Thread(target=load) for _ in range(4)] + [threading.Thread(target=bring_in)]
[thread.start() for thread in threads]
[thread.join(20) for thread in threads]
from harbour import early
hung = sum(thread.is_alive() for thread in threads)
report(dict(hung=hung, errors=errors, kinds=[len({f[0] for f in found}), len({f[1] for f in found})],
            runs=sorted(early.RUNS)))
"""


def test_promise_7_a_module_that_calls_its_own_builder_while_imported() -> None:
    """Threads loading a spec against the import that builds it: no deadlock, one class, one run."""
    seen = run(IMPORTING)

    assert seen == {"hung": 0, "errors": [], "kinds": [1, 1], "runs": ["made at import", "other"]}


FORKING = """
import multiprocessing, os, pickle, sys, threading, warnings
from voyage.fresh import report
from harbour import crossed
warnings.simplefilter("ignore", DeprecationWarning)   # a threaded process forks here on purpose

def in_child():
    crossed.GATE.set()
    same = crossed.slow(1)
    loaded = pickle.loads(pickle.dumps(same))
    return bytes([same.number == 1, loaded is same, crossed.quick(5).number == 5, crossed.quick(0) is known])

known = crossed.quick(0)
builder = threading.Thread(target=crossed.slow, args=(1,))
builder.start()
crossed.ENTERED.wait(10)
answers = []
for _ in range(5):
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(write, in_child())
        finally:
            os._exit(0)
    os.close(write)
    answers.append(list(os.read(read, 10)))
    os.waitpid(pid, 0)
crossed.GATE.set()
builder.join(10)
report(dict(answers=answers, here=crossed.slow(1).number, runs=crossed.RUNS))
"""


def test_promise_7_a_fork_while_a_builder_runs() -> None:
    """A process forked while another thread is in a builder builds and loads that same spec itself."""
    seen = run(FORKING, quiet=False)

    assert seen["answers"] == [[1, 1, 1, 1]] * 5
    assert seen["here"] == 1
    assert seen["runs"] == ["slow 1"]


FORKING_BUSY = """
import os, pickle, threading, warnings
from voyage.fresh import report
from harbour import docks
warnings.simplefilter("ignore", DeprecationWarning)

pickle.loads(pickle.dumps(docks.lighthouse(0)))   # no import is left to be under way when forking
stop = threading.Event()
def churn(number):
    count = 0
    while not stop.is_set():
        count += 1
        cls = docks.lighthouse([number, count])
        pickle.loads(pickle.dumps(cls))

threads = [threading.Thread(target=churn, args=(n,)) for n in range(4)]
[thread.start() for thread in threads]
good = 0
for n in range(40):
    pid = os.fork()
    if not pid:
        code = 1
        try:
            cls = docks.lighthouse(["child", n])
            code = 0 if pickle.loads(pickle.dumps(cls)) is cls else 2
        finally:
            os._exit(code)
    good += os.waitpid(pid, 0)[1] == 0
stop.set()
[thread.join(10) for thread in threads]
report(good)
"""


def test_promise_7_forks_from_a_busy_process() -> None:
    """Children forked at any moment of four threads' building and loading find no lock taken."""
    assert run(FORKING_BUSY, quiet=False) == 40
