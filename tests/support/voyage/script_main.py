"""The same hold with its builder in the script that is run: copied by the tests to where a user's script would lie."""

import sys
from typing import Any

import envpickle
from voyage import trip
from voyage.fresh import report

RUNS: list[str] = []


@envpickle.builder
def dock(tools: list[str], server: str = "sea", *, size: int = 1) -> type:
    """A dock, as harbour.docks has one."""
    RUNS.append("dock")

    class Dock:
        def __init__(self, load: int = 0) -> None:
            self.load = load

        def describe(self) -> "str":
            return f"{server} {size} {self.load}"

    for tool in tools:
        setattr(Dock, tool, lambda self, item="crate", tool=tool: f"{tool} {item} at {server}")
    return Dock


@envpickle.builder
def yard(rows: int) -> type:
    """Classes in a class."""

    class Yard:
        class Slot:
            def __init__(self, number: int) -> None:
                self.number = number

            class Label:
                text = str(rows)

    return Yard


def use_the_script() -> None:
    """Have the hold's functions use this script's builders, in the parent and in the child, which imports this as main."""
    from harbour import docks, journeys

    journeys.dock, journeys.yard, docks.RUNS = dock, yard, RUNS


class Hold:
    """Makes `harbour.journeys` a hold of this script's builders wherever this script is main."""

    def __getattr__(self, name: str) -> Any:
        from harbour import journeys

        use_the_script()
        return getattr(journeys, name)


if __name__ == "__mp_main__":
    sys.modules["script_hold"] = Hold()  # type: ignore[assignment]

if __name__ == "__main__":
    sys.modules["script_hold"] = Hold()  # type: ignore[assignment]
    report(trip.main("script_hold", *sys.argv[1:]))
