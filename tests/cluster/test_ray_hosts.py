"""What of a class becomes a method of its actors, and how it is seen at home; nothing here needs a cluster."""

import functools
import inspect
import pickle
from typing import Any

import pytest
import ray

from envpickle import closers
from envpickle_ray import actors, endings


class Lazy:
    """A descriptor that is no method."""

    def __get__(self, instance: object, owner: type | None = None) -> int:
        return 3


class Mixed:
    """One of each kind."""

    still = functools.partial(max, 3)
    lazy = Lazy()

    class Nested:
        """A class is no method of the one that it stands in."""

    @functools.cached_property
    def cached(self) -> int:
        return 1

    @property
    def seen(self) -> int:
        return 1

    @functools.lru_cache  # noqa: B019
    def remembered(self, a: int) -> int:
        return a

    def plain(self, a: int, b: int = 2) -> int:
        return a + b

    one = functools.partialmethod(plain, 1)

    async def waiting(self, a: int) -> int:
        return a

    waiting_for_one = functools.partialmethod(waiting, 1)

    @functools.singledispatchmethod
    def by_kind(self, a: int) -> int:
        return a

    @staticmethod
    def selfish(self: int, a: int) -> int:
        return self + a

    def renamed(this, self: int) -> int:
        return self

    partial = staticmethod(functools.partial(divmod, 7))

    @classmethod
    def of_class(cls, a: int) -> int:
        return a

    def __call__(self) -> int:
        return 0

    def _hidden(self) -> int:
        return 0


def relayed(cls: type) -> dict[str, Any]:
    """The methods that the actors of a class have of it."""
    return {name: value for name, value in vars(actors.hosting(cls)).items() if not name.startswith("_") or name == "__call__"}


def test_methods_become_methods_and_nothing_else_does() -> None:
    """A property would be computed in the actor, and called there."""
    names = [
        *("__call__", "by_kind", "of_class", "one", "partial", "plain", "remembered", "renamed", "selfish"),
        "still",
        "waiting",
    ]
    assert sorted(relayed(Mixed)) == [*names, "waiting_for_one"]


@pytest.mark.parametrize(
    ("name", "as_seen"),
    [
        ("plain", "(self, /, a: int, b: int = 2) -> int"),
        ("one", "(self, /, b: int = 2) -> int"),
        ("by_kind", "(self, /, a: int) -> int"),
        ("selfish", "(_self, /, self: int, a: int) -> int"),
        ("renamed", "(_self, /, self: int) -> int"),
        ("of_class", "(self, /, a: int) -> int"),
        ("partial", "(self, y, /)"),
        ("still", "(self: Any, /, *args: Any, **kwargs: Any) -> Any"),
        ("remembered", "(self, /, a: int) -> int"),
    ],
)
def test_a_method_is_seen_at_home_as_it_is(name: str, as_seen: str) -> None:
    """Ray checks arguments by it; a parameter named self is no reason to fail."""
    assert str(inspect.signature(relayed(Mixed)[name])) == as_seen


def test_a_method_made_of_a_coroutine_method_is_one() -> None:
    """Ray looks at it to know how to run it."""
    assert inspect.iscoroutinefunction(relayed(Mixed)["waiting_for_one"])
    assert not inspect.iscoroutinefunction(relayed(Mixed)["one"])


def test_what_ray_puts_on_functions_is_no_change_of_a_host() -> None:
    """Else it would be refused when it is sent; classes with methods written in C have some without a signature."""
    for cls in (Mixed, dict, bytearray):
        host = actors.hosting(cls)
        ray.remote(host)
        assert pickle.loads(pickle.dumps(host)) is host


def test_closing_methods_are_those_that_an_owner_looks_for() -> None:
    """The core says them in its documentation, and gives no name for them to plugins."""
    assert endings.CLOSERS == closers._BY_NAME
