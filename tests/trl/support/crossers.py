"""What is handed over in the tests of crossing, found by name in a spawned process too."""

import functools
import socket
import threading
from typing import Any

import envpickle


def reward(completions: Any, **columns: Any) -> list[float]:
    return [1.0 for _ in completions]


def receive(value: Any) -> None:
    """What the spawned process runs: arriving is all it takes."""


class Holder:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)
        self.myself = self  # a circle must not make the search endless

    def score(self, completions: Any) -> list[float]:
        return [0.0]


class Slotted:
    __slots__ = ("client",)

    def __init__(self, client: Any) -> None:
        self.client = client


class Leaving(Holder):
    """Leaves its lock at home."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "lock"}


@envpickle.builder
def berth(note: Any = None) -> type:
    class Berth:
        def reset(self, **task: Any) -> None: ...

    return Berth


@functools.wraps(reward)
def decorated(*args: Any, **kwargs: Any) -> Any:
    return reward(*args, **kwargs)


reward_of_old = decorated
decorated.__qualname__ = "reward"  # as functools.wraps leaves it: the name leads to the plain function


def local() -> Any:
    lock = threading.Lock()

    def scored(completions: Any) -> Any:
        return lock

    return scored


def local_class() -> type:
    class Env: ...

    return Env


def crossing() -> dict[str, Any]:
    return {
        "function": reward,
        "partial": functools.partial(reward, [1]),
        "bound method": Holder(a=[1, {"b": 2}]).score,
        "built class": berth("note"),
        "instance that leaves its lock": Leaving(lock=threading.Lock()),
    }


def refused() -> dict[str, tuple[Any, str, str, str]]:
    """By what it is: the object, the rest of the path, a part of the reason, and one of the remedy."""
    plain = socket.socket()
    plain.close()
    locked = Holder(a={"b": [1, threading.Lock()]}).score
    return {
        "lambda": (lambda completions: [1.0], "", "it is a lambda", "portable"),
        "function inside another": (local(), "", "inside local() ... It closes over lock", "portable"),
        "class inside a function": (local_class(), "", "made inside local_class()", "@envpickle.builder"),
        "lock in an attribute": (
            locked,
            ".__self__.a['b'][1]",
            "_thread.lock",
            "__getstate__",
        ),
        "socket in a slot": (Slotted(plain), ".client", "socket", "Keep the address"),
        "generator in a partial": (functools.partial(reward, [], it=(n for n in [1])), ".keywords['it']", "begun", "Hand over"),
        "decorated": (reward_of_old, "", "not what its name leads to", "portable"),
        "module": (Holder(m=threading), ".m", "module threading", "Import it"),
        "class of unfit arguments": (berth(threading.Lock()), "", "not plain data", "lock"),
    }
