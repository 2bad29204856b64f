"""What a loading process calls. The names of these functions stand in pickles: they stay as they are."""

from typing import Any

import param

import envpickle


@envpickle.unpacker
def parameter(data: tuple[str, dict[str, Any]]) -> param.Parameter:
    """Make a parameter of its kind and what it was told."""
    kind, told = data
    return getattr(param, kind)(**told)


@envpickle.builder
def parameterized_class(name: str, parameters: dict[str, Any]) -> type:
    """Make a class as ``param.parameterized_class`` does."""
    return param.parameterized_class(name, parameters)
