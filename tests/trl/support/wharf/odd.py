"""Callables that are made in odder ways."""

from __future__ import annotations

import functools
import logging
import operator
import typing
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Literal, TypeVar

from envpickle_trl import portable
from wharf.calls import TEXTS, Judge, crane
from wharf.pieces import piece

T = TypeVar("T")
Bay = Literal["north", "south"]
COUNTS = {"calls": 0}
LOG = logging.getLogger("wharf")


class Tide(Enum):
    LOW = 1


@dataclass(frozen=True)
class Threshold:
    least: float

    def __call__(self, completions: list[str], **kwargs: Any) -> list[float]:
        return [float(len(text) > self.least) for text in completions]


class Slotted(Generic[T]):
    __slots__ = ("step",)

    def __init__(self, step: T) -> None:
        self.step = step

    def __call__(self, completions: list[str]) -> list[T]:
        return [self.step for _ in completions]


def logged(fn: Any) -> Any:
    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        LOG.debug("called")
        return fn(*args, **kwargs)

    return wrapper


@logged
@logged
def wrapped_twice(completions: list[str], *, scale: float = 2.0) -> list[float]:
    """Score by length, and tell of it."""
    return [scale * len(text) for text in completions]


@functools.singledispatch
def scored(value: Any) -> str:
    return "other"


@scored.register
def _(value: int) -> str:
    return "number"


@functools.lru_cache(maxsize=4)
def remembered(text: str) -> int:
    return len(text)


@piece(TEXTS)
def chain_of_wrappers() -> Any:
    return wrapped_twice


@piece(TEXTS)
def local_chain_of_wrappers() -> Any:
    @logged
    def inner(completions: list[str]) -> list[float]:
        """Score."""
        return [1.0 for _ in completions]

    return inner


@piece(3)
def single_dispatch() -> Any:
    return scored


@piece("abc")
def cached_by_name() -> Any:
    return remembered


@piece("abc")
def cached_in_a_function() -> Any:
    @functools.lru_cache(maxsize=2)
    def local(text: str) -> int:
        """Count."""
        return len(text)

    return local


@piece("abc")
def closure_over_a_cached_function() -> Any:
    cached = cached_in_a_function()
    return lambda text: cached(text)


@piece(TEXTS)
def instance_with_a_cached_property() -> Any:
    class Local(Judge):
        @functools.cached_property
        def weight(self) -> float:
            return 2 * self.bonus

        def __call__(self, completions: list[str], **kwargs: Any) -> list[float]:
            return [self.weight for _ in completions]

    return Local(3.0)


@piece(TEXTS)
def dataclass_instance() -> Any:
    return Threshold(7)


@piece(TEXTS)
def generic_with_slots() -> Any:
    return Slotted[float](0.5)


@piece("north", 3)
def tool_whose_annotations_are_text() -> Any:
    heights = [1, 2]

    def stack(bay: Bay, count: int, tide: list[Any] | None = None) -> str:
        """Stack crates.

        Args:
            bay: Where.
            count: How many.
            tide: When.
        """
        return f"{bay} {count} {heights}"

    return stack


@piece("north")
def partial_of_a_tool_whose_annotations_are_text() -> Any:
    return functools.partial(tool_whose_annotations_are_text(), count=2)


@piece(5)
def recursive() -> Any:
    def factorial(n: int) -> int:
        """Multiply."""
        return 1 if n < 2 else n * factorial(n - 1)

    return factorial


@piece(5)
def recursive_through_its_portable_self() -> Any:
    @portable
    def factorial(n: int) -> int:
        """Multiply."""
        return 1 if n < 2 else n * factorial(n - 1)

    return factorial


@piece(6)
def mutually_recursive() -> Any:
    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    return even


@piece(6)
def closure_over_a_portable_one() -> Any:
    inner = portable(lambda n: n * 7)
    return lambda n: inner(n) + 1


@piece(TEXTS)
def instance_that_holds_a_portable_one() -> Any:
    judge: Any = Judge(1.0)
    judge.rule = portable(lambda text: text)
    return judge


@piece(TEXTS)
def instance_that_holds_itself_portable() -> Any:
    judge: Any = Judge(1.0)
    judge.me = portable(judge)
    return judge


@piece("x")
def closures_that_share_a_list() -> Any:
    seen: list[str] = []

    def note(text: str) -> None:
        seen.append(text)

    def tell(text: str) -> list[str]:
        note(text)
        return seen[-1:]

    return tell


@piece(TEXTS)
def defaults_that_hold_built_classes() -> Any:
    def reward(completions: list[str], kinds: tuple[Any, ...] = (crane(1), crane(2)), *, tide: Tide = Tide.LOW) -> list[Any]:
        assert kinds[0] is crane(1)
        assert tide is Tide.LOW
        return [kind()("x") for kind in kinds]

    return reward


@piece(TEXTS)
def closure_over_a_logger_and_a_module() -> Any:
    log, module = LOG, operator

    def reward(completions: list[str]) -> list[float]:
        log.debug("called")
        return [float(module.mul(2, len(text))) for text in completions]

    return reward


@piece("ab")
def method_of_a_value() -> Any:
    return {"ab": 3}.get


@piece(TEXTS)
def class_method() -> Any:
    class Local:
        @classmethod
        def score(cls, completions: list[str]) -> list[str]:
            return [cls.__name__ for _ in completions]

    return Local.score


@piece(TEXTS)
def a_class() -> Any:
    return sorted


@piece()
def counts_in_a_global() -> Any:
    def count() -> int:
        COUNTS["calls"] += 0
        return COUNTS["calls"]

    return count


@piece(2)
def generator_function() -> Any:
    def rising(n: int) -> Any:
        yield from range(n)

    return lambda n: list(rising(n))


@piece()
def with_attributes() -> Any:
    def reward() -> int:
        return typing.cast(int, reward.weight)  # type: ignore[attr-defined]

    reward.weight = 3  # type: ignore[attr-defined]
    return reward
