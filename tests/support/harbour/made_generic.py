"""A hold (see `voyage.trip`) of parametrised generics that are classes of their own: one kept by its library, one not."""

from typing import Any

import envpickle

KEPT: dict[Any, type] = {}


class Meta(type):
    """A metaclass of one's own, so that classes are registered in place."""


class Array(metaclass=Meta):
    """Makes one class for each type, and keeps it."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __class_getitem__(cls, item: Any) -> type:
        if item not in KEPT:
            KEPT[item] = Meta(f"Array[{item.__name__}]", (cls,), {"__origin__": cls, "__args__": (item,)})
        return KEPT[item]


class Vector:
    """Makes a new class each time it is asked."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __class_getitem__(cls, item: Any) -> type:
        names = {"__origin__": cls, "__args__": (item,), "item": item}
        return type(f"{cls.__name__}[{item.__name__}]", (cls,), names)

    def sound(self) -> bool:
        return all(isinstance(item, self.item) for item in self.items)  # type: ignore[attr-defined]


class Sly:
    """Gives something else for types."""

    def __class_getitem__(cls, item: Any) -> Any:
        return cls if item is int else type("Other", (cls,), {"__origin__": dict, "__args__": (item,)})


def make_kept() -> Any:
    return envpickle.register(Array[int])


def check_kept(got: Any) -> None:
    assert got is Array[int]
    assert got(1, 2).items == (1, 2)


def make_new() -> Any:
    return envpickle.register(Vector[str])


def check_new(got: Any) -> None:
    assert issubclass(got, Vector)
    assert got("a").sound()
    assert not got(1).sound()


def make_instance() -> Any:
    return envpickle.register(Vector[int])(1, 2)


def check_instance(got: Any) -> None:
    assert got.items == (1, 2)
    assert got.sound()
