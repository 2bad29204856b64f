"""Closures, lambdas, partials, coroutine functions, methods and callable objects, of the kinds users write."""

import functools
from typing import Any

import envpickle
from envpickle_trl import portable
from wharf.pieces import piece

TEXTS = ["a crate", "an anchor"]


def lengths(completions: list[str], scale: float = 1.0, **kwargs: Any) -> list[float]:
    """Score by length."""
    return [scale * len(text) for text in completions]


@piece(TEXTS)
def named() -> Any:
    return lengths


@piece(TEXTS)
def closure() -> Any:
    weights = {"a": 2.0}

    def weighted(completions: list[str], **kwargs: Any) -> list[float]:
        """Score by the first letter."""
        return [weights.get(text[0], 0.0) for text in completions]

    return weighted


@piece(TEXTS)
def anonymous() -> Any:
    return lambda completions, **kwargs: [float(len(text)) for text in completions]


@piece(TEXTS)
def partial_of_a_function() -> Any:
    return functools.partial(lengths, scale=0.5)


@piece(TEXTS)
def partial_of_a_partial_of_a_lambda() -> Any:
    inner = functools.partial(lambda scale, shift, completions: [scale * len(text) + shift for text in completions], 2)
    inner.note = "kept apart"  # type: ignore[attr-defined]
    return functools.partial(inner, 1)


@piece(TEXTS)
def coroutine() -> Any:
    bonus = 3.0

    async def judged(completions: list[str], **kwargs: Any) -> list[float]:
        return [bonus for _ in completions]

    return judged


@piece(TEXTS)
def partial_of_a_coroutine() -> Any:
    async def judged(bonus: float, completions: list[str]) -> list[float]:
        return [bonus for _ in completions]

    return functools.partial(judged, 2.0)


class Judge:
    """Judges."""

    def __init__(self, bonus: float) -> None:
        self.bonus = bonus

    def __call__(self, completions: list[str], **kwargs: Any) -> list[float]:
        return [self.bonus for _ in completions]

    def other(self, completions: list[str]) -> list[float]:
        """Judge otherwise."""
        return [-self.bonus for _ in completions]


class AsyncJudge(Judge):
    async def __call__(self, completions: list[str], **kwargs: Any) -> list[float]:  # type: ignore[override]
        return [self.bonus for _ in completions]


class NamedJudge(Judge):
    __slots__ = ()
    __name__ = "judge_by_name"


@piece(TEXTS)
def instance() -> Any:
    return Judge(1.5)


@piece(TEXTS)
def asynchronous_instance() -> Any:
    return AsyncJudge(1.5)


@piece(TEXTS)
def named_instance() -> Any:
    return NamedJudge(1.5)


@piece(TEXTS)
def instance_that_holds_a_lambda() -> Any:
    judge: Any = Judge(1.0)
    judge.rule = lambda text: text
    return judge


@piece(TEXTS)
def instance_of_a_local_class() -> Any:
    class Local(Judge):
        def __call__(self, completions: list[str], **kwargs: Any) -> list[float]:
            return [*super().__call__(completions), 7.0]

    return Local(1.0)


@piece(TEXTS)
def bound_method() -> Any:
    return Judge(4.0).other


@envpickle.builder
def crane(reach: int) -> type:
    class Crane:
        def lift(self, crate: str) -> str:
            """Lift a crate.

            Args:
                crate: Its label.
            """
            return f"{crate} lifted over {reach} m"

        def __call__(self, completions: list[str]) -> list[float]:
            return [float(reach) for _ in completions]

    return Crane


@piece(crate="C1")
def method_of_a_built_class() -> Any:
    return crane(3)().lift


@piece(TEXTS)
def instance_of_a_built_class() -> Any:
    return crane(4)()


@piece("C2")
def closure_over_a_method_of_a_built_class() -> Any:
    lift = crane(5)().lift
    return lambda crate: lift(crate)


@piece(TEXTS)
def closure_over_a_built_class() -> Any:
    kind = crane(6)

    def reward(completions: list[str], kind: type = kind, *, other: type = kind) -> list[float]:
        assert kind is other is crane(6)
        return kind()(completions)  # type: ignore[no-any-return]

    return reward


@portable
def decorated(completions: list[str], **kwargs: Any) -> list[float]:
    """Score by nothing."""
    CALLED.append(len(completions))
    return [0.0 for _ in completions]


CALLED: list[int] = []


@piece(TEXTS)
def decorated_at_the_top() -> Any:
    return decorated


class Harbour:
    """A class whose method is decorated."""

    @portable
    def tide(self, hour: int) -> int:
        return hour * 2

    @staticmethod
    def depth(hour: int) -> int:
        return hour * 3


@piece(4)
def method_that_was_decorated() -> Any:
    return Harbour().tide


@piece(4)
def static_method() -> Any:
    return Harbour.depth


@piece([1, 2])
def builtin() -> Any:
    return len
