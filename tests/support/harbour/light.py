"""A builder in a module that imports nothing but envpickle."""

import envpickle


@envpickle.builder
def light(tools):  # type: ignore[no-untyped-def]
    """A class with a method a tool."""

    class Light:
        def reset(self):  # type: ignore[no-untyped-def]
            return "go"

    for number, tool in enumerate(tools):
        setattr(Light, f"tool_{number}", lambda self, tool=tool: tool)
    return Light
