"""Classes into which libraries write while they are used."""

import dataclasses
import unittest
from typing import Any

import hypothesis
import pydantic
from hypothesis import strategies

import envpickle


@envpickle.builder
def bill(name: str) -> type:
    """A dataclass one of whose types is text, one a union."""

    @dataclasses.dataclass
    class Bill:
        crates: int = 1
        to: "str" = "quay"
        by: int | None = None

        def words(self, more: str = "") -> str:
            return f"{name} {self.to} {more}"

    return Bill


@envpickle.builder
def checked_bill(name: str) -> type:
    """A dataclass of pydantic's that cannot be completed before a type is known."""

    @pydantic.dataclasses.dataclass
    class Bill(metaclass=envpickle.RuntimeType):
        crates: int = 1
        weight: "Weight | None" = None  # noqa: F821 -- set by the test that completes it

    return Bill


@envpickle.builder
def inspection(name: str) -> type:
    """A class of tests, one of them of hypothesis."""

    class Inspection(unittest.TestCase, metaclass=envpickle.RuntimeType):
        @hypothesis.settings(max_examples=2, database=None)
        @hypothesis.given(strategies.integers())
        def test_weight(self, weight: int) -> None:
            assert isinstance(weight, int)

    return Inspection


def functions_alike(tag: str, held: Any = None) -> Any:
    """A function; another call gives one of the same code."""

    def lift(self: Any, item: str = tag) -> Any:
        return held, item

    return lift


@envpickle.builder
def winch(name: str) -> type:
    """A class one of whose functions can be made once more."""
    return envpickle.RuntimeType("Winch", (), {"plain": lambda self: 1, "lift": functions_alike(name)})
