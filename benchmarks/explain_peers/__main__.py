"""``python -m benchmarks.explain_peers``: ask the three about ten inputs, and show what they say side by side."""

import datetime
import importlib.metadata
import importlib.util
import json
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from ..keeping import keep_section
from .inputs import INPUTS
from .tools import TOOLS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "explain-peers.md"
MARKS = "<!-- from here on written by python -m benchmarks.explain_peers --write -->", "<!-- to here -->"
SECONDS = 60  # for one answer
_TITLES = {
    "ray": "`ray.util.inspect_serializability`",
    "dill": "`dill.detect`",
    "envpickle": "`envpickle.explain`, for pickle",
    "envpickle.cloudpickle": "`envpickle.explain`, for cloudpickle",
    "envpickle.dill": "`envpickle.explain`, for dill",
}


def ask(tool: str, name: str) -> dict[str, Any]:
    """A tool's answer about one input; an answer that did not come says so."""
    words = [sys.executable, "-m", "benchmarks.explain_peers.tools", tool, name]
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"taken": None, "crosses": None, "paths": [], "said": f"gave no answer in {SECONDS} seconds\n"}
    except (IndexError, ValueError):
        return {"taken": None, "crosses": None, "paths": [], "said": f"its process ended with status {done.returncode}\n"}
    return answer


def judged(tool: str, name: str, answer: dict[str, Any]) -> str:
    """An answer in a few words: whether its verdict is the pickler's, and how many causes it leads to."""
    if answer["crosses"] is None:
        return answer["said"].strip().partition(":")[0]
    if answer["crosses"] != answer["taken"]:
        return "wrong verdict"
    ways = INPUTS[name].ways.get(TOOLS[tool], [])
    if answer["taken"]:
        return "crosses: right"
    found = sum(any(_leads(way, path) for path in answer["paths"]) for way in ways)
    return f"{found} of {len(ways)} found"


def _leads(way: tuple[str, ...], path: str) -> bool:
    """Whether a path goes through all the words of a way, in their order."""
    words = re.findall(r"\w+", path)
    return all(word in words for word in way) and [w for w in dict.fromkeys(words) if w in way] == list(way)


def table(answers: dict[str, dict[str, dict[str, Any]]], tools: list[str]) -> str:
    """Markdown: one row for each input, one column for each tool."""
    lines = ["| input | " + " | ".join(_TITLES[tool] for tool in tools) + " |", "|---" * (len(tools) + 1) + "|"]
    for name, one in INPUTS.items():
        cells = [judged(tool, name, answers[tool][name]) for tool in tools]
        lines.append(f"| {one.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def words(answers: dict[str, dict[str, dict[str, Any]]], tools: list[str], only: tuple[str, ...]) -> str:
    """Markdown: what each tool says of some inputs, without what is different at every run."""
    pieces = []
    for name, one in INPUTS.items():
        if name not in only:
            continue
        pieces.append(f"### {one.title[0].upper()}{one.title[1:]}\n")
        for tool in tools:
            said = re.sub(r"0x[0-9a-f]+", "0x...", re.sub(r"\x1b\[[\d;]*m", "", answers[tool][name]["said"]))
            said = re.sub(r"\bfd=\d+", "fd=...", re.sub(r"(?m)[ \t]+$", "", said)).strip()
            lines = said.splitlines()
            short = lines if len(lines) <= 40 else [*lines[:24], f"[{len(lines) - 36} lines left out]", *lines[-12:]]
            cut = [line if len(line) <= 160 else f"{line[:157]}..." for line in short]
            pieces.append(f"{_TITLES[tool]}:\n\n```text\n" + "\n".join(cut) + "\n```\n")
    return "\n".join(pieces)


def versions() -> str:
    """What was asked, and when."""
    found = {"envpickle": "envpickle", "ray": "ray", "dill": "dill", "cloudpickle": "cloudpickle"}
    said = [f"{name} {importlib.metadata.version(name)}" for name in found if importlib.util.find_spec(name)]
    return f"{', '.join(said)}; Python {platform.python_version()}; {datetime.datetime.now(datetime.UTC):%d %B %Y}."


@click.command()
@click.option("--write", is_flag=True, help="Write the answers into docs/explanation/explain-peers.md.")
@click.option("--input", "only", multiple=True, type=click.Choice(list(INPUTS)), help="Only this input.")
def main(write: bool, only: tuple[str, ...]) -> None:
    """Ask envpickle, ray and dill what crosses, about ten inputs; tools that are not installed are left out."""
    for name in [name for name in INPUTS if only and name not in only]:
        del INPUTS[name]
    tools = [tool for tool in TOOLS if tool.startswith("envpickle") or importlib.util.find_spec(tool)]
    answers = {tool: {name: ask(tool, name) for name in INPUTS} for tool in tools}
    shown = words(answers, [tool for tool in tools if tool in _SHOWN], _ON_THE_PAGE if write else tuple(INPUTS))
    told = f"{versions()}\n\n{table(answers, tools)}\n## What they say\n\n{shown}"
    if not write:
        click.echo(told)
        return
    keep_section(PAGE, told, MARKS)


_SHOWN = ("ray", "dill", "envpickle")
_ON_THE_PAGE = ("lock in state", "named tuple", "two faults")

if __name__ == "__main__":
    main(prog_name="python -m benchmarks.explain_peers")
