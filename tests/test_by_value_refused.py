"""By value, refused: what will not go is named with its path, and the class is left as it was."""

import datetime
import enum
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

import envpickle
from envpickle import errors
from envpickle.makers.by_value import by_value


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


def test_code_is_marked_with_the_python_that_wrote_it() -> None:
    """Another minor version refuses before it looks at the code, and says what to do."""
    with pytest.raises(errors.RebuildMismatch, match=r"from Python 3\.9[\s\S]*builder"):
        by_value.fn(b"no pickle at all", (3, 9), "cloudpickle")


def test_code_of_a_tool_that_is_not_there_is_refused() -> None:
    """A worker without the tool says which."""
    with pytest.raises(errors.RebuildMismatch, match="Install ruler"):
        by_value.fn(b"", sys.version_info[:2], "ruler")


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


def test_whatever_making_a_class_once_more_raises_is_a_reason() -> None:
    """A class that cannot be made again is refused as any other, with what its library said."""
    kind = enum.Enum("Days", {"FIRST": (2020, 1, 1)}, type=datetime.date)  # type: ignore[misc]
    with pytest.raises(errors.RegistrationError, match="Days"):
        envpickle.register(kind)


def test_what_a_maker_does_not_know_is_refused_with_every_reason() -> None:
    """Nobody knows it: the message has the ways out, and why its own code will not do."""
    with pytest.raises(errors.RegistrationError, match=r"nobody knows how[\s\S]*register\(cls, builder[\s\S]*\n- [\s\S]*lock"):
        envpickle.register(made(guard=threading.Lock()))
