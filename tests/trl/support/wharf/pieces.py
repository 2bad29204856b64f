"""A hold of callables: each function below makes one, which is sent by `portable`, looked at and called on the other side."""

import sys
from collections.abc import Callable
from typing import Any

from envpickle_trl import portable


def piece(*args: Any, **kwargs: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enter a maker of callables into its module's hold; the arguments are what the callable is called with."""

    def enter(make: Callable[[], Any]) -> Callable[[], Any]:
        from wharf.asked import assert_same

        module = sys.modules[make.__module__]
        setattr(module, f"make_{make.__name__}", lambda: portable(make()))
        setattr(module, f"check_{make.__name__}", lambda arrived: assert_same(arrived, make(), *args, **kwargs))
        setattr(module, f"home_{make.__name__}", lambda sent, back: assert_same(back, make(), *args, **kwargs))
        return make

    return enter
