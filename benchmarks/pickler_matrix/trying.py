"""Run the program of a group, and lay out what it says as the page's table."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from .expected import ROWS
from .pieces import COLUMNS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "pickler-matrix.md"
MARKS = "<!-- from here on written by python -m benchmarks.pickler_matrix --write -->", "<!-- to here -->"
SECONDS = 240  # for the program of one group


def try_group(group: str) -> dict[str, dict[str, str]]:
    """The cells of a group's rows, tried in a program of its own.

    Raises:
        RuntimeError: The program did not end well.
    """
    home = tempfile.mkdtemp(prefix="mx")  # short: the paths of sockets are limited
    answer = Path(home, "answer.json")
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": home}
    script = str(Path(__file__).with_name("script.py"))
    program = subprocess.Popen(
        [sys.executable, script, group, str(answer)],
        cwd=home,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, said = program.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        _, said = program.communicate()
    if program.returncode or not answer.exists():
        raise RuntimeError(f"the program of {group} ended with status {program.returncode}:\n{said}")
    found: dict[str, dict[str, str]] = json.loads(answer.read_text(encoding="utf-8"))
    return found


def table(cells: dict[str, dict[str, str]]) -> str:
    """Markdown: a row for each carrier."""
    lines = ["| carrier | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    lines += [f"| {title} | " + " | ".join(row[name] for name in COLUMNS) + " |" for title, row in cells.items()]
    return "\n".join(lines) + "\n"


def expected() -> str:
    """The table as it has to be."""
    return table({title: row.cells for title, row in ROWS.items()})


def written() -> str:
    """The table as it stands on the page."""
    between = PAGE.read_text(encoding="utf-8").partition(MARKS[0])[2].partition(MARKS[1])[0]
    return "".join(line for line in between.splitlines(keepends=True) if line.startswith("|"))
