"""Type annotations are plain data: each kind comes out as it went in, and what cannot is refused with its path."""

import collections.abc
import dataclasses
import sys
import typing
from typing import Any

import pytest
from harbour import cargo, docks, made_standard
from hypothesis import given, settings
from hypothesis import strategies as st

import envpickle
from envpickle import errors
from envpickle.likeness import unlike
from envpickle.makers.annotations import texts_in, why_no_text
from envpickle.payload import from_tree, unpack
from envpickle.plain import encode

T = typing.TypeVar("T")
P = typing.ParamSpec("P")
KINDS: list[Any] = [
    int, type(None), None, Any, ..., list[int], tuple[int, ...], tuple[()], dict[str, list[int | None]], int | None,
    list[int] | str | None, typing.Optional[int], typing.Union[int, str], typing.Literal[1, "a", None, b"b", True],  # noqa: UP007, UP045
    typing.Literal[cargo.Colour.RED], typing.Annotated[int, "x", 3, cargo.Point(1)], typing.ClassVar[int], typing.Final[int],
    typing.Required[int], typing.NotRequired[list[str]], typing.Callable[[int], str], typing.Callable[..., int],
    typing.Callable[[], None], typing.Callable[typing.Concatenate[int, P], int], collections.abc.Callable[[int, str], None],
    collections.abc.Callable[..., None], typing.List, typing.List[int], typing.Dict[str, Any], typing.Tuple[()],  # noqa: UP006
    typing.Type[int], type[int], typing.Self, typing.Never, typing.NoReturn, typing.LiteralString, typing.List["X"],  # noqa: UP006, F821
    typing.ForwardRef("a.b[int, 'c'] | None"), T, typing.List[T], typing.AnyStr, typing.IO[str], typing.Pattern[str],  # noqa: UP006
    typing.TypeGuard[int], collections.abc.Mapping[str, int], typing.Mapping[str, int], dataclasses.InitVar[int],
    dataclasses.InitVar, typing.Unpack[typing.Tuple[int]], typing.Hashable, typing.SupportsInt, cargo.Colour, cargo.Point,  # noqa: UP006
    made_standard.Boxed[int], made_standard.Boxed[T], typing.TypeVar("V", bound=int), typing.TypeVar("V", int, str),
    typing.TypeVar("V", covariant=True), typing.ParamSpec("Q"), typing.TypeVarTuple("Ts"), typing.NewType("N", list[int]),
    list[typing.NewType("N", int)],
]  # fmt: skip


def there_and_back(annotation: Any) -> Any:
    """What an annotation is after it was an argument."""
    return from_tree(unpack(encode("builder", "argument", annotation)))


def same(one: Any, other: Any) -> bool:
    return not unlike(type("Holder", (), {"held": one}), type("Holder", (), {"held": other}))


@pytest.mark.parametrize("annotation", KINDS, ids=str)
def test_an_annotation_comes_out_as_it_went_in(annotation: Any) -> None:
    """The same kind, with the same in it, and the same text."""
    again = there_and_back(annotation)

    assert same(annotation, again)
    assert repr(again) == repr(annotation)


@pytest.mark.parametrize("annotation", [T, P, typing.AnyStr, made_standard.T], ids=str)
def test_a_variable_of_a_module_is_itself(annotation: Any) -> None:
    """It travels by its name."""
    assert there_and_back(annotation) is annotation


def test_an_annotation_may_hold_a_class_that_a_builder_made() -> None:
    """The class travels as its own call."""
    cls = docks.dock(["annotated"])

    assert typing.get_args(there_and_back(dict[str, cls | None]))[1] == cls | None  # type: ignore[valid-type]


REFUSED: list[Any] = [
    typing.ForwardRef("print(1)"), list[typing.ForwardRef("().__class__")], typing.Annotated[int, object()], P.args,  # type: ignore[misc]
    *([typing.TypeAliasType("Nowhere", int)] if sys.version_info >= (3, 12) else []),
]  # fmt: skip


@pytest.mark.parametrize("annotation", REFUSED, ids=str)
def test_what_cannot_be_made_again_is_refused(annotation: Any) -> None:
    """With the way to it."""
    with pytest.raises(errors.NotPlainData, match=r"builder\(argument="):
        there_and_back(annotation)


@pytest.mark.parametrize("text", ["int", "list[int]", "a.b.C | None", "Literal['a', -1]", " int", "Callable[[int], str]", "()"])
def test_a_text_that_names_types_may_stand_for_one(text: str) -> None:
    assert why_no_text(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "print()", "a()", "[x for x in y]", "lambda: 1", "x.__class__", "__import__", "a if b else c", "f'{x}'", "x := 1",
        "await x", "", "a b", "x" * 513, "(" * 300, "\x00", "import os", "{1: 2}", "a + b", "not a", "*a", "yield",
    ],
)  # fmt: skip
def test_a_text_with_more_than_names_may_not(text: str) -> None:
    """No call, no special name, no other operator than ``|``."""
    assert why_no_text(text)


def test_texts_are_found_at_any_depth() -> None:
    """But not among literals and metadata, which stand for themselves."""
    annotation = dict[str, list["A"] | None]  # type: ignore[name-defined]  # noqa: F821
    assert list(texts_in(annotation)) == ["A"]
    assert list(texts_in(typing.Annotated[typing.List["B"], "no"])) == ["B"]  # noqa: F821, UP006
    assert list(texts_in(typing.Literal["no"])) == []
    assert list(texts_in(typing.Callable[["C"], typing.Optional["D"]])) == ["C", "D"]  # noqa: F821


LEAVES = st.sampled_from([int, str, None, Any, T, cargo.Colour, cargo.Point, typing.Hashable, typing.Literal["a", 1]])


def _wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    one = st.tuples(st.sampled_from([list, set, type, typing.List, typing.Optional, typing.Type]), inner)  # noqa: UP006
    pair = st.tuples(inner, inner)
    return st.one_of(
        one.map(lambda made: made[0][made[1]]),
        pair.map(lambda made: dict[made[0], made[1]]),  # type: ignore[index]
        pair.map(lambda made: typing.Union[made[0], made[1]]),  # noqa: UP007
        pair.map(lambda made: typing.Callable[[made[0]], made[1]]),
        pair.map(lambda made: collections.abc.Callable[[made[0]], made[1]]),
        st.lists(inner, max_size=3).map(lambda made: tuple[(*made,)]),  # type: ignore[misc]
    )


@settings(max_examples=40, deadline=None)
@given(st.recursive(LEAVES, _wider, max_leaves=6))
def test_any_annotation_comes_out_as_it_went_in(annotation: Any) -> None:
    """Whatever is put together of them, within the depth that plain data has."""
    again = there_and_back(annotation)

    assert again == annotation
    assert same(annotation, again)


def test_a_new_type_is_one_here_and_comes_home() -> None:
    """Registered once it is the same object however often it is pickled; an equal one is the one that was registered."""
    import pickle

    order = envpickle.register(typing.NewType("Order", int))
    assert pickle.loads(pickle.dumps(order)) is order
    assert envpickle.register(typing.NewType("Order", int)) is order
    assert envpickle.register(typing.NewType("Order", str)) is not order
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(typing.NewType("Unregistered", int))
    with pytest.raises(errors.RegistrationError, match="plain name"):
        envpickle.register(typing.NewType("a b", int))
