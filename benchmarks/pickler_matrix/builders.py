"""The importable builder whose classes travel."""

from typing import Any

import envpickle


@envpickle.builder
def dock(tools: list[str], port: str) -> type:
    """A dock with one method for each tool, and a class nested in it."""

    class Dock:
        def __init__(self, load: int = 0) -> None:
            self.load = load

        def weigh(self) -> tuple[str, int]:
            return port, self.load

        class Slot:
            number = len(tools)

    for tool in tools:
        setattr(Dock, tool, _method(tool))
    return Dock


def _method(tool: str) -> Any:
    return lambda self: f"{tool} {self.load}"
