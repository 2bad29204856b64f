"""What the tests of the makers share: trips of a hold with each pickler, and descriptors that hold what an attacker likes."""

import functools
from typing import Any

from harbour import tripped

from envpickle.building import encode_call, signature_of
from envpickle.payload import lay_out, rebuild_class
from envpickle.runtime import Builder
from voyage.trip import carried, pieces

TOOLS = ("pickle", "cloudpickle", "dill")


def legs(hold: str) -> list[tuple[str, str]]:
    """Every piece of a hold with every pickler."""
    return [(tool, piece) for tool in TOOLS for piece in pieces(hold)]


@functools.cache
def verdicts(hold: str, tool: str) -> dict[str, str]:
    """One trip with all pieces into a fresh child, which loads before it builds, and back."""
    return carried(hold, pieces(hold), tool)


def load(builder: Builder, **arguments: Any) -> Any:
    """Load the descriptor of that call of a maker, as one that arrives from elsewhere."""
    bound = signature_of(builder).bind(**arguments)
    bound.apply_defaults()
    head, parts = lay_out(encode_call(builder, bound), "Forged", "")
    tripped.RUN.clear()
    return rebuild_class(head, *(part.data for part in parts))
