"""The page of the docs that shows the table."""

import datetime
import re

from .sources import REPORTS
from .verdicts import Verdicts, versions
from .ways import WAYS

_SAID = {
    "crosses": "crosses",
    "refused": "refused",
    "late": "**fails in the worker**",
    "wrong": "**wrong, silently**",
    "hangs": "**hangs**",
    "-": "",
}
_HEAD = """\
# Reported troubles

Twenty-eight public reports of classes made at run time that did not cross, or that crossed and were no longer the same.
Each is reduced to a small program of the same shape, which is run with each pickler in fresh processes. A worker that has
built nothing of its own loads the class, uses it and sends it back, and the sender looks at what comes home.

- *crosses*: it works in the worker, and what comes home is the very class that was sent;
- *refused*: the sender gets an error when the class is made, registered or pickled, before anything has been sent;
- *fails in the worker*: pickling succeeds, but the worker cannot load it;
- *wrong, silently*: it loads, but it is not the same: an attribute, an argument or the class itself differs;
- *hangs*: the worker never answers.

"""
_TAIL = """
envpickle has two columns. In the first, the function that makes the class is a builder. In the second, the function is left
as it is, and the class is passed to `envpickle.register`, which finds the library's own call or sends the class's code
({doc}`/how-to/by-value`). Where registering is refused, the message says to write a builder. One field is empty: an owner
closes what a worker holds, and an owner builds with builders ({doc}`/how-to/owners`). In the report about the main guard,
the class has a reducer written by hand, as its authors had.

Run by `python -m benchmarks.reports` on {date}: {versions}.
"""


def page(table: Verdicts) -> str:
    """The whole page."""
    tail = _TAIL.replace("{date}", datetime.datetime.now(datetime.UTC).date().isoformat()).replace("{versions}", versions())
    return _HEAD + "\n".join([*rows(table), "", counted(table)]) + "\n" + tail


def rows(table: Verdicts) -> list[str]:
    """The table, a line each."""
    lines = [f"| report | {' | '.join(WAYS)} |", f"|---|{'---|' * len(WAYS)}"]
    for number, report in REPORTS.items():
        if any((number, way) in table for way in WAYS):
            said = " | ".join(_SAID[table[number, way]] for way in WAYS)
            lines.append(f"| [{report.short}]({report.url}): {report.words} | {said} |")
    return lines


def counted(table: Verdicts) -> str:
    """How many cross, and how many were accepted and came out wrong or not at all."""
    said = []
    for way in WAYS:
        words = [verdict for (_, name), verdict in table.items() if name == way]
        accepted = sum(word in ("late", "wrong", "hangs") for word in words)
        said.append(f"{way}: {words.count('crosses')} cross, {words.count('refused')} are refused, {accepted} go wrong later")
    return "; ".join(said) + "."


def lines_of(text: str) -> dict[str, str]:
    """The lines of a page's table by the address of their report."""
    return {match[1]: match[0] for match in re.finditer(r"^\| \[[^\]]*\]\(([^)]*)\).*$", text, re.MULTILINE)}
