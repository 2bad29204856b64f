"""A tool with a parameter that has no annotation."""

import good


def tide(hour) -> str:
    """Tell the tide.

    Args:
        hour: The hour of the day.
    """
    return "high"


def kwargs():
    return good.kwargs(tools=[tide])
