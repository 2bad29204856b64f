"""Classes that the standard library's class makers made cross after `envpickle.register(cls)` alone, and come home."""

import functools

import pytest
from harbour import made_standard
from voyage.trip import carried, pieces

HOLD = "harbour.made_standard"
TOOLS = ["pickle:2", "pickle:3", "pickle:4", "pickle:5", "cloudpickle", "dill"]


@functools.cache
def verdicts(tool: str) -> dict[str, str]:
    return carried(HOLD, pieces(HOLD), tool, "spawn")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("piece", pieces(HOLD))
def test_registered_classes_cross_and_come_home(piece: str, tool: str) -> None:
    """Class and instance arrive whole in a spawned child that has built nothing, and come home as the same class."""
    assert verdicts(tool)[piece] == "ok"


def test_every_kind_is_a_piece() -> None:
    assert {*made_standard.KINDS, "new_type"} == set(pieces(HOLD))
