"""Importable records whose state is more than their fields, or whose constructors must not run twice."""

import dataclasses
from typing import Any

import attrs
import msgspec
import pydantic


@dataclasses.dataclass
class Node:
    """May hold itself."""

    inner: Any = None


@attrs.define(eq=False)
class AttrsNode:
    """The same with attrs."""

    inner: Any = None


class StructNode(msgspec.Struct, eq=False):
    """The same with msgspec."""

    inner: Any = None


class ModelNode(pydantic.BaseModel):
    """The same with pydantic."""

    inner: Any = None


NODES = {kind.__name__: kind for kind in (Node, AttrsNode, StructNode, ModelNode)}


class HiddenBase:
    """A slot that no field shows."""

    __slots__ = ("hidden",)


@dataclasses.dataclass
class OnHidden(HiddenBase):
    """Its base has a slot."""

    __slots__ = ("x",)
    x: int


class WithExtraSlot(OnHidden):
    """A subclass with a slot, and no dataclass itself."""

    __slots__ = ("extra",)


class WithExtraDict(OnHidden):
    """A subclass with a dict."""


@attrs.define
class AttrsOnHidden(HiddenBase):
    """Its base has a slot."""

    x: int


class OpenStruct(msgspec.Struct, dict=True):
    """Takes attributes beyond its fields."""

    x: int


@dataclasses.dataclass
class Open:
    """Takes attributes beyond its fields, as any dataclass does."""

    x: int


@attrs.define(slots=False)
class OpenAttrs:
    """The same with attrs."""

    x: int


class Doubling(msgspec.Struct):
    """Its `__post_init__` makes another value of it each time."""

    x: int

    def __post_init__(self) -> None:
        self.x *= 2


class Settled(msgspec.Struct):
    """Its `__post_init__` changes nothing any more the second time."""

    x: int

    def __post_init__(self) -> None:
        self.x = abs(self.x)


class Raising(msgspec.Struct):
    """Its `__post_init__` raises on what it made itself."""

    x: int

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("below nothing")
        self.x -= 10


class Growing(msgspec.Struct):
    """Its `__post_init__` changes what a field holds, in place."""

    items: list[int]

    def __post_init__(self) -> None:
        self.items.append(len(self.items))


@attrs.frozen(cache_hash=True)
class CachedHash:
    """Keeps its hash once it was asked for it."""

    x: int
    y: tuple[int, ...] = ()


@attrs.define(cache_hash=True, unsafe_hash=True)
class CachedHashOpen:
    """The same, of one that is not frozen."""

    x: int


@attrs.frozen
class Converted:
    """Its converter, its validator and its `__attrs_post_init__` must not run again."""

    x: int = attrs.field(converter=lambda value: value * 2, validator=lambda *_: MADE.append("validated"))

    def __attrs_post_init__(self) -> None:
        MADE.append("made")


MADE: list[str] = []


def chain(kind: str, length: int) -> Any:
    """So many records in each other."""
    made = NODES[kind](inner=None)
    for _ in range(length):
        made = NODES[kind](inner=made)
    return made


def circle(kind: str, through: str) -> Any:
    """A record that holds itself: directly, or in a container, or through another record."""
    one = NODES[kind](inner=None)
    one.inner = {
        "directly": lambda: one,
        "a list": lambda: [one],
        "a dict": lambda: {"again": one},
        "a tuple": lambda: (one,),
        "another record": lambda: Node(AttrsNode(one)),
    }[through]()
    return one
