"""A tool with a name that models cannot be given."""

import good


def tide(hour: int) -> str:
    """Tell the tide.

    Args:
        hour: The hour of the day.
    """
    return "high"


def kwargs():
    tide.__name__ = "tide at the quay"
    return good.kwargs(tools=[tide])
