"""EzPickle environments two classes deep: which constructor's arguments were recorded, and do they make the instance again?"""

import itertools
from typing import Any

import envpickle

BASES = ("by position", "by name", "by super", "before super")
CONSTRUCTORS: dict[str, bool] = {  # whether what is recorded makes the instance again
    "none": True,
    "passing on": True,
    "the same": True,
    "after super": True,
    "other": False,
    "one more": False,
    "before super": False,
    "before super, alike": False,
    "by keyword only": False,
    "without any": False,
}
PIECES = {f"{base}, {sub}": (base, sub) for base, sub in itertools.product(BASES, CONSTRUCTORS)}


def _base(kind: str) -> Any:
    from gymnasium import utils
    from gymnasium.utils import EzPickle

    def by_position(self: Any, distance: float = 0.1) -> None:
        EzPickle.__init__(self, distance)
        self.distance = distance

    def by_name(self: Any, distance: float = 0.1) -> None:
        utils.EzPickle.__init__(self, distance=distance)
        self.distance = distance

    def by_super(self: Any, distance: float = 0.1) -> None:
        super(cls, self).__init__(distance)
        self.distance = distance

    def before_super(self: Any, distance: float = 0.1) -> None:
        EzPickle.__init__(self, distance)
        super(EzPickle, self).__init__()
        self.distance = distance

    cls: Any = type("Reach", (EzPickle,), {"__init__": locals()[kind.replace(" ", "_")]})
    return cls


def _faithful(base: Any, sub: str) -> Any:
    from gymnasium.utils import EzPickle

    class Further(base):  # type: ignore[misc]
        if sub == "passing on":

            def __init__(self, *args: Any, **named: Any) -> None:
                super().__init__(*args, **named)
        elif sub == "the same":

            def __init__(self, distance: float = 0.3) -> None:
                super().__init__(distance)
        elif sub == "after super":

            def __init__(self, more: int = 1, distance: float = 0.2) -> None:
                super().__init__(distance)
                EzPickle.__init__(self, more, distance)
                self.more = more

    return Further


def _unfaithful(base: Any, sub: str) -> Any:  # noqa: C901 -- one branch for each kind
    from gymnasium.utils import EzPickle

    class Further(base):  # type: ignore[misc]
        if sub == "other":

            def __init__(self, more: int = 1) -> None:
                super().__init__(more * 2)
                self.more = more
        elif sub == "one more":

            def __init__(self, more: int = 1, **named: Any) -> None:
                super().__init__(**named)
                self.more = more
        elif sub == "before super":

            def __init__(self, more: int = 1, distance: float = 0.2) -> None:
                EzPickle.__init__(self, more, distance)
                super().__init__(distance)
                self.more = more
        elif sub == "before super, alike":

            def __init__(self, more: int = 1) -> None:
                EzPickle.__init__(self, more)
                super().__init__(more * 2)
                self.more = more
        elif sub == "by keyword only":

            def __init__(self, *, more: int = 1) -> None:
                super().__init__(more)
                self.more = more
        elif sub == "without any":

            def __init__(self) -> None:
                super().__init__(0.7)

    return Further


@envpickle.builder
def reaching(base: str, sub: str) -> type:
    """A class whose base records, and whose own constructor is one of CONSTRUCTORS."""
    cls: type = (_faithful if CONSTRUCTORS[sub] else _unfaithful)(_base(base), sub)
    return cls


def one_of(piece: str) -> Any:
    base, sub = PIECES[piece]
    given = {"none": {"distance": 0.5}, "passing on": {"distance": 0.5}, "the same": {"distance": 0.5}, "without any": {}}
    return reaching(base, sub)(**given.get(sub, {"more": 7}))  # type: ignore[arg-type]


def shown(one: Any) -> dict[str, Any]:
    """What an instance holds, but for what was recorded."""
    return {name: value for name, value in vars(one).items() if not name.startswith("_ezpickle")}
