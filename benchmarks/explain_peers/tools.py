"""The tools, each asked about one input in a process of its own: ``python -m benchmarks.explain_peers.tools TOOL INPUT``."""

import contextlib
import io
import json
import pickle
import sys
from typing import Any

import envpickle

from .inputs import INPUTS

TOOLS = {
    "envpickle": "pickle",
    "envpickle.cloudpickle": "cloudpickle",
    "ray": "cloudpickle",
    "envpickle.dill": "dill",
    "dill": "dill",
}
"""Each tool, and the pickler whose verdict it gives."""
_DEPTH = 2  # how far dill.detect looks: it tries all attributes of all attributes, and may take over a minute from 3 on


def dumps(pickler: str, value: Any) -> bool:
    """Whether a pickler takes a value."""
    module = pickle if pickler == "pickle" else __import__(pickler)
    try:
        module.dumps(value)
    except Exception:  # noqa: BLE001 -- whatever it raises, it refuses
        return False
    return True


def ask(tool: str, value: Any) -> tuple[bool, list[str], str]:
    """Ask a tool about a value.

    Returns:
        Its verdict, the paths to what it holds for the cause, and all that it says.
    """
    if tool == "ray":
        return _ray(value)
    if tool == "dill":
        return _dill(value)
    report = envpickle.explain(value, pickler=TOOLS[tool], name="it")
    return report.crosses, [part.path for part in report.refused], str(report)


def _ray(value: Any) -> tuple[bool, list[str], str]:
    from ray.util import inspect_serializability

    with io.StringIO() as said:
        crosses, failures = inspect_serializability(value, name="it", print_file=said)
        paths = [str(failure).partition("path=")[2].partition(",")[0] or str(failure.name) for failure in failures]
        return crosses, paths, said.getvalue()


def _dill(value: Any) -> tuple[bool, list[str], str]:
    from dill import detect

    crosses = detect.badobjects(value, depth=0) is None
    found = detect.badtypes(value, depth=_DEPTH)
    said = f"badtypes(it, depth={_DEPTH})  {found!r}\nerrors(it, depth={_DEPTH})    {detect.errors(value, depth=_DEPTH)!r}\n"
    return crosses, list(_ways(found)), said


def _ways(found: Any, way: str = "it") -> Any:
    if not isinstance(found, dict):
        yield way
        return
    for name, inner in found.items():
        deeper = inner[1] if isinstance(inner, tuple) else {}
        yield from _ways(deeper, f"{way}.{name}") if deeper else [f"{way}.{name}"]


def main(tool: str, name: str) -> None:
    """Ask, and print what came of it as JSON."""
    value = INPUTS[name].make()
    taken = dumps(TOOLS[tool], INPUTS[name].make())
    answer: dict[str, Any] = {"taken": taken}
    try:
        with contextlib.redirect_stdout(sys.stderr):
            answer["crosses"], answer["paths"], answer["said"] = ask(tool, value)
    except Exception as error:  # noqa: BLE001 -- a tool that raises is an answer too
        answer |= {"crosses": None, "paths": [], "said": f"raises {type(error).__name__}: {str(error)[:200]}\n"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
