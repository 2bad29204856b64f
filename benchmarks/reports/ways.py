"""The ways a class is sent: by a pickler as it is, or with envpickle by its builder or after registering it."""

import importlib
from dataclasses import dataclass
from types import ModuleType

from harbour import otherwise


@dataclass(frozen=True)
class Way:
    """One column of the table.

    Attributes:
        name: Its heading.
        tool: The pickler.
        kind: ``bare``, ``reports`` (with builders) or ``registered``.
    """

    name: str
    tool: str
    kind: str

    def hold(self, name: str) -> str:
        """The module that makes and checks the pieces of a hold in this way."""
        return f"harbour.{self.kind}_{name}"

    def prepared(self, module: str) -> ModuleType:
        """A module whose builders are what they are in this way."""
        found = importlib.import_module(module)
        if self.kind == "bare":
            otherwise.bare(found)
        elif self.kind == "registered":
            otherwise.registered(found)
        return found


WAYS = {
    way.name: way
    for way in [
        Way("pickle", "pickle", "bare"),
        Way("cloudpickle", "cloudpickle", "bare"),
        Way("dill", "dill", "bare"),
        Way("envpickle, a builder", "pickle", "reports"),
        Way("envpickle, registered", "pickle", "registered"),
    ]
}
