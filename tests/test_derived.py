"""Instances of a class that one builder made over the class of another: each comes back whole, and can be copied."""

import copy
import pickle
from typing import Any

import pytest
from harbour import derived


def made(kind: str) -> list[Any]:
    base = derived.first(kind)
    classes = [base, derived.second(kind, base), derived.second(kind, derived.second(kind, base))]
    if kind in ("model", "slots of attrs", "struct"):  # a field of one name, declared twice
        classes.pop()
    return classes


@pytest.mark.parametrize("kind", derived.KINDS)
def test_instances_of_classes_over_built_classes_come_back_whole(kind: str) -> None:
    """The guard that a built class was given for its instances is no reducer of its own to the class over it."""
    for cls in made(kind):
        one: Any = cls(*([3] if kind in ("decimal", "int") else []))
        for protocol in range(2, 6):
            back = pickle.loads(pickle.dumps(one, protocol))
            assert type(back) is cls
            assert _comparable(back) == _comparable(one)


@pytest.mark.parametrize("kind", derived.KINDS)
def test_instances_of_classes_over_built_classes_are_copied(kind: str) -> None:
    """A copy is what Python makes of it."""
    for cls in made(kind):
        one: Any = cls(*([3] if kind in ("decimal", "int") else []))
        for copier in (copy.copy, copy.deepcopy):
            assert _comparable(copier(one)) == _comparable(one)


def _comparable(one: Any) -> Any:
    said, *others = derived.shown(one)
    return others if " object at 0x" in said else (said, *others)
