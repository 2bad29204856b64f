"""A secret travels as the name of an environment variable."""

from __future__ import annotations

import os

from .errors import SecretMissing

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from typing import Any


class Secret:
    """A value that does not travel; only the name of the environment variable that holds it does.

    Args:
        name: Name of the environment variable.

    Attributes:
        name: The same.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        if type(name) is not str or not name or "=" in name or "\0" in name:
            raise TypeError(f"Secret takes the name of an environment variable, not {name!r}")
        self.name = name

    def resolve(self) -> str:
        """Return the value of the variable in this process.

        Raises:
            SecretMissing: It is not set here.
        """
        try:
            return os.environ[self.name]
        except KeyError:
            raise SecretMissing(
                f"the environment variable {self.name!r} that a Secret names is not set in process {os.getpid()}. "
                f"Set it for this process too: a secret travels as its name only.",
                variable=self.name,
            ) from None

    def __repr__(self) -> str:
        return f"Secret({self.name!r})"

    def __eq__(self, other: Any) -> bool:
        return type(other) is Secret and other.name == self.name

    def __hash__(self) -> int:
        return hash((Secret, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Secret, (self.name,)
