"""A tool without a docstring."""

import good


def tide(hour: int) -> str:
    return "high"


def kwargs():
    return good.kwargs(tools=[tide])
