"""The program that tries one group of rows: it is run as a script, because one column is about a builder in a script."""

import json
import sys
from pathlib import Path

import envpickle


@envpickle.builder
def script_dock(tools: list[str], port: str) -> type:
    """A dock that no module has."""

    class ScriptDock:
        def __init__(self, load: int = 0) -> None:
            self.load = load

    def method(tool: str) -> object:
        return lambda self: f"{tool} {self.load} at {port}"

    for tool in tools:
        setattr(ScriptDock, tool, method(tool))
    return ScriptDock


if __name__ == "__main__":
    from benchmarks.pickler_matrix.expected import ROWS
    from benchmarks.pickler_matrix.pieces import answers, make

    found = {}
    for title, row in ROWS.items():
        if row.group == sys.argv[1]:
            with row.start(row.way) as send:
                found[title] = answers(send, make(script_dock(["lift"], "south")))
    Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")
