"""Owners closed in every order: frozen, from callbacks and threads, beside other owners, while instances drop, after a fork."""

import gc
import inspect
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harbour import latched
from voyage.fresh import run

import envpickle
from envpickle import errors


@pytest.fixture(autouse=True)
def log() -> Iterator[list[Any]]:
    """What was closed in this test, in this order."""
    latched.reset()
    yield latched.LOG
    latched.WORD.set()


def in_thread(function: Callable[[], Any], *then: Any) -> threading.Thread:
    """Run something in a thread, and note `then` when it is done."""
    thread = threading.Thread(target=lambda: (function(), latched.LOG.extend(then)))
    thread.start()
    return thread


@pytest.mark.parametrize("times", [1, 2])
def test_instances_that_were_frozen_are_closed(log: list[Any], times: int) -> None:
    """`gc.freeze()` takes objects out of the collector's sight, not out of the owner's; they are in sight from then on."""
    owner = envpickle.Owner()
    held = [owner.build(latched.plain, 1)() for _ in range(3)]
    for _ in range(times):
        gc.freeze()
    try:
        owner.close()
        assert not gc.get_freeze_count()  # freezing again would keep everything that lives now for ever
    finally:
        gc.unfreeze()

    assert log == [("closed", 1)] * 3, held


FROZEN = """
import gc, os, signal, sys
from pathlib import Path
from harbour import berths
import envpickle

if __name__ == "__main__":
    home, ending = sys.argv[1:]
    owner = envpickle.Owner()
    cls = owner.build(berths.berth, home, [])
    held = [cls() for _ in range(3)]
    gc.collect()
    gc.freeze()
    from voyage.fresh import report
    report(len(list(Path(home).glob("session_*"))))
    if ending == "exit":
        sys.exit(0)
"""


@pytest.mark.parametrize("ending", ["return", "exit"])
def test_frozen_instances_are_closed_at_the_end_of_the_process(tmp_path: Any, ending: str) -> None:
    """The same where nobody closes the owner: no session is left when the process ends."""
    assert run(FROZEN, str(tmp_path), ending) == 3
    assert list(tmp_path.glob("session_*")) == []


@pytest.mark.parametrize("threads", [2, 8])
def test_whoever_closes_an_owner_finds_it_closed_afterwards(log: list[Any], threads: int) -> None:
    """Of several threads that close one owner none returns before its instances are closed, and each is closed once."""
    owner = envpickle.Owner()
    held = owner.build(latched.slow, 1)()
    first = in_thread(owner.close, "returned")
    assert latched.BEGUN.wait(20)
    others = [in_thread(owner.close, "returned") for _ in range(threads - 1)]
    [other.join(0.2) for other in others]
    assert log == []
    latched.WORD.set()
    [thread.join(20) for thread in (first, *others)]

    assert log == [("closed", 1), *["returned"] * threads], held
    assert not any(thread.is_alive() for thread in (first, *others))


def test_who_waits_for_a_closing_owner_waits_for_its_time_at_most(log: list[Any]) -> None:
    """A second closer has a timeout of its own: it gives up while the first is still at it."""
    owner = envpickle.Owner()
    held = owner.build(latched.slow, 1)()
    first = in_thread(owner.close)
    assert latched.BEGUN.wait(20)

    in_thread(lambda: owner.close(0.05), "gave up").join(20)
    assert log == ["gave up"], held
    latched.WORD.set()
    first.join(20)
    assert log == ["gave up", ("closed", 1)]


@pytest.mark.parametrize("dropped", [False, True])
def test_an_owner_does_not_wait_for_anothers_instances(log: list[Any], dropped: bool) -> None:
    """One owner's close returns while another's instances, held or dropped, are still being closed."""
    slow, quick = envpickle.Owner(), envpickle.Owner()
    held, mine = [slow.build(latched.slow, 1)()], quick.build(latched.plain, 2)()
    closing = in_thread(held.clear if dropped else slow.close)
    assert latched.BEGUN.wait(20)

    in_thread(quick.close, "returned").join(20)

    assert log == [("closed", 2), "returned"], mine
    latched.WORD.set()
    closing.join(20)
    assert latched.wait_until(lambda: ("closed", 1) in log)


def test_an_owner_waits_for_what_was_dropped_of_its_own(log: list[Any]) -> None:
    """What nobody held any more and is still being closed belongs to the owner: its close returns after that."""
    owner = envpickle.Owner()
    cls = owner.build(latched.slow, 1)
    cls()
    assert latched.BEGUN.wait(20)
    closing = in_thread(owner.close, "returned")
    closing.join(0.2)
    assert log == []
    latched.WORD.set()
    closing.join(20)

    assert log == [("closed", 1), "returned"]


WITHIN: dict[str, Callable[[envpickle.Owner], Any]] = {
    "closes it": lambda owner: owner.close(),
    "closes it with a time": lambda owner: owner.close(5),
    "closes it in a thread": lambda owner: in_thread(lambda: owner.close(0.2)).join(20),
    "is refused a class": lambda owner: _refused(lambda: owner.build(latched.plain, 9)),
    "closes another": lambda owner: envpickle.Owner().close(),
    "collects": lambda owner: gc.collect(),
}


def _refused(call: Callable[[], Any]) -> None:
    with pytest.raises(errors.OwnerClosed):
        call()


@pytest.mark.parametrize("what", WITHIN)
def test_a_callback_may_do_this(log: list[Any], what: str) -> None:
    """What hangs on an owner may close it again, build or collect; it hangs nothing, and runs once."""
    owner = envpickle.Owner()
    held = owner.build(latched.plain, 1)()
    owner.callback(log.append, "first hung")
    owner.callback(lambda: (WITHIN[what](owner), log.append("called back")))
    thread = in_thread(lambda: owner.close(15))
    thread.join(20)

    assert not thread.is_alive()
    assert log == [("closed", 1), "called back", "first hung"], held
    owner.close()
    assert log.count("called back") == 1


@pytest.mark.parametrize("what", WITHIN)
def test_an_instance_may_do_this_in_closing(log: list[Any], what: str) -> None:
    """The same from an instance's own closing method, which runs in a thread of ours."""
    owner = envpickle.Owner()
    latched.CALLS[what] = lambda: WITHIN[what](owner)
    held = [owner.build(latched.calling, what)(), owner.build(latched.plain, 1)()]
    thread = in_thread(lambda: owner.close(15))
    thread.join(20)

    assert not thread.is_alive()
    assert sorted(map(str, log)) == sorted(map(str, [("closed", what), ("called", what), ("closed", 1)])), held


def test_two_owners_close_each_other(log: list[Any]) -> None:
    """Instances that close each other's owner in closing do not wait for each other for ever."""
    one, two = envpickle.Owner(), envpickle.Owner()
    latched.CALLS["one"], latched.CALLS["two"] = (lambda: two.close(5)), (lambda: one.close(5))
    held = [one.build(latched.calling, "one")(), two.build(latched.calling, "two")()]
    threads = [in_thread(lambda owner=owner: owner.close(10)) for owner in (one, two)]
    [thread.join(30) for thread in threads]

    assert not any(thread.is_alive() for thread in threads)
    assert sorted(log) == [("called", "one"), ("called", "two"), ("closed", "one"), ("closed", "two")], held


def test_instances_that_drop_while_the_owner_closes(log: list[Any]) -> None:
    """Threads make and drop instances until the owner is closed: closing ends, and none is made afterwards."""
    owner = envpickle.Owner()
    cls: Any = owner.build(latched.churned, 1)
    cls()
    gc.collect()
    assert latched.wait_until(lambda: len(log) == 1)  # what closing imports is there: four busy threads would starve that
    ended: list[str] = []

    def churn() -> None:
        try:
            while True:
                cls()
        except errors.OwnerClosed:
            ended.append("refused")

    threads = [in_thread(churn) for _ in range(4)]
    assert latched.wait_until(lambda: len(log) > 50)
    closing = in_thread(lambda: owner.close(30))
    [thread.join(40) for thread in (closing, *threads)]

    assert not closing.is_alive()
    assert ended == ["refused"] * 4


FORKED = """
import gc, os, sys, warnings
from harbour import latched
from voyage.fresh import report
import envpickle
warnings.simplefilter("ignore", DeprecationWarning)   # a threaded process forks here on purpose

owner = envpickle.Owner()
cls = owner.build(latched.plain, 1)
theirs = cls()
owner.callback(latched.LOG.append, "hung by the parent")
if sys.argv[1] == "frozen":
    gc.freeze()
read, write = os.pipe()
pid = os.fork()
if not pid:
    code = 1
    try:
        mine = [cls(), owner.build(latched.plain, 2)()]
        owner.close()
        latched.LOG.append(owner.closed)
        os.write(write, repr(latched.LOG).encode())
        code = 0
    finally:
        os._exit(code)
os.close(write)
child = os.read(read, 1000).decode()
status = os.waitpid(pid, 0)[1]
before, open_here = list(latched.LOG), not owner.closed
owner.close()
report([child, status, before, open_here, latched.LOG])
"""


@pytest.mark.parametrize("how", ["plain", "frozen"])
def test_an_owner_closed_in_a_forked_child(how: str) -> None:
    """There it closes what the child made, and neither the parent's instances nor what hangs on it; the parent's stays open."""
    child, status, before, open_here, after = run(FORKED, how)

    assert child in ("[('closed', 1), ('closed', 2), True]", "[('closed', 2), ('closed', 1), True]")
    assert (status, before, open_here) == (0, [], True)
    assert after == [["closed", 1], "hung by the parent"]


ARRIVING = """
import multiprocessing, pickle, sys
from pathlib import Path
from harbour import arriving
from voyage.fresh import report
import envpickle

if __name__ == "__main__":
    home, method, protocol = sys.argv[1:]
    owner = envpickle.Owner()
    one = owner.build(arriving.messenger, home)(7)
    payload = pickle.dumps(one, int(protocol))
    process = multiprocessing.get_context(method).Process(target=arriving.hold, args=(payload,))
    process.start()
    process.join(30)
    report([process.exitcode, *(path.read_text() for path in Path(home).iterdir())])
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("protocol", range(6))
def test_no_way_of_arriving_passes_the_end_by(tmp_path: Any, method: str, protocol: int) -> None:
    """An instance that a child got by any protocol is closed when it ends, and nothing is said on standard error."""
    assert run(ARRIVING, str(tmp_path), method, str(protocol)) == [0, "7\n"]


SIGNATURES: dict[str, Any] = {"without_constructor": "()", "with_constructor": "(one: int, *, two: str = '2') -> None"}


@pytest.mark.parametrize("name", SIGNATURES)
def test_an_owned_class_has_the_signature_it_had(name: str) -> None:
    """Being owned does not show in what `inspect.signature` says."""
    owner = envpickle.Owner()
    owned = owner.build(getattr(latched, name), 1)

    assert str(inspect.signature(owned)) == str(inspect.signature(getattr(latched, name).fn(1))) == SIGNATURES[name]
    assert pickle.loads(pickle.dumps(owned)) is owned
