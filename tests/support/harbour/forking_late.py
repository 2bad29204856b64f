"""A module that is imported when a class of it is loaded, and not before."""

from typing import Any

import envpickle


@envpickle.builder
def late(number: Any) -> type:
    """A class of a module that the process has not imported yet."""

    class Late:
        pass

    return Late
