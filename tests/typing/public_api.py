"""Read by mypy in `test_typing.py`, never run: what users write, and what they get told of it."""

import collections.abc
from typing import reveal_type

import envpickle
from envpickle import errors


@envpickle.builder
def dock(tools: list[str], server: str = "sea", *, size: int = 1) -> type:
    return type("Dock", (), {})


@envpickle.builder(name="other")
def _other(number: int) -> type:
    return type("Other", (), {})


reveal_type(dock(["lift"], size=2))  # E: type
reveal_type(dock)  # E: Builder
reveal_type(_other(3))  # E: type
spec = envpickle.describe(dock(["lift"]))
reveal_type(spec.builder)  # E: str
reveal_type(spec.key)  # E: bytes
reveal_type(spec.owner)  # E: bytes | None
reveal_type(spec.surface)  # E: tuple[str, ...]
reveal_type(spec.arguments)  # E: dict[str, Any]
reveal_type(spec.to_bytes())  # E: bytes
reveal_type(envpickle.Spec.from_bytes(b""))  # E: Spec
reveal_type(envpickle.Spec.from_json(""))  # E: Spec
reveal_type(envpickle.rebuild(spec))  # E: type
reveal_type(envpickle.rebuild(b"", allow=["a:b"]))  # E: type
reveal_type(envpickle.register(dock(["a"]), dock, ["a"], size=3))  # E: type
reveal_type(envpickle.register(dock(["a"])))  # E: type
reveal_type(envpickle.register(dock(["a"]), by_value=True))  # E: type
reveal_type(envpickle.register(dock(["a"]), by_value="dill"))  # E: type
reveal_type(envpickle.inspect(b""))  # E: Inspection
reveal_type(envpickle.inspect("file.pkl", allow=["a:b"]).allowed)  # E: bool | None
reveal_type(envpickle.loads(b"", allow=[]))  # E: Any
reveal_type(envpickle.torch_safe_globals(int))  # E: list[(def (*Any, **Any) -> Any) | tuple[def (*Any, **Any) -> Any, str]]
reveal_type(envpickle.by_value)  # E: Builder


@envpickle.register
class Registered:
    number: int = 1


reveal_type(Registered().number)  # E: int
with envpickle.Owner() as owner:
    reveal_type(owner)  # E: Owner
    reveal_type(owner.key)  # E: bytes
    reveal_type(owner.closed)  # E: bool
    reveal_type(owner.build(dock, ["lift"], size=1))  # E: type
reveal_type(envpickle.Secret("TOKEN").resolve())  # E: str
report = envpickle.explain([1], pickler="dill", name="it")
reveal_type(report)  # E: Report
reveal_type(report.crosses)  # E: bool
reveal_type(report.size)  # E: int
reveal_type(report.refused[0].path)  # E: str
reveal_type(report.to_dict())  # E: dict[str, Any]
reveal_type(envpickle.explain_call(dock, ["lift"], size=2).to_html())  # E: str


class Direct(metaclass=envpickle.RuntimeType):
    number: int = 1


reveal_type(Direct().number)  # E: int


def caught(call: collections.abc.Callable[[], object]) -> str:
    try:
        call()
    except errors.NotPlainData as error:
        reveal_type(error.path)  # E: str
        return error.path
    return ""
