"""A hold (see `voyage.trip`) of classes that DEAP's creator made."""

import array
from typing import Any

import envpickle


def individual(suffix: str, base: type = list, **more: Any) -> Any:
    """An individual with a fitness of its own, both registered."""
    from deap import base as bases
    from deap import creator

    creator.create(f"Fitness{suffix}", bases.Fitness, weights=(1.0, -1.0))
    fitness = envpickle.register(getattr(creator, f"Fitness{suffix}"))
    creator.create(f"Individual{suffix}", base, fitness=fitness, age=0, notes=dict, **more)
    return envpickle.register(getattr(creator, f"Individual{suffix}"))


def make_kind() -> Any:
    return individual("Kind")


def check_kind(got: Any) -> None:
    from deap import creator

    one = got([3, 1])
    assert (list(one), one.age, one.notes) == ([3, 1], 0, {})
    one.fitness.values = (2.0, 3.0)
    assert one.fitness.wvalues == (2.0, -3.0)
    assert type(one.fitness) is creator.FitnessKind
    assert creator.IndividualKind is got, "it is not to be found where DEAP puts it"


def home_kind(sent: Any, back: Any) -> None:
    from deap import creator

    assert creator.IndividualKind is sent, "coming home replaced the program's own class"


def make_one() -> Any:
    one = individual("One")([1, 2, 3])
    one.fitness.values = (4.0, 5.0)
    one.age, one.notes["why"] = 7, "test"
    return one


def check_one(got: Any) -> None:
    assert (list(got), got.age, got.notes, got.fitness.values) == ([1, 2, 3], 7, {"why": "test"}, (4.0, 5.0))
    assert type(got).age == 0


def home_one(sent: Any, back: Any) -> None:
    assert (back, back.age, back.notes, back.fitness) == (sent, sent.age, sent.notes, sent.fitness)


def make_numbers() -> Any:
    return individual("Numbers", array.array, typecode="d")([1.5, 2.0])


def check_numbers(got: Any) -> None:
    assert (got.tolist(), got.typecode, got.age) == ([1.5, 2.0], "d", 0)


def home_numbers(sent: Any, back: Any) -> None:
    assert back == sent
