"""Giving a plain class the metaclass: what must come out right, and what is refused with its one-line remedy."""

import functools
import gc
import importlib
import pickle
from typing import Any

import pytest
from harbour import docks, outside, refused
from voyage.trip import carried, pieces

import envpickle
from envpickle import errors

NAMES = [(hold, name) for hold in ("harbour.adopted", "harbour.adopted_more") for name in pieces(hold)]
each_name = pytest.mark.parametrize(("hold", "name"), NAMES, ids=[name for _, name in NAMES])


@functools.cache
def verdicts(hold: str) -> dict[str, str]:
    return carried(hold, pieces(hold))


@each_name
def test_an_adopted_class_works_at_home(hold: str, name: str) -> None:
    """Every kind of plain class works after it was given the metaclass, and pickles to itself."""
    module = importlib.import_module(hold)
    cls = getattr(module, f"make_{name}")()

    getattr(module, f"check_{name}")(cls)
    assert pickle.loads(pickle.dumps(cls)) is cls


@each_name
def test_an_adopted_class_works_in_a_child(hold: str, name: str) -> None:
    """Every kind of plain class works where it was rebuilt, and comes home as itself."""
    assert verdicts(hold)[name] == "ok"


@pytest.mark.parametrize("builder", refused.NOT_ADOPTED, ids=lambda builder: builder.__name__)
def test_what_cannot_be_adopted_is_refused_with_the_remedy(builder: Any) -> None:
    """What still holds the old class, or would be told twice, is refused when built, with the line that helps."""
    with pytest.raises(errors.AdoptionError, match=r"metaclass=envpickle\.RuntimeType") as caught:
        builder()
    assert "Kept" in str(caught.value)
    assert builder.__name__ in str(caught.value)


@pytest.mark.parametrize("builder", refused.NOT_ADOPTED, ids=lambda builder: builder.__name__)
def test_a_refused_builder_leaves_nothing_behind(builder: Any) -> None:
    """After a refusal the next call is refused for the same reason, not for a different one."""
    messages = []
    for _ in range(2):
        with pytest.raises(errors.AdoptionError) as caught:
            builder()
        messages.append(str(caught.value))
        gc.collect()

    assert messages[0] == messages[1]


def test_a_protocol_is_refused_or_keeps_working() -> None:
    """A protocol is refused with the remedy, or is still one afterwards: its members are the user's alone."""
    try:
        cls: Any = refused.protocol()
    except errors.BuilderError as error:
        assert "Kept" in str(error)  # noqa: PT017 - either way out is right, a third is not
        return
    assert isinstance(outside.Resettable(), cls)
    assert not isinstance(outside.Plain(), cls)
    assert pickle.loads(pickle.dumps(cls)) is cls


@pytest.mark.parametrize(
    "what",
    ["none", "instance", "builtin", "installed class", "another builder's class", "function", "string", "alias", "tuple"],
)
def test_a_builder_must_return_a_class_it_made(what: str) -> None:
    """Anything but a class made in this call is refused when built, naming the builder."""
    with pytest.raises(errors.BuilderError, match="returns"):
        refused.returns(what)


def test_a_builder_that_keeps_its_class_is_refused() -> None:
    """A builder that returns one class for two calls is refused at the second, and the first class stays right."""
    refused.CACHE.clear()
    first = refused.cached(1)
    with pytest.raises(errors.BuilderError, match="cached"):
        refused.cached(2)

    assert pickle.loads(pickle.dumps(first)) is first


async def asynchronous(number: int) -> type:
    return type("Asynchronous", (), {})


def generator(number: int) -> Any:
    yield type("Generated", (), {})


@pytest.mark.parametrize("function", [asynchronous, generator, functools.cache(refused.returns.fn)])
def test_a_function_that_returns_no_class_is_refused_when_decorated(function: Any) -> None:
    """An async, generator or cached function cannot be a builder, and that is told where it is written."""
    with pytest.raises(errors.BuilderError, match="function"):
        envpickle.builder(function)


@pytest.mark.parametrize("builder", [refused.under_a_decorator, refused.under_a_cache])
def test_a_builder_under_another_decorator_is_refused(builder: Any) -> None:
    """Where the name finds a wrapper the class could not be found again, so the builder refuses when it is called."""
    with pytest.raises(errors.BuilderError, match="under_a_"):
        builder(1)


def test_a_builder_inside_a_function_is_refused_when_decorated() -> None:
    """Nobody else can find a builder defined inside a function, so the decorator refuses."""

    def inner(number: int) -> type:
        return type("Inner", (), {})

    with pytest.raises(errors.BuilderError, match="inner"):
        envpickle.builder(inner)


@pytest.mark.parametrize("thing", [len, int, docks.dock, functools.partial(docks.dock.fn, ["a"]), 5])
def test_what_is_no_function_is_refused_when_decorated(thing: Any) -> None:
    """Only a plain function that its name can find becomes a builder."""
    with pytest.raises(errors.BuilderError):
        envpickle.builder(thing)


def test_a_lambda_needs_a_name() -> None:
    """A lambda is refused for want of a name, at the latest when it is called; with a name it is a builder as any other."""
    with pytest.raises(errors.BuilderError, match=r"lambda|name"):
        envpickle.builder(refused.LAMBDA)(1)
    cls = refused.named_lambda(3)

    assert pickle.loads(pickle.dumps(cls)) is cls
    assert cls.number == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["Has Space", "dotted.name", "at@sign", "\u00fcber", "<odd>", "", "1st", "class"])
def test_odd_class_names_travel_or_are_refused_when_built(name: str) -> None:
    """A class of any name pickles to itself, or its builder says why not."""
    try:
        cls = refused.odd_name(name)
    except errors.BuilderError as error:
        assert "odd_name" in str(error)  # noqa: PT017 - either way out is right, a third is not
        return
    assert cls.__name__ == name
    for protocol in range(6):
        assert pickle.loads(pickle.dumps(cls, protocol)) is cls


def test_wrong_arguments_are_pythons_own_error() -> None:
    """A call that does not fit the signature raises TypeError as the function itself would."""
    for call in (lambda: docks.dock(), lambda: docks.dock([], nothing=1), lambda: docks.dock([], "a", 3)):
        with pytest.raises(TypeError, match=r"argument|tools|nothing"):
            call()
