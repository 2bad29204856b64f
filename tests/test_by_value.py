"""By value: a class that no call describes travels as its own code, whole, or is refused with the path to what will not go."""

import collections
import datetime
import enum
import gc
import pickle
import socket
import sys
import threading
import types
import weakref
from pathlib import Path
from typing import Any

import pytest
from harbour import outside, shipped
from voyage.fresh import run
from voyage.trip import PROGRAM, pieces

import envpickle
from envpickle import errors
from envpickle.makers.by_value import by_value
from envpickle.makers.taking_apart import code_of
from envpickle.payload import rebuild_class

HOLD = "harbour.shipped"


@pytest.fixture(scope="module", params=["cloudpickle", "dill"])
def verdicts(request: pytest.FixtureRequest) -> dict[str, str]:
    """One trip of the whole hold to a spawned child and back, written by each tool."""
    found: dict[str, str] = run(PROGRAM, HOLD, "pickle", "spawn", *pieces(HOLD), SHIPPED_BY=request.param)
    return found


@pytest.mark.parametrize("piece", pieces(HOLD))
def test_classes_cross_by_value_and_come_home(verdicts: dict[str, str], piece: str) -> None:
    """Each kind arrives whole in a fresh child and comes home as itself, whichever tool wrote the code."""
    assert verdicts[piece] == "ok"


def made(**body: Any) -> Any:
    return type("Made", (), {"word": lambda self: "word", **body})


def closing_over(value: Any) -> Any:
    class Made:
        def get(self) -> Any:
            return value

    return Made


def connected() -> Any:
    class Client:
        def __init__(self) -> None:
            self.wire = socket.socket()

    return Client()


class Registering(type):
    pass


@pytest.mark.parametrize("tool", ["cloudpickle", "dill"])
@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda: made(guard={"inner": [threading.Lock()]}), r"Made\.guard\['inner'\]\[0\] is .*lock"),
        (lambda: closing_over(threading.RLock()), r"Made\.get\.<closure 'value'> is .*RLock"),
        (lambda: made(known=weakref.WeakSet()), r"Made\.known is .*WeakSet.*weak reference"),
        (lambda: made(back=weakref.ref(outside.Document)), r"Made\.back is .*weakref.*weak reference"),
        (lambda: made(words=(word for word in "ab")), r"Made\.words is .*generator"),
    ],
    ids=["lock", "lock in a closure", "weak set", "weak reference", "generator"],
)
def test_what_will_not_go_is_named_with_its_path(make: Any, path: str, tool: Any) -> None:
    """The refusal leads to the innermost thing that cannot be sent, and the class is untouched by the attempt."""
    cls = make()
    with pytest.raises(errors.RegistrationError, match=path) as caught:
        envpickle.register(cls, by_value=tool)

    assert caught.value.path  # type: ignore[attr-defined]
    assert type(cls) is type
    assert "__envpickle_record__" not in vars(cls)


def test_a_socket_deep_in_an_instance_is_named_with_its_path() -> None:
    """An instance that holds a connection, itself held by a closure, is followed down to the socket."""
    client = connected()
    with client.wire, pytest.raises(errors.RegistrationError, match=r"get\.<closure 'value'>\.wire is .*socket"):
        envpickle.register(closing_over(client))


def test_an_open_file_is_refused_and_not_read() -> None:
    """The tools would send the file's contents, or its name: a class gets neither without being asked."""
    with Path(__file__).open() as file, pytest.raises(errors.RegistrationError, match=r"Made\.log is .*open file"):
        envpickle.register(made(log=file))


@pytest.mark.parametrize("base", [outside.Remote, outside.Counted])
def test_a_base_that_watches_its_subclasses_is_refused(base: type) -> None:
    """An `__init_subclass__` would run once more, without body and keywords: refused, with the remedy, and it did not run."""
    keywords = {"server": "s"} if base is outside.Remote else {}
    cls = types.new_class(f"Bazaar{base.__name__}", (base,), keywords)
    before = dict(outside.Counted.known)
    with pytest.raises(errors.RegistrationError, match=r"__init_subclass__[\s\S]*@envpickle\.builder"):
        envpickle.register(cls, by_value=True)

    assert outside.Counted.known == before
    outside.Counted.known.pop(cls.__name__, None)


def test_a_metaclass_of_ones_own_is_refused() -> None:
    """A metaclass may do anything with the body, so its classes are not taken apart."""
    with pytest.raises(errors.RegistrationError, match=r"metaclass .*Registering.*may do anything"):
        envpickle.register(Registering("Made", (), {}), by_value=True)


def test_a_subclass_of_a_described_class_is_refused_unless_asked() -> None:
    """A subclass of what a builder made goes by value only where the user says so."""
    cls = type("Crane", (shipped.dock(["hoist"]),), {"hoist": lambda self: "crane"})
    with pytest.raises(errors.RegistrationError, match=r"derives from .*Dock[\s\S]*by_value=True"):
        envpickle.register(cls)

    assert envpickle.register(cls, by_value=True) is cls
    assert pickle.loads(pickle.dumps(cls)) is cls


def test_a_changed_base_is_not_sent() -> None:
    """Only the subclass's own body is code, so a change to its described base is refused like any other change."""
    base: Any = shipped.dock(["swing"])
    cls = envpickle.register(type("Crane", (base,), {"swing": lambda self: "crane"}), by_value=True)
    base.swing = lambda self: "changed"

    with pytest.raises(errors.ClassChanged, match="swing"):
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


def test_code_is_marked_with_the_python_that_wrote_it() -> None:
    """Another minor version refuses before it looks at the code, and says what to do."""
    with pytest.raises(errors.RebuildMismatch, match=r"from Python 3\.9[\s\S]*builder"):
        by_value.fn(b"no pickle at all", (3, 9), "cloudpickle")


def test_code_of_a_tool_that_is_not_there_is_refused() -> None:
    """A worker without the tool says which."""
    with pytest.raises(errors.RebuildMismatch, match="Install ruler"):
        by_value.fn(b"", sys.version_info[:2], "ruler")


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


def test_what_code_would_lose_is_found_by_making_the_class_once_more() -> None:
    """A value that comes out as another one is noticed when the class is registered, not in the worker."""

    class Forgetful:
        def __init__(self) -> None:
            self.kept = 1

        def __reduce__(self) -> Any:
            return (int, ())

    with pytest.raises(errors.RegistrationError, match=r"would come out different: part"):
        envpickle.register(made(part=Forgetful()))


def test_a_member_with_more_than_a_value_is_refused() -> None:
    """An enumeration whose members its constructor fills would come out empty."""

    class Planet(enum.Enum):
        EARTH = (1, 2)

        def __init__(self, mass: int, radius: int) -> None:
            self.mass = mass

    with pytest.raises(errors.RegistrationError, match=r"EARTH\.mass[\s\S]*builder"):
        envpickle.register(Planet)


def test_too_much_data_is_refused_when_registered() -> None:
    """A class that drags a table along is refused with its size, when it is registered."""
    with pytest.raises(errors.RegistrationError, match=r"\d+ bytes"):
        envpickle.register(made(table=list(range(500_000))))


def test_asking_for_a_tool_that_there_is_not() -> None:
    """`by_value` is True, False or a tool; other keywords need a builder."""
    with pytest.raises(errors.RegistrationError, match="'cloudpickle' or 'dill'"):
        envpickle.register(made(), by_value="marshal")  # type: ignore[call-overload]
    with pytest.raises(errors.RegistrationError, match="Give the builder"):
        envpickle.register(made(), tools=["a"])  # type: ignore[call-overload]


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
        with pytest.raises(errors.ClassChanged, match=r"changed since[\s\S]*anew"):
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
    second = envpickle.register(kinds.pop(0))

    assert first().other() is second
    assert second().other() is first
    for circular in (first, second):  # the code of each holds the other: no call of its own can make either
        with pytest.raises(errors.ClassChanged, match="builder"):
            pickle.dumps(circular)


def test_whatever_making_a_class_once_more_raises_is_a_reason() -> None:
    """A class that cannot be made again is refused as any other, with what its library said."""
    kind = enum.Enum("Days", {"FIRST": (2020, 1, 1)}, type=datetime.date)  # type: ignore[misc]
    with pytest.raises(errors.RegistrationError, match="Days"):
        envpickle.register(kind)


def test_a_maker_registers_one_call_once() -> None:
    """The same named tuple registered twice, as in a notebook's cell, is one class."""
    one, two = (envpickle.register(collections.namedtuple("Twice", "x y")) for _ in range(2))

    assert one is two


def test_what_a_maker_does_not_know_is_refused_with_every_reason() -> None:
    """Nobody knows it: the message has the ways out, and why its own code will not do."""
    with pytest.raises(errors.RegistrationError, match=r"nobody knows how[\s\S]*register\(cls, builder[\s\S]*\n- [\s\S]*lock"):
        envpickle.register(made(guard=threading.Lock()))
