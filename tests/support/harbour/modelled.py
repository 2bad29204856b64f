"""Records of msgspec and pydantic."""

from typing import Any

import msgspec
import pydantic


class Spec(msgspec.Struct):
    """A record of msgspec."""

    x: int
    y: list[int] = []


class FrozenSpec(msgspec.Struct, frozen=True):
    """A frozen record of msgspec."""

    x: int


class Model(pydantic.BaseModel):
    """A model whose validator must not run again."""

    x: int
    y: dict[str, Any] = {}

    @pydantic.field_validator("x")
    @classmethod
    def _seen(cls, value: int) -> int:
        VALIDATED.append(value)
        return value


VALIDATED: list[int] = []
