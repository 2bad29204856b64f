"""Reported troubles with classes that a library makes and keeps itself, as their reports have them: no builder in sight.

They travel as the library's own call once they are registered, by the maker that knows it.
"""

from typing import Any

import envpickle
from harbour import modelled_boxes
from harbour.reports_first import held


@envpickle.builder
def boxed_13(kind: str) -> Any:
    exec("Kind = Box[int]", vars(modelled_boxes))  # what a statement at the top of a module does
    return modelled_boxes.Box[int]


def make_pydantic_generic_of_a_module_13() -> Any:
    return held(boxed_13("int"))(value=5)


def check_pydantic_generic_of_a_module_13(got: Any) -> None:
    import pydantic

    assert type(got) is modelled_boxes.Box[int]
    assert got.value == 5
    try:
        type(got)(value="no")
    except pydantic.ValidationError:
        return
    raise AssertionError("the type argument is lost")


@envpickle.builder
def fitness_14(weights: tuple[float, ...]) -> Any:
    from deap import base, creator

    creator.create("ReportedFitness", base.Fitness, weights=weights)
    return creator.ReportedFitness


@envpickle.builder
def individual_14() -> Any:
    from deap import creator

    creator.create("ReportedIndividual", list, fitness=fitness_14((1.0, -1.0)), age=0)
    return creator.ReportedIndividual


def make_deap_creator_14() -> Any:
    one = held(individual_14())([1, 2, 3])
    one.fitness.values, one.age = (4.0, 5.0), 7
    return one


def check_deap_creator_14(got: Any) -> None:
    assert (list(got), got.age) == ([1, 2, 3], 7)
    assert (got.fitness.values, got.fitness.weights) == ((4.0, 5.0), (1.0, -1.0))


def home_deap_creator_14(sent: Any, back: Any) -> None:
    from deap import creator

    assert creator.ReportedIndividual is type(sent) is type(back)
    assert type(back.fitness) is type(sent.fitness)
