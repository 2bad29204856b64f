"""The third hold of publicly reported troubles: the class comes from a library's own class maker, inside a user's builder."""

import collections
import dataclasses
import enum
import functools
from typing import Any, Generic, TypeVar

import pydantic

import envpickle
from harbour.reports_first import held

T = TypeVar("T")


def _positive(cls: Any, value: int) -> int:
    if value <= 0:
        raise ValueError("must be positive")
    return value


@envpickle.builder
def order_12(fields: dict[str, str], checked: str) -> Any:
    kinds: dict[str, Any] = {"int": int, "str": str}
    validators = {"positive": pydantic.field_validator(checked)(classmethod(_positive))}  # type: ignore[arg-type]
    return pydantic.create_model("Order", __validators__=validators, **{f: (kinds[k], ...) for f, k in fields.items()})  # type: ignore[call-overload]


def make_pydantic_create_model_12() -> Any:
    cls = held(order_12({"item": "str", "count": "int"}, "count"))
    return {"model": cls, "order": cls(item="tea", count=2)}


def check_pydantic_create_model_12(got: Any) -> None:
    model = got["model"]
    assert model(item="tea", count="3").count == 3
    try:
        model(item="tea", count=0)
    except pydantic.ValidationError:
        pass
    else:
        raise AssertionError("the validator is gone")
    assert type(got["order"]) is model
    assert got["order"].model_dump() == {"item": "tea", "count": 2}
    assert set(model.model_json_schema()["properties"]) == {"item", "count"}


def home_pydantic_create_model_12(sent: Any, back: Any) -> None:
    assert back["model"] is sent["model"]
    assert back["order"] == sent["order"]


class Box(pydantic.BaseModel, Generic[T]):
    """An installed generic model."""

    value: T


KINDS: dict[str, Any] = {"int": int, "str": str}


@envpickle.builder
def boxed_13(kind: str) -> Any:
    return type("Boxed", (Box[KINDS[kind]],), {"__module__": __name__})


def make_pydantic_generic_13() -> Any:
    return held(boxed_13("int"))(value=5)


def check_pydantic_generic_13(got: Any) -> None:
    assert got.value == 5
    try:
        type(got)(value="no")
    except pydantic.ValidationError:
        return
    raise AssertionError("the type argument is lost")


class Fitness:
    """The base of a library that puts the classes it makes into its own module, as DEAP's creator does."""

    weights: tuple[float, ...] = ()

    def __init__(self) -> None:
        self.values: tuple[float, ...] = ()


def create(name: str, base: type, **attributes: Any) -> type:
    """Make a class and keep it in this module under its name."""
    classes = {k: v for k, v in attributes.items() if isinstance(v, type)}

    def __init__(self: Any, *args: Any) -> None:
        base.__init__(self, *args)
        self.__dict__.update({k: v() for k, v in classes.items()})

    body = {"__init__": __init__, **{k: v for k, v in attributes.items() if k not in classes}}
    cls = type(name, (base,), body)
    globals()[name] = cls
    return cls


@envpickle.builder
def fitness_14(weights: tuple[float, ...]) -> type:
    return type("FitnessMax", (Fitness,), {"weights": weights})


@envpickle.builder
def individual_14(weights: tuple[float, ...]) -> type:
    cls = create("Individual", list, fitness=fitness_14(weights), age=0)
    del globals()["Individual"]  # as the refusal in `reports_alone.kept_14` says
    return cls


def make_creator_14() -> Any:
    held(fitness_14((1.0, -1.0)))
    one = held(individual_14((1.0, -1.0)))([1, 2, 3])
    one.fitness.values, one.age = (4.0, 5.0), 7
    return one


def check_creator_14(got: Any) -> None:
    assert (list(got), got.age) == ([1, 2, 3], 7)
    assert (got.fitness.values, got.fitness.weights) == ((4.0, 5.0), (1.0, -1.0))


@envpickle.builder
def observation_15(fields: list[str]) -> type:
    row: Any = collections.namedtuple("obs_t", fields, defaults=(0,))  # type: ignore[misc]

    class Observation(row):
        __slots__ = ()

        def total(self) -> int:
            return sum(self)

    return Observation


@envpickle.builder
def bare_row_15(fields: list[str]) -> Any:
    return collections.namedtuple("obs_t", fields)  # type: ignore[misc]


def make_namedtuple_other_name_15() -> Any:
    return held(observation_15(["x", "y", "reward"]))(1, 2)


def check_namedtuple_other_name_15(got: Any) -> None:
    assert (tuple(got), got._fields, got.total()) == ((1, 2, 0), ("x", "y", "reward"), 3)
    assert got._replace(x=9).x == 9
    assert not hasattr(got, "__dict__")


def make_bare_namedtuple_15() -> Any:
    return held(bare_row_15(["x", "y"]))(1, 2)


def check_bare_namedtuple_15(got: Any) -> None:
    assert (got.x, got.y, type(got).__name__, got._asdict()) == (1, 2, "obs_t", {"x": 1, "y": 2})
    assert type(got._replace(x=2)) is type(got)
    assert type(type(got)._make([3, 4])) is type(got)


@envpickle.builder
def action_16(values: list[str]) -> Any:
    return enum.Enum("Action", values)


def make_enum_from_list_16() -> Any:
    cls = held(action_16(["left", "right", "stop"]))
    return {"next": cls.right, "allowed": frozenset([cls.left, cls.right])}


def check_enum_from_list_16(got: Any) -> None:
    assert got["next"] in got["allowed"]
    assert [member.name for member in type(got["next"])] == ["left", "right", "stop"]


def home_enum_from_list_16(sent: Any, back: Any) -> None:
    assert back["next"] is sent["next"]


class Scored:
    """A base with a method."""

    __slots__ = ()

    def score(self) -> int:
        return sum(getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]


@envpickle.builder
def row_17(fields: list[str]) -> type:
    kinds = [(field, int, 0) for field in fields]
    return dataclasses.make_dataclass("Row", kinds, bases=(Scored,), frozen=True, slots=True)


def make_make_dataclass_17() -> Any:
    return held(row_17(["x", "y"]))(3, 4)


def check_make_dataclass_17(got: Any) -> None:
    assert (got.x, got.y, got.score()) == (3, 4, 7)
    assert dataclasses.replace(got, x=1).x == 1
    assert hash(got) == hash(type(got)(3, 4))
    assert not hasattr(got, "__dict__")
    try:
        got.x = 9
    except dataclasses.FrozenInstanceError:
        return
    raise AssertionError("it is no longer frozen")


@envpickle.builder
def corridor_31(size: int) -> type:
    import gymnasium

    class Corridor(gymnasium.Env):  # type: ignore[type-arg, misc]
        def __init__(self, **kwargs: Any) -> None:
            self.observation_space, self.action_space = gymnasium.spaces.Discrete(size), gymnasium.spaces.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return 0, {}

        def step(self, action: Any) -> Any:
            return 0, 1.0, True, False, {}

    return Corridor


def make_gym_environment_31() -> Any:
    return functools.partial(held(corridor_31(5)))


def check_gym_environment_31(got: Any) -> None:
    env = got()
    assert env.observation_space.n == 5
    assert env.reset()[0] == 0
    assert env.step(1)[2]
