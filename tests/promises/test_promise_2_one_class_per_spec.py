"""Promise 2: one class per spec per process; the builder runs once; loading never changes what is there."""

import collections
import gc
import pickle

import pytest
from harbour import docks
from voyage.fresh import run

EQUAL_CALLS = {
    "positional and keyword": lambda: (docks.dock(["a"], "lake"), docks.dock(tools=["a"], server="lake")),
    "default given and left out": lambda: (docks.dock(["b"]), docks.dock(["b"], "sea", size=1)),
    "another equal list": lambda: (docks.dock(["c", "d"]), docks.dock(list("cd"))),
    "star arguments": lambda: (docks.fleet("x", "y", flag="red"), docks.fleet(*["x", "y"], flag="red")),
    "no argument": lambda: (docks.lighthouse(), docks.lighthouse(None)),
    "aliased and equal": lambda: (
        docks.lighthouse([shared := ["x"], shared]),
        docks.lighthouse([["x"], ["x"]]),
    ),
    "equal strings, not interned": lambda: (docks.lighthouse("spam" * 2), docks.lighthouse("".join(["spam", "spam"]))),
}

DIFFERENT = [
    (1, True),
    (1, 1.0),
    (0.0, -0.0),
    (0, False),
    ("1", 1),
    (b"a", "a"),
    (bytearray, bytes),
    ([1], (1,)),
    ({1}, frozenset([1])),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, collections.OrderedDict(a=1)),
    ({1: "a"}, {True: "a"}),
    ({1: "a"}, {"1": "a"}),
    (None, "None"),
    ([], None),
    ([[]], [[[]]]),
    (2**64, float(2**64)),
    (1j, 1),
    (range(3), [0, 1, 2]),
    (range(0), range(0, 0, 2)),
    ("\u00e9", "e\u0301"),
]


@pytest.mark.parametrize("name", EQUAL_CALLS)
def test_promise_2_equal_calls_give_one_class(name: str) -> None:
    """Calls that bind to the same arguments give the same class."""
    first, second = EQUAL_CALLS[name]()

    assert first is second


@pytest.mark.parametrize(("left", "right"), DIFFERENT, ids=lambda value: repr(value)[:20])
def test_promise_2_different_types_and_orders_give_two_classes(left: object, right: object) -> None:
    """Values that compare equal but are not the same thing give different classes, each with its own value."""
    first, second = docks.lighthouse(left), docks.lighthouse(right)

    assert first is not second
    assert repr(first.value()) == repr(left)
    assert repr(second.value()) == repr(right)


def test_promise_2_the_builder_runs_once() -> None:
    """A second call, and any number of loads, run nothing."""
    docks.reset_runs()
    cls = docks.dock(["once"])
    payload = pickle.dumps(cls)

    kinds = {pickle.loads(payload) for _ in range(50)} | {docks.dock(["once"]) for _ in range(50)}

    assert kinds == {cls}
    assert docks.RUNS == ["dock"]


def test_promise_2_loading_changes_nothing() -> None:
    """Loading what is there leaves each attribute of the class the very object it was."""
    cls = docks.dock(["still", "there"])
    cls.cache.append("state of this process")
    payload = pickle.dumps(cls)
    before = dict(vars(cls))

    assert pickle.loads(payload) is cls
    assert pickle.loads(pickle.dumps(cls(1))).load == 1
    after = dict(vars(cls))
    assert after.keys() - before.keys() <= {"__slotnames__"}
    assert all(after[name] is value for name, value in before.items())
    assert cls.cache == ["state of this process"]


def test_promise_2_after_death_a_new_one() -> None:
    """Once nobody holds a class, the builder runs again, and the new class starts afresh."""
    docks.reset_runs()
    docks.dock(["mortal"]).cache.append("old")
    gc.collect()

    assert docks.dock(["mortal"]).cache == []
    assert docks.RUNS == ["dock", "dock"]


def test_promise_2_a_builder_that_changes_its_arguments() -> None:
    """What a builder does to its arguments changes neither spec nor lookup."""
    first = docks.greedy(["a", "b"])
    second = docks.greedy(["a", "b"])

    assert first is second
    assert first().taken() == 2
    payload, first, second = pickle.dumps(first), None, None
    gc.collect()
    assert pickle.loads(payload)().taken() == 2


ODD = ["\ud800", "\u00e9" * 20, b"\x00\xff", -0.0, float("inf"), 2**63, -(2**63), True, 1, None, [[]], {"a": [{}]}, "a" * 40]


def test_promise_2_every_arrival_gets_fresh_arguments() -> None:
    """However often a class arrives anew, its builder gets the very values that were sent, and may change them each time."""
    payload = pickle.dumps(docks.holding(ODD))
    gc.collect()
    for _ in range(5):
        arrived = pickle.loads(payload)
        given = arrived().given()
        assert repr(given) == repr(ODD)
        assert given[11]["a"] is not ODD[11]["a"]
        given[11]["a"].append("changed")
        del arrived, given
        gc.collect()


def test_promise_2_worker_keeps_its_class_state() -> None:
    """In a worker that loads the same class for each task, class state survives and nothing grows."""
    verdict = run(WORKER)

    assert verdict == {"runs": 1, "kinds": 1, "state": 50, "subclasses": 1}


WORKER = """
import multiprocessing, pickle
from voyage.fresh import report

def work(conn):
    from harbour import docks
    payload = conn.recv_bytes()
    kinds = set()
    for task in range(50):
        one = pickle.loads(payload)
        kinds.add(type(one))
        type(one).cache.append(task)
    cls = type(one)
    conn.send(dict(runs=docks.RUNS.count("dock"), kinds=len(kinds), state=len(cls.cache),
                   subclasses=sum(sub.__name__ == "Dock" for sub in object.__subclasses__() if "@" in sub.__qualname__)))

if __name__ == "__main__":
    from harbour import docks
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,))
    process.start()
    ours.send_bytes(pickle.dumps(docks.dock(["work"])(1)))
    assert ours.poll(30)
    report(ours.recv())
    process.join()
"""


def test_promise_2_sixteen_threads_run_the_builder_once() -> None:
    """16 threads loading one descriptor at once get one class, and the builder runs once, in each of 100 rounds."""
    answer = run(THREADS, seconds=90)

    assert answer == {"rounds": 100, "classes": [1], "runs": [1], "errors": []}


THREADS = """
import gc, pickle, sys, threading
from voyage.fresh import report
from harbour import docks

def once(number):
    payload = pickle.dumps(docks.dock([f"round_{number}"]))
    gc.collect()
    docks.reset_runs()
    barrier, found, errors = threading.Barrier(16), [], []
    def load():
        barrier.wait()
        try:
            found.append(pickle.loads(payload))
        except BaseException as error:
            errors.append(repr(error))
    threads = [threading.Thread(target=load) for _ in range(16)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return len(set(found)), docks.RUNS.count("dock"), errors

sys.setswitchinterval(1e-5)
rounds = [once(number) for number in range(100)]
report(dict(rounds=len(rounds), classes=sorted({r[0] for r in rounds}), runs=sorted({r[1] for r in rounds}),
            errors=[e for r in rounds for e in r[2]]))
"""
