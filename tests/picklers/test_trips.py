"""Every pickler, from an importable builder and from one in a script, into a fresh child and back."""

import functools
import shutil
import tempfile
from pathlib import Path

import pytest
from voyage.fresh import SUPPORT, run
from voyage.picklers import BY_VALUE, TOOLS
from voyage.trip import carried

PIECES = ["bare", "in_a_dict", "instance", "bound_method", "partial", "nested", "task", "closure"]
PLACES = ["importable", "script"]


def sent_by(tool: str) -> list[str]:
    """What a tool sends: plain pickle no closures; cloudpickle sends a bound method's function by value (a limit)."""
    left_out = {"closure"} if tool not in BY_VALUE else {"bound_method"} if tool == "cloudpickle" else set()
    return [piece for piece in PIECES if piece not in left_out]


@functools.cache
def verdicts(place: str, tool: str, method: str = "spawn") -> dict[str, str]:
    """One trip with all pieces."""
    if place == "importable":
        return carried("harbour.journeys", sent_by(tool), tool, method)
    with tempfile.TemporaryDirectory() as home:
        script = shutil.copy(SUPPORT / "voyage" / "script_main.py", Path(home, "train.py"))
        found: dict[str, str] = run(Path(script), tool, method, *sent_by(tool))
        return found


@pytest.mark.parametrize(("tool", "piece"), [(tool, piece) for tool in TOOLS for piece in sent_by(tool)])
@pytest.mark.parametrize("place", PLACES)
def test_a_class_crosses_and_comes_home(place: str, tool: str, piece: str) -> None:
    """The child gets the class its own builder makes, before it built any, and it comes home as the object that left."""
    assert verdicts(place, tool)[piece] == "ok"


@pytest.mark.parametrize("method", ["forkserver", "fork"])
@pytest.mark.parametrize("place", PLACES)
def test_other_start_methods(place: str, method: str) -> None:
    """The same under forkserver and fork."""
    assert set(verdicts(place, "pickle:5", method).values()) == {"ok"}
