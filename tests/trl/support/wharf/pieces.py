"""How a maker of callables becomes a piece of a hold: it is sent by `portable`, looked at and called on the other side."""

from collections.abc import Callable
from typing import Any

from envpickle_trl import portable

HOLD: dict[str, Any] = {}
Make = Callable[[], Any]


def piece(*args: Any, **kwargs: Any) -> Callable[[Make], Make]:
    """Enter a maker into the hold; the arguments are what its callable is called with, here and there."""

    def enter(make: Make) -> Make:
        def check(arrived: Any) -> None:
            from wharf.asked import assert_same

            assert_same(arrived, make(), *args, **kwargs)

        HOLD[f"make_{make.__name__}"] = lambda: portable(make())
        HOLD[f"check_{make.__name__}"] = check
        HOLD[f"home_{make.__name__}"] = lambda sent, back: check(back)
        return make

    return enter
