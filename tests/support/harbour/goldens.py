"""The classes whose descriptors are kept as golden files, and how to read such files back."""

import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from voyage.values import STANDARD, same

import envpickle
from harbour import docks, golden_kinds

FORMAT = "v1"
ANNOTATIONS = [list[int], int | None, Literal["a", 1], Annotated[int, "kept"], Callable[[int], str], dict[str, list[bytes]]]


def _registered(make: Callable[[], Any]) -> Any:
    return envpickle.register(make())


VALUES = {**STANDARD, "annotations": ANNOTATIONS}
CASES: dict[str, Callable[[], Any]] = {
    "dock": partial(docks.dock, ["lift", "drop"], "harbour", size=3),
    "yard": partial(docks.yard, 4),
    "fleet": partial(docks.fleet, "a", "b", flag="red", first=1, second=2),
    "nested": lambda: docks.lighthouse([docks.dock(["inner"]), docks.yard(1)]),
    "dotted": partial(docks.Yards.inner, 5),
    "secret": lambda: docks.lighthouse({"token": envpickle.Secret("HARBOUR_TOKEN")}),
    **golden_kinds.BUILT,
    **{f"made-{name}": partial(_registered, make) for name, make in golden_kinds.MADE.items()},
    **{"value-" + name.replace(" ", "-"): partial(docks.lighthouse, value) for name, value in VALUES.items()},
}


def instance(name: str, cls: Any) -> Any:
    """The instance that is pickled beside a class; None where there are none."""
    one = golden_kinds.ONES.get(name.removeprefix("made-"))
    return cls.__new__(cls) if one is None else one(cls)


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
    assert one is None or type(one) is cls, "the instance is of another class"
    assert CASES[name]() is cls, "the call made here is another class"
    if name.startswith("value-"):
        expected = CASES[name].args[0]  # type: ignore[attr-defined]
        assert same(cls.value(), expected), f"the value is {cls.value()!r}, and should be {expected!r}"
