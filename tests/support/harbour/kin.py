"""Classes and their kin: nested ones, deep ones, ones that derive from the class around them or point back at it."""

import abc
from typing import Any

import envpickle
from harbour import outside
from harbour.owned import CLOSED


@envpickle.builder
def crane(name: str) -> type:
    """Nested two deep."""

    class Crane:
        label = name

        class Hook:
            class Pin:
                weight = 2
                sizes = [1, 2]

                def hold(self, load: int = 1, *, most: int = 9) -> int:
                    return load

    return Crane


@envpickle.builder
def on_a_base(name: str) -> type:
    """Derives from a base that no name leads to, and that has a class nested in it."""

    class Base(metaclass=envpickle.RuntimeType):
        label = name

        class Hook:
            class Pin:
                weight = 2
                sizes = [1, 2]

                def hold(self, load: int = 1, *, most: int = 9) -> int:
                    return load

    class Derived(Base): ...

    return Derived


@envpickle.builder
def on_a_crane(name: str) -> type:
    """Derives from another builder's class, of which the nested classes are."""
    below = crane(f"below {name}")
    return type(below)("OnACrane", (below,), {})


@envpickle.builder
def aliased(name: str) -> type:
    """One nested class under three names, one of them in another nested class."""

    class Crane:
        class Hook:
            class Pin(metaclass=envpickle.RuntimeType):
                weight = 2
                sizes = [1, 2]

                def hold(self, load: int = 1, *, most: int = 9) -> int:
                    return load

        label = name
        Spare = Hook
        Short = Hook.Pin

    return Crane


DEEP = [crane, on_a_base, on_a_crane, aliased]


@envpickle.builder
def variants() -> type:
    """Nested classes that derive from the class around them."""

    class Shape(metaclass=envpickle.RuntimeType):
        def area(self) -> int:
            return 0

    class Circle(Shape):
        def area(self) -> int:
            return 1

    class Small(Circle): ...

    Shape.Circle = Circle  # type: ignore[attr-defined]
    Circle.Small = Small  # type: ignore[attr-defined]
    return Shape


@envpickle.builder
def abstract_variants() -> type:
    """The same below an abstract class."""

    class Shape(abc.ABC):  # noqa: B024 - only its metaclass counts
        def area(self) -> int:
            return 0

    class Circle(Shape):
        def area(self) -> int:
            return 1

    Shape.Circle = Circle  # type: ignore[attr-defined]
    return Shape


@envpickle.builder
def itself() -> type:
    """A class with itself in an attribute."""

    class Node(metaclass=envpickle.RuntimeType): ...

    Node.child_type = Node  # type: ignore[attr-defined]
    return Node


@envpickle.builder
def pointing_back() -> type:
    """A nested class that points at the one around it."""

    class Outer(metaclass=envpickle.RuntimeType):
        class Inner(metaclass=envpickle.RuntimeType): ...

    Outer.Inner.outer = Outer  # type: ignore[attr-defined]
    return Outer


@envpickle.builder
def pointing_at_each_other() -> type:
    """Three nested classes in a ring, and one of them two deep."""

    class Outer(metaclass=envpickle.RuntimeType):
        class One(metaclass=envpickle.RuntimeType):
            class Deep(metaclass=envpickle.RuntimeType): ...

        class Two(metaclass=envpickle.RuntimeType): ...

    Outer.One.other = Outer.Two  # type: ignore[attr-defined]
    Outer.Two.other = Outer.One.Deep  # type: ignore[attr-defined]
    Outer.One.Deep.other = Outer.One  # type: ignore[attr-defined]
    return Outer


@envpickle.builder
def plain_pointing_back() -> type:
    """The same with plain classes, which are replaced in each other."""

    class Outer:
        class Inner: ...

    Outer.Inner.outer = Outer  # type: ignore[attr-defined]
    return Outer


@envpickle.builder
def plain_aliased() -> type:
    """A plain nested class that is an attribute of another class too."""

    class Kept:
        class Hook:
            class Pin: ...

    Kept.Short = Kept.Hook.Pin  # type: ignore[attr-defined]
    return Kept


@envpickle.builder
def plain_itself() -> type:
    """A plain class with itself in an attribute."""

    class Kept: ...

    Kept.child_type = Kept  # type: ignore[attr-defined]
    return Kept


def check_variants(cls: Any) -> None:
    assert cls.Circle.__mro__[:2] == (cls.Circle, cls)
    assert cls.Circle.Small.__mro__[:3] == (cls.Circle.Small, cls.Circle, cls)
    assert (cls().area(), cls.Circle().area(), cls.Circle.Small().area()) == (0, 1, 1)


def check_abstract_variants(cls: Any) -> None:
    assert cls.Circle.__mro__[:2] == (cls.Circle, cls)
    assert (cls().area(), cls.Circle().area()) == (0, 1)


def check_itself(cls: Any) -> None:
    assert cls.child_type is cls


def check_pointing_back(cls: Any) -> None:
    assert cls.Inner.outer is cls


def check_plain_pointing_back(cls: Any) -> None:
    assert cls.Inner.outer is cls


def check_pointing_at_each_other(cls: Any) -> None:
    assert cls.One.other.other.other is cls.One


RINGS = [variants, abstract_variants, itself, pointing_back, plain_pointing_back, pointing_at_each_other]
make_variants, make_abstract_variants, make_itself = variants, abstract_variants, itself
make_pointing_back, make_plain_pointing_back = pointing_back, plain_pointing_back
make_pointing_at_each_other = pointing_at_each_other


@envpickle.builder
def guarded(depth: int) -> type:
    """Instances that pickle in ways of their own, so many classes deep."""

    class Room:
        class Named(outside.Document): ...

        class NamedEx(outside.Ledger): ...

        class Fair(outside.Fair): ...

        class Failure(Exception):
            def __init__(self, code: int, *, why: str) -> None:
                super().__init__(str(code))
                self.code, self.why = code, why

    cls = Room
    for _ in range(depth):

        class Around:
            Inside = cls

        cls = Around
    return cls


def innermost(cls: Any) -> Any:
    """The class with the guarded ones in it."""
    while hasattr(cls, "Inside"):
        cls = cls.Inside
    return cls


@envpickle.builder
def owned_kin(name: str) -> type:
    """A class with nested ones, all of which are closed."""

    class Yard(metaclass=envpickle.RuntimeType):
        def _close(self) -> None:
            CLOSED.append(type(self).__qualname__.rpartition("@")[2][12:])

        class Slot:
            def _close(self) -> None:
                CLOSED.append(type(self).__qualname__.rpartition("@")[2][12:])

            class Label:
                def _close(self) -> None:
                    CLOSED.append(type(self).__qualname__.rpartition("@")[2][12:])

    class Large(Yard): ...

    Yard.Large = Large  # type: ignore[attr-defined]
    return Yard


def _made_by_a_helper(name: str) -> type:
    class Crane:
        label = name

        class Hook:
            class Pin:
                weight = 2

    return Crane


@envpickle.builder
def helped(name: str) -> type:
    """A helper function makes the class, and what is nested in it."""
    return _made_by_a_helper(name)


def raw_crane(name: str) -> type:
    """What `helped` returns, made without it."""
    return _made_by_a_helper(name)
