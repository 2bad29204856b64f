"""Importable bases of a user's package that know nothing of envpickle."""

import abc
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Plain:
    """A base with a value."""

    label = "plain"

    def whoami(self) -> str:
        return "plain"


class Grouped(Generic[T]):
    """A generic ancestor, as `gymnasium.Env` is one."""

    label = "grouped"

    def whoami(self) -> str:
        return "grouped"


class Many(Grouped[Any]):
    """The real base; it adds what callers rely on."""

    label = "many"

    def agents(self) -> list[str]:
        return ["left", "right"]


class Remote:
    """Needs a keyword when it is subclassed."""

    server: str

    def __init_subclass__(cls, *, server: str, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls.server = server


class Counted:
    """Keeps a list of its subclasses, and refuses a second one of a name."""

    known: dict[str, type] = {}

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if cls.__name__ in Counted.known:
            raise ValueError(f"{cls.__name__} is known already")
        Counted.known[cls.__name__] = cls


class Document:
    """Rebuilds itself by naming its own class, whatever the subclass is."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __reduce__(self) -> Any:
        return Document, (self.text,)


class Ledger:
    """The same with `__reduce_ex__`."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Ledger, (self.text,)


class Fair:
    """Its `__reduce__` speaks of `type(self)`, as it should."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def __reduce__(self) -> Any:
        return type(self), (self.text,)


class Abstract(abc.ABC):
    """An abstract class to mix in."""

    @abc.abstractmethod
    def reset(self) -> str:
        """To be written."""


class Foreign:
    """Registered with an abstract class, and not derived from it."""


class Tracked:
    """A user's class that a wrapper subclasses under the same name."""

    def __init__(self, size: int = 1) -> None:
        self.size = size


class Resettable:
    """Fits a protocol without knowing of it."""

    def reset(self) -> str:
        return "reset"
