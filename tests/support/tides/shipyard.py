"""The builders of the state machine, one for each shape of class; the module is reloaded as if its source had changed.

Every class says its version, its builder, its argument and a number, so that nothing it does can be another's. The `_KIND`
functions make the class without being asked through a builder: `register` is given what they make.
"""

import abc
import collections
import dataclasses
import enum
from typing import Any

import envpickle
from tides import weather

VERSION = weather.VERSION[0]


def shown(value: Any) -> str:
    """A value as text; a class or function by its name, since an address is another in each process."""
    return getattr(value, "__name__", None) or repr(value)


def _said(kind: str, value: Any, number: Any) -> str:
    return f"{VERSION} {kind} {shown(value)} {number}"


def _plain(value: Any) -> type:
    class Plain:
        number, ratio, truth = 1, 1.0, True
        listed = [1, [2, "x"]]
        mapped = {"a": {"b": [1, {2}]}, 1: (3, [4])}
        chosen = {1, 2}
        cache: list[Any] = []
        __envpickle_state__ = ("cache",)

        def __init__(self, load: int = 0) -> None:
            super().__init__()  # a __class__ cell
            self.load = load

        def told(self, extra: str = "", *, loud: bool = False) -> str:
            return _said("plain", value, self.load) + extra

        def own_class(self) -> type:
            return Plain  # a closure over the class

        def _close(self) -> None:
            weather.close(self)

        @classmethod
        def create(cls, load: int) -> Any:
            return cls(load)

        @property
        def twice(self) -> int:
            return 2 * self.load

    return Plain


def _nested(value: Any) -> type:
    class Outer:
        label = "outer"

        def __init__(self, load: int = 0) -> None:
            self.load, self.slot = load, self.Slot()

        def told(self) -> str:
            return _said("nested", value, self.load)

        def _close(self) -> None:
            weather.close(self)

        class Slot:
            depth = [1]

            class Label:
                text = "label"

    return Outer


def _abstract(value: Any) -> type:
    class Api(abc.ABC):
        @abc.abstractmethod
        def told(self) -> str: ...

    class Concrete(Api):
        tags: set[str] = {"a"}

        def __init__(self, load: int = 0) -> None:
            self.load = load

        def told(self) -> str:
            return _said("abstract", value, self.load)

        def __len__(self) -> int:
            return 3

    return Concrete


def _data(value: Any) -> type:
    @dataclasses.dataclass
    class Data:
        load: int = 0
        names: list[str] = dataclasses.field(default_factory=list)
        marks = [1]

        def told(self) -> str:
            return _said("data", value, self.load)

        def _close(self) -> None:
            weather.close(self)

    return Data


def _slotted(value: Any) -> type:
    class Slotted:
        __slots__ = ("__weakref__", "load")
        marks = {"a": [1]}

        def __init__(self, load: int = 0) -> None:
            self.load = load

        def told(self) -> str:
            return _said("slotted", value, self.load)

        def _close(self) -> None:
            weather.close(self)

    return Slotted


def _error(value: Any) -> type:
    class Trouble(ValueError):
        hints = ["look"]

        def __init__(self, load: int, *, path: str) -> None:
            super().__init__(f"trouble {load} at {path}")
            self.load = load

        def told(self) -> str:
            return _said("error", value, self.load)

    return Trouble


def _choice(value: Any) -> type:
    class Choice(enum.Enum):
        RED = 1
        GREEN = "green"

        def told(self) -> str:
            return _said("choice", value, self.name)

    return Choice


def _record(value: Any) -> type:
    class Row(collections.namedtuple("Row", "load other")):
        __slots__ = ()
        listed = [1, [2]]

        def told(self) -> str:
            return _said("record", value, self.load)

    return Row


def _derived(value: type) -> type:
    base: Any = value

    class Derived(base):
        marks = [1]

        def told(self) -> str:
            return _said("derived", value, self.load) + super().told()[:0]

    return Derived


def _holding(value: Any) -> type:
    class Holding:
        inner = value

        def __init__(self, load: int = 0) -> None:
            self.load = load

        def told(self) -> str:
            return _said("holding", value, self.load)

    return Holding


def _moody(value: Any) -> type:
    class Moody:
        def __init__(self, load: int = 0) -> None:
            self.load = load

        def told(self) -> str:
            return _said("moody", value, self.load)

    if weather.MOOD[0]:
        Moody.sulk = lambda self: "sulking"  # type: ignore[attr-defined]
    return Moody


def _builder(make: Any) -> envpickle.Builder:
    def build(value: Any) -> type:
        weather.RUNS.append(make.__name__[1:])
        made: type = make(value)
        return made

    build.__name__ = build.__qualname__ = make.__name__[1:]
    return envpickle.builder(build)


plain, nested, abstract, data = _builder(_plain), _builder(_nested), _builder(_abstract), _builder(_data)
slotted, error, choice, record = _builder(_slotted), _builder(_error), _builder(_choice), _builder(_record)
derived, holding, moody = _builder(_derived), _builder(_holding), _builder(_moody)
