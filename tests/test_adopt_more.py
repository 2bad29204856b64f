"""Giving a plain class the metaclass, where something knows the class weakly, and where its slots were an iterator's."""

import copy
import gc
import numbers
import pickle
import weakref
from typing import Any

import pytest
from harbour import refused, weakly

import envpickle
from envpickle import errors


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("way", weakly.SEEN)
def test_a_class_that_is_known_weakly_is_refused_with_the_remedy(way: str, times: int) -> None:
    """What knows a plain class weakly would know the replaced one, so that is refused when built: silence would lose it."""
    for _ in range(2):
        with pytest.raises(errors.AdoptionError, match=r"Kept.*metaclass=envpickle\.RuntimeType"):
            weakly.known(way, True, times)


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("way", weakly.MOVED)
def test_a_registration_with_an_abstract_class_moves_along(way: str, times: int) -> None:
    """A plain class registered with an abstract class is its virtual subclass after it was adopted, and where it arrives."""
    cls = weakly.known(way, True, times)
    assert weakly.KNOWN[way](cls)
    data = pickle.dumps(cls)
    del cls
    gc.collect()

    assert weakly.KNOWN[way](pickle.loads(data))


def test_a_class_that_is_registered_moves_along_too() -> None:
    """The same of a class that `envpickle.register` gives the metaclass."""

    class Refusing:
        def __init_subclass__(cls) -> None:
            raise ValueError("none may derive")

    with pytest.raises(ValueError, match="derive") as kept:  # as this keeps a class that was only begun
        envpickle.RuntimeType("Begun", (Refusing,), {})
    assert kept.traceback

    def made() -> Any:
        class Berth: ...

        numbers.Number.register(Berth)
        return Berth

    cls = envpickle.register(made())

    assert issubclass(cls, numbers.Number)


@pytest.mark.parametrize("way", weakly.WAYS)
def test_the_remedy_keeps_what_knows_the_class(way: str) -> None:
    """With the metaclass on the class it stays known, and a class rebuilt from its bytes is known again."""
    weakly.KEPT.clear()
    cls = weakly.known(way, False)
    assert weakly.KNOWN[way](cls)
    assert pickle.loads(pickle.dumps(cls)) is cls
    if way == "single dispatch":
        return  # holds its classes for ever, so it cannot be rebuilt here

    data, gone = pickle.dumps(cls), weakref.ref(cls)
    del cls
    gc.collect()
    assert gone() is None
    weakly.KEPT.clear()
    assert weakly.KNOWN[way](pickle.loads(data))


@pytest.mark.parametrize("times", [1, 2])
def test_a_class_that_was_only_asked_about_answers_right(times: int) -> None:
    """The caches of abstract classes, which know it weakly too, lead to no wrong answer: it works, or it is refused."""
    try:
        cls = weakly.asked(times)
    except errors.AdoptionError as error:
        assert "metaclass=envpickle.RuntimeType" in str(error)  # noqa: PT017 - either way out is right, a third is not
        return
    assert issubclass(cls, weakly.Hooked)
    assert not issubclass(cls, weakly.Shape)


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("kind", weakly.SLOTS)
def test_slots_are_kept_whatever_they_were_given_as(kind: str, nested: bool) -> None:
    """The adopted class has the slots of the plain one, and no more than these; instances travel and are copied."""
    built: Any = weakly.slotted_by(kind, nested)
    cls = built.Slotted if nested else built
    one = cls(3, 4)

    assert (one.a, one.b) == (3, 4)
    assert cls.a.__objclass__ is cls
    assert hasattr(one, "__dict__") == (kind == "with a dict")
    assert hasattr(cls, "__weakref__") == (kind == "with weak references")
    for made in (copy.copy(one), copy.deepcopy(one), *(pickle.loads(pickle.dumps(one, protocol)) for protocol in range(2, 6))):
        assert (type(made), made.a, made.b) == (cls, 3, 4)


@pytest.mark.parametrize("kind", [kind for kind in weakly.SLOTS if kind != "with a dict"])
def test_slots_stay_closed(kind: str) -> None:
    """A class with slots takes no other attribute after it was adopted."""
    one: Any = weakly.slotted_by(kind)()

    with pytest.raises(AttributeError):
        one.c = 1


def test_private_slots_keep_their_names() -> None:
    """A private name in an iterator is not mangled twice."""
    one: Any = weakly.private_slots()()

    assert (one.hidden(), one.shown, one.one) == (1, 2, 3)
    assert pickle.loads(pickle.dumps(one)).hidden() == 1
    assert not hasattr(one, "__dict__")


@pytest.mark.parametrize("kind", ["list iterator", "generator"])
def test_slots_belong_to_the_surface(kind: str) -> None:
    """The slots are public names of the class like any others, and the class crosses with them."""
    cls: Any = weakly.slotted_by(kind)
    assert {"a", "b"} <= set(envpickle.describe(cls).surface)

    data = pickle.dumps(cls)
    del cls
    gc.collect()
    assert pickle.loads(data)(5, 6).b == 6


def test_a_named_tuple_inside_one_is_refused_with_a_remedy_that_can_be_written() -> None:
    """A statement of `NamedTuple` takes no metaclass: the line that helps derives from what `namedtuple` returns, and works."""
    with pytest.raises(errors.AdoptionError, match=r"class Slot\(collections\.namedtuple\(\.\.\.\), metaclass="):
        refused.crane_of_slots(False)

    cls: Any = refused.crane_of_slots(True)
    assert pickle.loads(pickle.dumps(cls(cls.Slot(3)))) == ((3,),)
    assert pickle.loads(pickle.dumps(cls.Slot)) is cls.Slot
