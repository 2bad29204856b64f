"""Reported troubles whose test is not a trip of one piece."""

import os
import pathlib
import socket
import tempfile
import types
from typing import Any

import envpickle
from harbour import outside

LOG: list[str] = []


@envpickle.builder
def logging_05(name: str) -> type:
    log = LOG

    class Env:
        def step(self, action: str) -> int:
            log.append(action)
            return len(log)

    return Env


@envpickle.builder
def plain_03(name: str) -> type:
    return types.new_class(name, (outside.Remote,), {"server": "s"})


@envpickle.builder
def plain_08(name: str) -> type:
    return type(name, (outside.Counted,), {})


@envpickle.builder
def kept_14(name: str) -> type:
    from harbour import reports_made

    return reports_made.create(name, list)


@envpickle.builder
def reach_21(default: float) -> type:
    from gymnasium.utils import EzPickle

    class Reach(EzPickle):
        def __init__(self, distance: float = default) -> None:
            EzPickle.__init__(self)
            self.distance = distance

    return Reach


class Client:
    """Holds a socket, as an HTTP client does."""

    def __enter__(self) -> "Client":
        self.wire = socket.socket()
        return self

    def __exit__(self, *error: object) -> None:
        self.wire.close()

    def name(self) -> str:
        return "a live client"


@envpickle.builder
def shop_28(tools: list[str], options: dict[str, Any]) -> type:
    client = options["client"]
    return type("Shop", (), {tool: (lambda self, tool=tool: f"{tool} by {client.name()}") for tool in tools})


class Seen:
    """Keeps a list of its subclasses."""

    kinds: list[type] = []

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        Seen.kinds.append(cls)


@envpickle.builder
def seen_29(name: str) -> type:
    return types.new_class(name, (Seen,), {"metaclass": envpickle.RuntimeType})


@envpickle.builder
def counted_29(name: str) -> type:
    return types.new_class(name, (outside.Counted,), {"metaclass": envpickle.RuntimeType})


@envpickle.builder
def error_30(name: str, fields: list[str]) -> type:
    def __init__(self: Any, *values: Any) -> None:
        if len(values) != len(fields):
            raise TypeError(f"{name} takes {len(fields)} arguments")
        Exception.__init__(self, ": ".join(map(str, values)))
        self.__dict__.update(zip(fields, values, strict=True))

    return type(name, (Exception,), {"__init__": __init__})


def fail_30(name: str, fields: list[str]) -> None:
    """What the pool's worker does."""
    raise error_30(name, fields)("buy", 404)


@envpickle.builder
def episodes_25(home: str) -> type:
    class Episode:
        def __init__(self) -> None:
            descriptor, self.file = tempfile.mkstemp(dir=home)
            os.close(descriptor)

        def close(self) -> None:
            pathlib.Path(self.file).unlink(missing_ok=True)

    return Episode
