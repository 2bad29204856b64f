"""The classes whose descriptors are kept as golden files, and how to read such files back."""

import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from voyage.values import STANDARD, same

import envpickle
from harbour import docks

FORMAT = "v1"
OWNER = None

CASES: dict[str, Callable[[], Any]] = {
    "dock": partial(docks.dock, ["lift", "drop"], "harbour", size=3),
    "yard": partial(docks.yard, 4),
    "fleet": partial(docks.fleet, "a", "b", flag="red", first=1, second=2),
    "nested": lambda: docks.lighthouse([docks.dock(["inner"]), docks.yard(1)]),
    "dotted": partial(docks.Yards.inner, 5),
    "secret": lambda: docks.lighthouse({"token": envpickle.Secret("HARBOUR_TOKEN")}),
    **{"value-" + name.replace(" ", "-"): partial(docks.lighthouse, value) for name, value in STANDARD.items()},
}


def faults(folder: Path) -> list[str]:
    """Read all golden files in a folder; say what is wrong with any of them."""
    found = []
    for name in CASES:
        try:
            _read(folder, name)
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}: {error}")
    return found


def _read(folder: Path, name: str) -> None:
    data = (folder / f"{name}.descriptor").read_bytes()
    cls: Any = envpickle.rebuild(data)
    spec = envpickle.Spec.from_bytes(data)
    assert spec.to_bytes() == data, "its bytes are not the bytes it was read from"
    assert envpickle.describe(cls) == spec, "the class rebuilt has another spec"
    assert envpickle.Spec.from_json((folder / f"{name}.json").read_text()) == spec, "its JSON view is another spec"
    found, one = pickle.loads((folder / f"{name}.pickle").read_bytes())
    assert found is cls, "descriptor and pickle give two classes"
    assert type(one) is cls, "the instance is of another class"
    assert CASES[name]() is cls, "the call made here is another class"
    if name.startswith("value-"):
        expected = CASES[name].args[0]  # type: ignore[attr-defined]
        assert same(cls.value(), expected), f"the value is {cls.value()!r}, and should be {expected!r}"
