"""The ways, each as a pair of functions; a library is imported where it is used, so that whoever lacks one does without it."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from benchmarks.spawn_roundtrip import shapes
from benchmarks.spawn_roundtrip.builders import plain_env
from benchmarks.spawn_roundtrip.wrappers import CloudpickleWrapper, DillWrapper

__all__ = ["WAYS", "Way", "installed"]


@dataclass(frozen=True)
class Way:
    """One way to hand a class over.

    Attributes:
        name: What it is called in tables.
        needs: The package it needs.
        built: Whether the class is made by an envpickle builder; else it is a class that envpickle knows nothing of.
        dumps: Makes bytes of a class.
        loads: Makes a class of them.
    """

    name: str
    needs: str
    built: bool
    dumps: Callable[[Any], bytes]
    loads: Callable[[bytes], Any]

    def make(self, tools: int) -> type:
        """Make a class with so many tools."""
        return (plain_env if self.built else shapes.plain_class)(shapes.toolset(tools), "Env")


def wrapped(
    wrapper: Callable[[], Callable[[Any], Any]], attribute: str
) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    """Return the pair of functions of a wrapper class, which is looked up when it is needed."""
    return lambda value: pickle.dumps(wrapper()(value)), lambda data: getattr(pickle.loads(data), attribute)


def gymnasium_wrapper() -> Any:
    """Return what gymnasium's asynchronous vector environments send their factories in."""
    from gymnasium.vector.utils import CloudpickleWrapper as Theirs

    return Theirs


def sb3_wrapper() -> Any:
    """Return what Stable-Baselines3's SubprocVecEnv sends its factories in."""
    from stable_baselines3.common.vec_env.base_vec_env import CloudpickleWrapper as Theirs

    return Theirs


def ray_dumps(value: Any) -> bytes:
    """Pickle as Ray pickles the arguments of tasks."""
    from ray import cloudpickle

    return bytes(cloudpickle.dumps(value, protocol=5))


def ray_loads(data: bytes) -> Any:
    """Load as Ray loads them."""
    from ray import cloudpickle

    return cloudpickle.loads(data)


def dask_dumps(value: Any) -> bytes:
    """Serialize as Dask's workers do: a header and frames."""
    from distributed.protocol import serialize

    header, frames = serialize(value)
    return pickle.dumps((header, [bytes(frame) for frame in frames]))


def dask_loads(data: bytes) -> Any:
    """Undo `dask_dumps`."""
    from distributed.protocol import deserialize

    return deserialize(*pickle.loads(data))


WAYS = (
    Way("envpickle, by pickle", "envpickle", True, pickle.dumps, pickle.loads),
    Way("envpickle, in Ray", "ray", True, ray_dumps, ray_loads),
    Way("envpickle, in Dask", "distributed", True, dask_dumps, dask_loads),
    Way("cloudpickle wrapper", "cloudpickle", False, *wrapped(lambda: CloudpickleWrapper, "value")),
    Way("dill wrapper", "dill", False, *wrapped(lambda: DillWrapper, "value")),
    Way("gymnasium's CloudpickleWrapper", "gymnasium", False, *wrapped(gymnasium_wrapper, "fn")),
    Way("Stable-Baselines3's CloudpickleWrapper", "stable_baselines3", False, *wrapped(sb3_wrapper, "var")),
    Way("Ray's own", "ray", False, ray_dumps, ray_loads),
    Way("Dask's own", "distributed", False, dask_dumps, dask_loads),
)


def installed() -> list[Way]:
    """Return the ways whose package is here."""
    return [way for way in WAYS if find_spec(way.needs) is not None]
