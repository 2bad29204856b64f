"""What the drivers on a cluster share."""

import time
from collections.abc import Callable
from typing import Any

__all__ = ["await_nodes", "connect", "until"]


def connect() -> None:
    """Connect to the cluster of ``RAY_ADDRESS``, through the head."""
    import ray

    ray.init(log_to_driver=False, _node_ip_address="127.0.0.1")


def await_nodes(count: int, seconds: float = 60) -> None:
    """Wait until so many nodes are alive."""
    import ray

    until(lambda: sum(node["Alive"] for node in ray.nodes()) == count, seconds)


def until(fulfilled: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until a condition is fulfilled, and return what it gave."""
    deadline = time.monotonic() + seconds
    while not (got := fulfilled()):
        assert time.monotonic() < deadline, f"not in {seconds} s"
        time.sleep(0.05)
    return got
