"""Whatever the arguments of a maker are, it makes a class or refuses with an error of ours, and calls nothing."""

import functools
import os
import random
import typing
import warnings
from collections.abc import Callable
from typing import Any

import annotated_types
import marshmallow
import msgspec
import pydantic
import pytest
from attrs import validators
from harbour import made_generic, made_marshmallow, made_msgspec, made_pydantic, tripped

from envpickle import errors
from envpickle.makers import attrs, deap, generics
from envpickle.makers import marshmallow as marshmallow_maker
from envpickle.makers import msgspec as msgspec_maker
from envpickle.makers import pydantic as pydantic_maker

CALLS = 1_500  # of each maker, the same in every run
ODD: list[Any] = [
    None, True, 0, -1, 3.5, 2**70, "x", "__init__", "a b", "class", "", "x" * 300, "(", b"1", (), [], {}, ..., int, str, list,
    dict, type, object, Exception, list[int], int | None, typing.Any, typing.Literal["a", 1], typing.ForwardRef("int"),
    typing.Annotated[int, annotated_types.Gt(1)], typing.Annotated[int, tripped.trip], typing.ClassVar[int], typing.Self,
    typing.Callable[[int], str], tripped.trip, tripped.one_value, os.system, functools.partial(tripped.trip, 1),
    annotated_types.Gt(1), pydantic.BaseModel, pydantic.GetPydanticSchema(tripped.trip), made_pydantic.Box, made_pydantic.Crate,
    made_pydantic.T, msgspec.Struct, made_msgspec.Base, marshmallow.Schema, made_marshmallow.Stamped, made_generic.Array,
    made_generic.Vector, made_generic.Sly, validators.instance_of(int), validators.optional(validators.ge(1)), "default",
    "default_factory", "validate_default", "alias", "type", "after", "field", "mode", "List", "Raw", "Nested", "Constant",
]  # fmt: skip
NAMES = (
    "name",
    "a",
    "_b",
    "default",
    "default_factory",
    "factory",
    "converter",
    "validator",
    "validate",
    "alias",
    "type",
    "repr",
)


class _Odd:
    """A source of odd values, some of them of the form a maker expects."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        kind = self.random.random()
        if kind < 0.6 or depth > 4:
            return self.random.choice(ODD)
        many = [self.value(depth + 1) for _ in range(self.random.randrange(5))]
        if kind < 0.75:
            return many
        return tuple(many) if kind < 0.88 else {self.random.choice([*NAMES, *map(str, ODD[:9])]): item for item in many}

    def near(self, *expected: Any) -> Any:
        return self.random.choice([*expected, self.value()])

    def fields(self, *rest: Callable[[], Any]) -> Any:
        return [(self.near("a", "_b"), *(make() for make in rest)) for _ in range(self.random.randrange(3))]


def _pydantic(odd: _Odd) -> tuple[Any, ...]:
    fields = odd.fields(lambda: odd.near(int), lambda: odd.near([]), lambda: odd.near({}))
    settings = {odd.random.choice(["extra", "title", "alias_generator", "validate_default", "frozen"]): odd.value()}
    checks = [("field", "check", odd.value(), ["a"], {"mode": odd.value()})]
    bases = odd.near((pydantic.BaseModel,), (made_pydantic.Crate,))
    return odd.near("A"), odd.near(fields), odd.near(None), odd.near({}, settings), bases, odd.near([], checks)


def _attrs(odd: _Odd) -> tuple[Any, ...]:
    fields = odd.fields(lambda: odd.near({}, {odd.random.choice(NAMES): odd.value()}))
    return (
        odd.near("A"),
        odd.near(fields),
        odd.near((object,)),
        odd.near({}, {"frozen": odd.value()}),
        odd.near({}, {"m": odd.value()}),
    )


def _msgspec(odd: _Odd) -> tuple[Any, ...]:
    fields = odd.fields(lambda: odd.near(int), lambda: odd.near({}, {"default": odd.value()}))
    return odd.near("A"), odd.near(fields), odd.near((msgspec.Struct,)), odd.near({}, {"tag": odd.value()}), odd.near(None)


def _deap(odd: _Odd) -> tuple[Any, ...]:
    return odd.near("Odd"), odd.near(list, dict), odd.near({}, {"a": odd.value()})


def _marshmallow(odd: _Odd) -> tuple[Any, ...]:
    kind = odd.random.choice(["Raw", "List", "Dict", "Nested", "Tuple", "Constant", "Integer"])
    name = odd.random.choice(
        ["validate", "cls_or_instance", "nested", "constant", "load_default", "keys", "tuple_fields", "many"]
    )
    fields = {"f": [kind, {name: odd.near(["Raw", {}], {"one": odd.value()}, [["Raw", {}]])}]}
    return odd.near("A"), odd.near(fields), odd.near(marshmallow.Schema, made_marshmallow.Stamped)


def _generics(odd: _Odd) -> tuple[Any, ...]:
    origin = odd.near(made_pydantic.Box, made_pydantic.Pair, made_generic.Array, made_generic.Vector, made_generic.Sly)
    return origin, odd.near((odd.value(),), (odd.value(), odd.value()))


MAKERS: dict[str, tuple[Any, Callable[[_Odd], tuple[Any, ...]]]] = {
    "pydantic": (pydantic_maker.create_model, _pydantic),
    "attrs": (attrs.make_class, _attrs),
    "msgspec": (msgspec_maker.defstruct, _msgspec),
    "deap": (deap.create, _deap),
    "marshmallow": (marshmallow_maker.from_dict, _marshmallow),
    "generics": (generics.parametrized, _generics),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_odd_arguments_are_refused(maker: str) -> None:
    """Neither another exception, nor a call; some of them do make a class."""
    builder, arguments = MAKERS[maker]
    odd = _Odd(maker)
    tripped.RUN.clear()
    made = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydantic has something to say about some names
        for _ in range(CALLS):
            given = arguments(odd)
            try:
                made += isinstance(builder.fn(*given), type)
            except errors.EnvpickleError:
                continue
            finally:
                assert tripped.RUN == [], given
    assert made > 10
