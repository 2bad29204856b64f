"""A metaclass that has a copyreg reducer of its own, registered before any class of it is built."""

import copyreg
from typing import Any

import envpickle


class Reduced(type):
    """Its classes pickle as a pair of words."""


def words(cls: type) -> Any:
    """The reducer of others."""
    return tuple, (("reduced by others", cls.__name__),)


copyreg.pickle(Reduced, words)  # type: ignore[arg-type]


@envpickle.builder
def built(name: str) -> Any:
    """A built class of that metaclass."""
    return Reduced("Built", (), {"name": name})
