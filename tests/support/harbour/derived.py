"""Classes built over built classes: what was put into the first for its instances must not be taken for its own word."""

import collections
import decimal
from typing import Any

import envpickle

KINDS = ("model", "stated", "restored", "deque", "decimal", "int", "error", "slots of attrs", "struct")


class Stated:
    """An importable base that says what its state is, and takes it back."""

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class Restored:
    """One that only takes it back."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


PLAIN = {"stated": Stated, "restored": Restored, "deque": collections.deque, "decimal": decimal.Decimal, "int": int}


def _made(name: str, kind: str, base: Any, field: str) -> Any:
    if kind == "model":
        import pydantic

        return pydantic.create_model(name, __base__=base, **{field: (int, 1)})  # type: ignore[call-overload]
    if kind == "struct":
        import msgspec

        return msgspec.defstruct(name, [(field, int, 1)], bases=(base or msgspec.Struct,))
    if kind == "slots of attrs":
        import attrs

        return attrs.make_class(name, {field: attrs.field(default=1)}, bases=(base or object,), slots=True)
    return _plain(name, kind, base or PLAIN.get(kind, Exception), field)


def _plain(name: str, kind: str, base: Any, field: str) -> Any:
    def __init__(self: Any, *given: Any) -> None:
        if kind not in ("decimal", "int", "stated", "restored") or base.__init__ is not object.__init__:
            base.__init__(self, *given)
        setattr(self, field, 1)

    return type(name, (base,), {"__init__": __init__})


@envpickle.builder
def first(kind: str) -> type:
    """A class over an importable one."""
    cls: type = _made("First", kind, None, "one")
    return cls


@envpickle.builder
def second(kind: str, base: Any) -> type:
    """A class over a built one."""
    cls: type = _made("Second", kind, base, "two")
    return cls


def shown(one: Any) -> Any:
    """All that an instance says of itself."""
    return repr(one), getattr(one, "__dict__", {}), getattr(one, "args", ())
