"""An installed generic model."""

from typing import Generic, TypeVar

import pydantic

T = TypeVar("T")


class Box(pydantic.BaseModel, Generic[T]):
    """Holds one value."""

    value: T
