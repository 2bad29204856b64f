"""A builder that makes something else when `MOOD` says so, as another version of a package on the other side would."""

from typing import Any

import envpickle

MOOD = ["as described"]


def _methods(mood: str) -> dict[str, Any]:
    body: dict[str, Any] = {"lift": lambda self, item, speed=1: item, "_private": lambda self, one: one, "colour": "red"}
    if mood == "method missing":
        del body["lift"]
    elif mood == "method added":
        body["drop"] = lambda self: None
    elif mood == "parameter renamed":
        body["lift"] = lambda self, thing, speed=1: thing
    elif mood == "parameter missing":
        body["lift"] = lambda self, item: item
    elif mood == "parameters swapped":
        body["lift"] = lambda self, speed, item=1: item
    elif mood == "attribute missing":
        del body["colour"]
    elif mood == "method is a value":
        body["lift"] = 1
    elif mood == "private differs":
        body["_private"] = lambda self, two: two
    elif mood == "other code":
        body["lift"] = lambda self, item, speed=1: [item]
    return body


@envpickle.builder
def moody(number: int) -> Any:
    """A class, most of the time."""
    mood = MOOD[0]
    if mood == "raises":
        raise RuntimeError("no class today")
    if mood == "not a class":
        return 5
    return type("Renamed" if mood == "name differs" else "Moody", (), _methods(mood))
