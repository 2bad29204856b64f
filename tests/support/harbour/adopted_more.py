"""The second hold of plain classes to be adopted; see `adopted`."""

import abc
import functools
from collections.abc import Callable
from typing import Any, ClassVar

import envpickle
from harbour import outside
from harbour.holding import add_makers


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return "wrapped", function(*args)

    return wrapper


@envpickle.builder
def wrapped() -> type:
    class Wrapped:
        @_wrapped
        def super_in_wrapper(self) -> Any:
            return super().__repr__().startswith("<")

        @_wrapped
        @_wrapped
        def twice(self) -> Any:
            return Wrapped

        @classmethod
        @_wrapped
        def made(cls) -> Any:
            return Wrapped, cls

        @staticmethod
        @functools.lru_cache
        def cached(value: int) -> Any:
            return Wrapped, value

        @functools.cached_property
        def once(self) -> Any:
            return Wrapped

        @functools.singledispatchmethod
        def by_type(self, value: Any) -> Any:
            return Wrapped

        partial = functools.partialmethod(lambda self, a, b: (a, b), 1)

    return Wrapped


def check_wrapped(cls: Any) -> None:
    one = cls()
    assert one.super_in_wrapper() == ("wrapped", True)
    assert one.twice() == ("wrapped", ("wrapped", cls))
    assert cls.made() == ("wrapped", (cls, cls))
    assert cls.cached(3) == (cls, 3)
    assert cls.cached(3) is cls.cached(3)
    assert one.once is cls is one.by_type(1)
    assert one.partial(2) == (1, 2)


@envpickle.builder
def abstract_mixin() -> type:
    class Concrete(outside.Abstract):
        def reset(self) -> str:
            return "reset"

    return Concrete


def check_abstract_mixin(cls: Any) -> None:
    assert cls().reset() == "reset"
    assert isinstance(cls(), outside.Abstract)


@envpickle.builder
def still_abstract() -> type:
    class Open(abc.ABC):
        @abc.abstractmethod
        def reset(self) -> str: ...

        @property
        @abc.abstractmethod
        def size(self) -> int: ...

    return Open


def check_still_abstract(cls: Any) -> None:
    assert cls.__abstractmethods__ == {"reset", "size"}
    try:
        cls()
    except TypeError:
        return
    raise AssertionError("the abstract class can be instantiated")


@envpickle.builder
def operators() -> type:
    class Number:
        def __init__(self, n: int = 0) -> None:
            self.n = n

        def __add__(self, other: Any) -> Any:
            return Number(self.n + other.n) if isinstance(other, Number) else NotImplemented

        def __eq__(self, other: Any) -> bool:
            return isinstance(other, __class__) and self.n == other.n  # type: ignore[name-defined]

        def __hash__(self) -> int:
            return hash(self.n)

        def __class_getitem__(cls, item: Any) -> Any:
            return cls, item

        def __call__(self) -> int:
            return self.n

    return Number


def check_operators(cls: Any) -> None:
    assert cls(1) + cls(2) == cls(3)
    assert {cls(1), cls(1)} == {cls(1)}
    assert cls[5] == (cls, 5)
    assert cls(4)() == 4


@envpickle.builder
def with_metaclass() -> type:
    class Direct(metaclass=envpickle.RuntimeType):
        registry: ClassVar[dict[str, Any]] = {}

        def __init_subclass__(cls) -> None:
            cls.registry[cls.__name__] = 1

        def me(self) -> Any:
            return __class__  # type: ignore[name-defined]

    return Direct


def check_with_metaclass(cls: Any) -> None:
    assert type(cls) is envpickle.RuntimeType
    assert cls().me() is cls


@envpickle.builder
def descriptors() -> type:
    class Field:
        def __get__(self, one: Any, owner: Any = None) -> Any:
            return (type(one).__name__, owner.__name__)

        def __set__(self, one: Any, value: Any) -> None:
            raise AttributeError("read only")

    class Described:
        field = Field()

    return Described


def check_descriptors(cls: Any) -> None:
    assert cls().field == ("Described", "Described")


@envpickle.builder
def documented() -> type:
    class Documented:
        """A class's own text."""

        later: "Documented"
        number: int = 3
        __hash__ = None  # type: ignore[assignment]

        def method(self, other: "Documented") -> "list[Documented]":
            """A method's text."""
            return [other]

    return Documented


def check_documented(cls: Any) -> None:
    assert (cls.__doc__, cls.method.__doc__) == ("A class's own text.", "A method's text.")
    assert list(cls.__annotations__) == ["later", "number"]
    assert cls.__hash__ is None


add_makers(globals())
