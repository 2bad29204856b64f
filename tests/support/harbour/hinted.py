"""A builder whose class has string annotations, as `from __future__ import annotations` makes them."""

from __future__ import annotations

import envpickle


class Place:
    """What the annotations name."""


@envpickle.builder
def hinted(name: str) -> type:
    """Annotated throughout."""

    class Hinted:
        where: Place
        number: int = 1

        def __init__(self, where: Place) -> None:
            self.where = where

        def go(self, to: Place) -> list[Place]:
            return [to]

        class Inner:
            place: Place

    return Hinted
