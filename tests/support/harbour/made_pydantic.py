"""A hold (see `voyage.trip`) of models that pydantic made at run time, and what they are made with."""

import re
import warnings
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic
from pydantic import Field, create_model

import envpickle

T = TypeVar("T")
S = TypeVar("S")


class Box(pydantic.BaseModel, Generic[T]):
    """A generic model with private state."""

    value: T
    _seen: int = 3


class Pair(pydantic.BaseModel, Generic[T, S]):
    """A generic model of two."""

    first: T
    second: S


class Crate(pydantic.BaseModel, extra="forbid"):
    """A base of others."""

    weight: int = 1

    def heavy(self) -> bool:
        return self.weight > 10


class Registering(pydantic.BaseModel):
    """A base that keeps a list of what derives from it."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        DERIVED.append(cls)


DERIVED: list[Any] = []


def positive(cls: Any, value: int) -> int:
    """A validator of one field."""
    if value <= 0:
        raise ValueError("must be positive")
    return value


def consistent(self: Any) -> Any:
    """A validator of the whole."""
    if self.item == "none":
        raise ValueError("an order of nothing")
    return self


def shout(value: str) -> str:
    """A validator beside a type."""
    return value.upper()


def order(name: str = "Order") -> Any:
    """A model with constraints, an alias, defaults and validators."""
    return create_model(
        name,
        __doc__="An order.",
        __config__=pydantic.ConfigDict(extra="forbid", title="Order form"),
        __validators__={
            "positive": pydantic.field_validator("count")(classmethod(positive)),
            "consistent": pydantic.model_validator(mode="after")(consistent),
        },
        item=(str, Field(min_length=2, pattern="^[a-z]+$", description="what", alias="thing")),
        count=(Annotated[int, Field(lt=100)], 3),
        tags=(list[str], Field(default_factory=list)),
        words=(list[str], []),
        size=(Literal["s", "m"] | None, None),
        note=(Annotated[str, pydantic.AfterValidator(shout)], "hm"),
    )


def refused(model: Any, **values: Any) -> bool:
    """Whether a model does not take these values."""
    try:
        model(**values)
    except pydantic.ValidationError:
        return True
    return False


def _is_an_order(model: Any) -> None:
    assert model(thing="tea", count="7").count == 7
    assert model(thing="tea").note == "hm"
    assert model(thing="tea", note="loud").note == "LOUD"
    for values in ({"thing": "t"}, {"thing": "Tea"}, {"thing": "tea", "count": 0}, {"thing": "tea", "count": 100}):
        assert refused(model, **values), values
    assert refused(model, thing="none")
    assert refused(model, thing="tea", more=1)
    assert model.__doc__ == "An order."
    assert model.model_json_schema()["title"] == "Order form"
    assert model.model_json_schema()["properties"]["thing"]["description"] == "what"


def make_created() -> Any:
    return envpickle.register(order())


def check_created(got: Any) -> None:
    _is_an_order(got)


def make_created_instance() -> Any:
    return envpickle.register(order("Instance"))(thing="tea", count=2, tags=["a"])


def check_created_instance(got: Any) -> None:
    assert got.model_dump() == {"item": "tea", "count": 2, "tags": ["a"], "words": [], "size": None, "note": "hm"}
    _is_an_order(type(got))


def home_created_instance(sent: Any, back: Any) -> None:
    assert back == sent


def make_kinds() -> Any:
    return envpickle.register(
        create_model(
            "Kinds",
            id=(pydantic.UUID4, ...),
            file=(pydantic.FilePath, ...),
            pattern=(re.Pattern[str], Field("a+", validate_default=False)),
            old=(int, Field(1, deprecated="use new")),
            count=(pydantic.conint(gt=3, multiple_of=2), 4),
            secret=(pydantic.SecretStr | None, None),
        )
    )


def check_kinds(got: Any) -> None:
    good = {"id": "0fb8b4d2-6b1c-4a7e-8d2f-1c9e6b1c4a7e", "file": __file__}
    made = got(**good, pattern="b+")
    assert made.pattern.match("bb")
    assert refused(got, **{**good, "id": "0fb8b4d2-6b1c-1a7e-8d2f-1c9e6b1c4a7e"})
    assert refused(got, **{**good, "file": "no such file"})
    assert refused(got, **good, count=5)
    assert got.model_json_schema()["properties"]["old"]["deprecated"] is True
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert made.old == 1
    assert [str(warning.message) for warning in said] == ["use new"]


def make_derived() -> Any:
    return envpickle.register(create_model("Derived", __base__=Crate, label=(str, "x")))


def check_derived(got: Any) -> None:
    assert issubclass(got, Crate)
    assert got(weight=11).heavy()
    assert refused(got, more=1)
    assert got().model_dump() == {"weight": 1, "label": "x"}


def make_of_another() -> Any:
    inner = envpickle.register(create_model("Inner", x=(int, ...)))
    return envpickle.register(create_model("Outer", inner=(list[inner], ...), one=(inner | None, None)))


def check_of_another(got: Any) -> None:
    made = got(inner=[{"x": 1}], one={"x": 2})
    assert type(made.inner[0]) is type(made.one)
    assert refused(got, inner=[{"x": "no"}])


def make_box() -> Any:
    return envpickle.register(Box[int])


def check_box(got: Any) -> None:
    assert got is Box[int]
    assert got(value="5").value == 5
    assert refused(got, value="no")


def make_box_instance() -> Any:
    return envpickle.register(Box[list[str]])(value=["a"])


def check_box_instance(got: Any) -> None:
    assert type(got) is Box[list[str]]
    assert got == Box[list[str]](value=["a"])
    assert got._seen == 3


def home_box_instance(sent: Any, back: Any) -> None:
    assert back == sent


def make_partial() -> Any:
    return envpickle.register(Pair[int, T])  # type: ignore[valid-type]


def check_partial(got: Any) -> None:
    assert got is Pair[int, T]  # type: ignore[valid-type]
    assert got[str](first=1, second="x").second == "x"
    assert refused(got[int], first=1, second="x")
