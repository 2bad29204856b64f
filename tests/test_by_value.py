"""By value: a class that no call describes travels as its own code, whole, or is refused with the path to what will not go."""

import collections
import gc
import numbers
import pickle
import sys
from typing import Any

import pytest
from harbour import shipped
from voyage.fresh import run
from voyage.trip import PROGRAM, pieces

import envpickle
from envpickle import errors
from envpickle.makers.by_value import by_value
from envpickle.makers.taking_apart import code_of
from envpickle.payload import rebuild_class

HOLDS = ("harbour.shipped", "harbour.shipped_more")
PIECES = [(hold, piece) for hold in HOLDS for piece in pieces(hold)]


@pytest.fixture(scope="module", params=["cloudpickle", "dill"])
def verdicts(request: pytest.FixtureRequest) -> dict[str, str]:
    """One trip of each hold to a spawned child and back, written by each tool."""
    found: dict[str, str] = {}
    for hold in HOLDS:
        found |= run(PROGRAM, hold, "pickle", "spawn", *pieces(hold), SHIPPED_BY=request.param)
    return found


@pytest.mark.parametrize("piece", [piece for _, piece in PIECES])
def test_classes_cross_by_value_and_come_home(verdicts: dict[str, str], piece: str) -> None:
    """Each kind arrives whole in a fresh child and comes home as itself, whichever tool wrote the code."""
    assert verdicts[piece] == "ok"


def made(**body: Any) -> Any:
    return type("Made", (), {"word": lambda self: "word", **body})


def test_a_changed_base_is_not_sent() -> None:
    """Only the subclass's own body is code, so a change to its described base is refused like any other change."""
    base: Any = shipped.dock(["swing"])
    cls = envpickle.register(type("Crane", (base,), {"swing": lambda self: "crane"}), by_value=True)
    base.swing = lambda self: "changed"

    with pytest.raises(errors.ClassChanged, match="swing"):
        pickle.dumps(cls)


def test_an_abstract_class_that_learns_of_it_later_is_a_change() -> None:
    """The code says with which abstract classes the class is registered; one more since then would be lost."""
    cls = envpickle.register(made(), by_value=True)
    pickle.dumps(cls)
    numbers.Number.register(cls)

    with pytest.raises(errors.ClassChanged, match="registered"):
        pickle.dumps(cls)


def test_a_class_is_rebuilt_once_and_at_home_it_is_itself() -> None:
    """While it lives it is itself; when it is gone, the bytes make it anew, once."""
    cls = envpickle.register(made(size=3))
    data = pickle.dumps(cls)
    assert pickle.loads(data) is cls
    word = vars(cls)["word"]
    assert pickle.loads(data).word is word

    del cls
    gc.collect()
    again = pickle.loads(data)
    assert (again.size, again().word()) == (3, "word")
    assert pickle.loads(data) is again


def test_loading_never_touches_the_class_that_is_here() -> None:
    """A class that was unregistered stays as it is when its bytes are loaded: what comes is another class."""
    cls = envpickle.register(made(size=3))
    data = pickle.dumps(cls)
    envpickle.unregister(cls)
    cls.size = 4

    got = pickle.loads(data)

    assert got is not cls
    assert (got.size, cls.size) == (3, 4)


def test_two_classes_of_one_function_stay_two() -> None:
    """The code of two classes may be the same to the last byte; they are two classes here and there."""
    one, two = (envpickle.register(made()) for _ in range(2))

    assert pickle.loads(pickle.dumps(one)) is one
    assert pickle.loads(pickle.dumps(two)) is two
    payload = pickle.dumps([one, two])
    del one, two
    gc.collect()
    here, there = pickle.loads(payload)
    assert here is not there


def test_code_is_not_read_without_being_allowed() -> None:
    """`rebuild` runs code only where the list names the builder that does; `rebuild_class` never does."""
    cls = envpickle.register(made(size=5))
    spec = envpickle.describe(cls)
    del cls
    gc.collect()
    for attempt in (lambda: envpickle.rebuild(spec), lambda: rebuild_class(*spec.descriptor()[:1], *spec.descriptor()[1])):
        with pytest.raises(errors.NotAllowed, match=r"envpickle\.makers\.by_value:by_value"):
            attempt()

    got: Any = envpickle.rebuild(spec, allow=["envpickle.makers.by_value:by_value"])
    assert got.size == 5


def test_another_body_under_a_known_base_is_refused_by_the_worker() -> None:
    """A local base that came along earlier and has changed since is never taken for the one that comes now."""

    class Base:
        size = 1

    one = envpickle.register(type("One", (Base,), {}))
    first = code_of(type("Two", (Base,), {}))
    Base.size = 2
    with pytest.raises(errors.RebuildMismatch, match=r"Base.*differs[\s\S]*size"):
        by_value.fn(first, sys.version_info[:2], "cloudpickle")
    with pytest.raises(errors.ClassChanged, match="size"):
        pickle.dumps(one)


SCRIPT = """
import multiprocessing, pickle, sys
import envpickle

class Top:
    def word(self): return "top"

LOG = []

def make(times):
    class Env(Top):
        def run(self): return [helper(self.word()) for _ in range(times)]
        def base(self): return Top
    return Env

def helper(word):
    LOG.append(word)
    return f"{word} {len(LOG)}"

def work(conn):
    cls = pickle.loads(conn.recv_bytes())
    conn.send([cls().run(), issubclass(cls, Top), cls().base() is Top, cls.__name__])

if __name__ == "__main__":
    from voyage.fresh import report

    class Guarded(Top):
        def run(self): return [helper("guarded")]
        def base(self): return self.__class__.__mro__[1]

    answers = []
    for number in range(2):
        cls = envpickle.register(make(2) if number == 0 else Guarded)
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        worker = context.Process(target=work, args=(theirs,))
        worker.start()
        ours.send_bytes(pickle.dumps(cls))
        answers.append(ours.recv() if ours.poll(30) else "no answer")
        worker.join(10)
    answers.append(envpickle.register(Top) is Top)
    report(answers)
"""


def test_classes_of_a_script_go_by_value_over_the_scripts_own_bases() -> None:
    """What lies in a function or under the main guard goes by value; the script's own classes are the child's own."""
    assert run(SCRIPT) == [[["top 1", "top 2"], True, True, "Env"], [["guarded 1"], True, True, "Guarded"], True]


def stale(how: str) -> Any:
    """A class that goes by value, and what changes something that its functions use."""
    seen, count = [1], 0

    class Made:
        def look(self, more: Any = [2]) -> Any:  # noqa: B006 -- a default that can change
            return seen, count, more

    vars(Made)["look"].marked = False

    def changed() -> None:
        nonlocal count
        if how == "closure list":
            seen.append(2)
        elif how == "closure number":
            count += 1
        elif how == "default":
            vars(cls)["look"].__defaults__[0].append(3)
        else:
            vars(cls)["look"].marked = True

    cls = envpickle.register(Made)
    return cls, changed


@pytest.mark.parametrize("how", ["closure list", "closure number", "default", "function attribute"])
def test_what_changed_since_it_was_registered_is_refused(how: str) -> None:
    """A class by value is sent as it was when registered, so a change of what its functions hold is refused, not lost."""
    cls, changed = stale(how)
    one = cls()
    assert pickle.loads(pickle.dumps([cls, one, one]))[0] is cls
    assert pickle.loads(pickle.dumps(cls)) is cls
    changed()

    for sent in (cls, one):
        with pytest.raises(errors.ClassChanged, match=r"what look may[\s\S]*changed since[\s\S]*anew"):
            pickle.dumps(sent)
    envpickle.unregister(cls)
    again = envpickle.register(cls, by_value=True)
    assert pickle.loads(pickle.dumps(again)) is again is cls


def test_a_class_that_another_ones_functions_hold_is_replaced_there_too() -> None:
    """Registering makes a new object of a plain class: functions of others that close over the old one get the new one."""

    def pair() -> Any:
        class First:
            def other(self) -> Any:
                return Second

        class Second:
            def other(self) -> Any:
                return First

        return [First, Second]

    kinds = pair()
    first = envpickle.register(kinds.pop(0))
    second = kinds.pop(0)

    assert second().other() is first
    with pytest.raises(errors.RegistrationError, match=r"Second is part of the code of .*First[\s\S]*builder"):
        envpickle.register(second)  # the code of each would hold the other: no call of its own can make either
    assert pickle.loads(pickle.dumps(first))().other() is second


def test_a_maker_registers_one_call_once() -> None:
    """The same named tuple registered twice, as in a notebook's cell, is one class."""
    one, two = (envpickle.register(collections.namedtuple("Twice", "x y")) for _ in range(2))

    assert one is two
