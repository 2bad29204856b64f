"""What worked on a class before envpickle touched it still works after."""

import abc
import contextlib
import copy
import dataclasses
import inspect
import io
import pickle
import pydoc
import typing
from typing import Any

import pytest
from harbour import adopted, adopted_more, changing, docks, hinted, instances, outside
from voyage.fresh import run


def test_type_hints_with_string_annotations() -> None:
    """String annotations of class, methods and nested classes resolve in the builder's module."""
    cls = hinted.hinted("x")

    assert typing.get_type_hints(cls) == {"where": hinted.Place, "number": int}
    assert typing.get_type_hints(cls.go) == {"to": hinted.Place, "return": list[hinted.Place]}
    assert typing.get_type_hints(cls.Inner) == {"place": hinted.Place}


def test_signatures() -> None:
    """`inspect.signature` answers for the class, its methods, class methods and bound methods as Python does without us."""
    cls = docks.dock(["lift"])

    assert str(inspect.signature(cls)) == "(load: int = 0) -> None"
    assert list(inspect.signature(cls.lift).parameters) == ["self", "item"]
    assert list(inspect.signature(cls().lift).parameters) == ["item"]
    assert list(inspect.signature(cls.create).parameters) == ["load"]
    assert str(inspect.signature(docks.dock)) == str(inspect.signature(docks.dock.fn))


def test_the_builder_looks_like_its_function() -> None:
    """A builder has its function's name, text, module and annotations, and its repr names it."""
    assert docks.dock.__name__ == "dock"
    assert docks.dock.__doc__ == docks.dock.fn.__doc__
    assert docks.dock.__module__ == "harbour.docks"
    assert typing.get_type_hints(docks.dock)["return"] is type
    assert "dock" in repr(docks.dock)
    assert callable(docks.dock)
    assert not isinstance(docks.dock, type)


def test_an_unknown_attribute_of_a_builder_is_an_attribute_error() -> None:
    """Names that are no live address are Python's own error, quickly, whatever looks for them."""
    for name in ("missing", "__wrapped_by__", "Dock", "Dock@", "@", "Dock@zz", f"Dock@{'0' * 12}", "_ipython_display_"):
        with pytest.raises(AttributeError, match=r"dock|attribute"):
            getattr(docks.dock, name)
    assert copy.copy(docks.dock) is docks.dock
    assert copy.deepcopy(docks.dock) is docks.dock


def test_dataclass_functions() -> None:
    """fields, asdict, replace, and match statements work on an adopted dataclass."""
    cls = adopted.make_dataclass()  # type: ignore[attr-defined]
    match cls(3):
        case cls(x, tags):
            assert (x, tags) == (3, [])
        case _:
            raise AssertionError("no match")
    assert dataclasses.is_dataclass(cls)
    assert [f.name for f in dataclasses.fields(cls)] == ["x", "tags"]


def test_abc_virtual_subclasses() -> None:
    """A built class can be registered with an ABC, and an ABC that was built takes virtual subclasses."""
    api = changing.abstract("virtual")
    api.register(outside.Foreign)
    assert isinstance(outside.Foreign(), api)

    class Reader(abc.ABC):  # noqa: B024 - only its register counts
        pass

    cls = docks.dock(["virtual"])
    Reader.register(cls)
    assert isinstance(cls(), Reader)
    assert issubclass(cls, Reader)


def test_isinstance_and_hash() -> None:
    """isinstance, issubclass, equality and hashing of a class are those of a class."""
    cls, other = docks.dock(["one"]), docks.dock(["two"])

    assert isinstance(cls(), cls)
    assert not isinstance(cls(), other)
    assert cls != other
    assert len({cls, other, cls}) == 2


def test_help_reads_well() -> None:
    """help() shows the class by its name with its methods."""
    text = pydoc.render_doc(docks.dock(["lift"]), renderer=pydoc.plaintext)

    assert "class Dock" in text
    assert "describe" in text
    assert "lift" in text
    with contextlib.redirect_stdout(io.StringIO()) as out:
        help(docks.dock)
    assert "dock with one method for each tool" in out.getvalue()


def test_generics() -> None:
    """A built generic class can be subscripted, and what was subscripted pickles to itself."""
    cls: Any = adopted.make_generic()  # type: ignore[attr-defined]

    assert pickle.loads(pickle.dumps(cls[int])) == cls[int]
    assert typing.get_args(cls[int]) == (int,)
    assert type(pickle.loads(pickle.dumps(cls[int](1)))) is cls


def test_reprs() -> None:
    """A class's repr shows its address; an instance's stays readable, with the class's name in it."""
    cls = docks.dock(["repr"])

    assert repr(cls).startswith("<class 'harbour.docks.dock.Dock@")
    assert "Dock" in repr(cls())
    assert len(repr(cls())) < 110
    assert repr(instances.row(["x"])(1)) == "Row(x=1)"


def test_instances_copy() -> None:
    """Copy and deepcopy of instances keep class and state."""
    one = docks.dock(["copied"])(4)
    one.more = [1]

    shallow, deep = copy.copy(one), copy.deepcopy(one)
    assert type(shallow) is type(deep) is type(one)
    assert shallow.more is one.more
    assert deep.more == [1]
    assert deep.more is not one.more


def test_subclassing_with_other_metaclasses() -> None:
    """A built class can be mixed with abstract classes, generics and protocols by the user."""

    class Mixed(docks.dock(["mixed"]), outside.Abstract):  # type: ignore[misc]
        def reset(self) -> str:
            return "reset"

    class Grouped(docks.dock(["grouped"]), outside.Grouped[int]):  # type: ignore[misc]
        pass

    assert Mixed().reset() == "reset"
    assert Grouped().whoami() == "grouped"


def test_the_members_keep_their_names() -> None:
    """Functions of a built class keep their `<locals>` names, and tracebacks speak of them."""
    cls = docks.dock(["lift"])

    assert cls.describe.__qualname__ == "dock.<locals>.Dock.describe"
    assert cls.lift.__name__ == "lift"


def test_source_of_members() -> None:
    """`inspect.getsource` works on the methods of a built class."""
    assert "return f" in inspect.getsource(docks.dock(["lift"]).describe)


WORK_THERE = """
import multiprocessing, pickle
from voyage.fresh import report

def work(conn):
    import inspect, typing
    from harbour import hinted
    cls = pickle.loads(conn.recv_bytes())
    place = typing.get_type_hints(cls.go)["to"] is hinted.Place
    conn.send([place, str(inspect.signature(cls)), repr(cls), "Hinted" in repr(cls("a"))])

if __name__ == "__main__":
    from harbour import hinted
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.get_context("spawn").Process(target=work, args=(theirs,))
    worker.start()
    cls = hinted.hinted("there")
    ours.send_bytes(pickle.dumps(cls))
    report([ours.recv(), repr(cls)])
    worker.join()
"""


def test_the_same_in_a_child() -> None:
    """Hints, signatures and reprs are the same where the class was rebuilt."""
    there, here = run(WORK_THERE)

    assert there == [True, "(where: 'Place') -> 'None'", here, True]


def test_wrapped_members_keep_their_identity() -> None:
    """Adoption replaces no function object that it does not have to."""
    cls: Any = adopted_more.make_operators()  # type: ignore[attr-defined]

    assert cls.__add__ is vars(cls)["__add__"]
    assert cls.__add__.__module__ == "harbour.adopted_more"
