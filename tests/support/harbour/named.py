"""Built classes and their subclasses at module level, which names find."""

import envpickle
from harbour import docks


@envpickle.builder
def base(tools: list[str]) -> type:
    """The base, made when this module is imported."""
    return type("Base", (), {tool: (lambda self, tool=tool: tool) for tool in tools})


Base = base(["lift"])


class Derived(Base):  # type: ignore[misc, valid-type]
    """A subclass that its name finds."""

    def lift(self) -> str:
        return "derived " + super().lift()


class Outer:
    """Holds another one."""

    class Inner(Base):  # type: ignore[misc, valid-type]
        """Found by a dotted name."""


class OverDock(docks.dock(["lift"])):  # type: ignore[misc]
    """Derives from a class that only lives because this one does."""
