"""Importing this is what a refused descriptor must never do."""

import os

import envpickle

TRIPPED = os.environ.setdefault("VOYAGE_TRIPPED", "yes")


@envpickle.builder
def trap(number: int = 0) -> type:
    """A builder like any other, if one got here."""
    return type("Trap", (), {"number": number})
