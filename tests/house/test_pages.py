"""Every program printed in the README and in the docs runs, and prints what the page says it prints.

The convention, which reads well on its own: a Python block whose first line is `# name.py` is that file; a console
block holds commands after `$ ` and what they print. A page's files are laid into an empty directory and its commands
run there, one by one, in fresh interpreters. In printed output, `...` stands for any text within a line. A page's
`# pyproject.toml` counts as installed: its entry points are found, and its modules wherever a process runs.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^(`{3,})(?P<kind>python|console|toml)\n(?P<text>.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# ([\w/]+\.py)\n")


def blocks(page: Path, kind: str) -> Iterator[str]:
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match["kind"] == kind:
            yield match["text"]


def programs(page: Path) -> dict[str, str]:
    """The files a page shows, by name; a name shown twice must be the same program grown, so the last one stands."""
    return {name[1]: text for text in blocks(page, "python") if (name := FILE_NAME.match(text))}


def install(page: Path, cwd: Path) -> dict[str, str]:
    """Do to a directory what installing the project a page shows would do; returns the environment that takes."""
    environment: dict[str, str] = {}
    for text in blocks(page, "toml"):
        if not text.startswith("# pyproject.toml\n"):
            continue
        project = tomllib.loads(text)["project"]
        home = cwd / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        home.mkdir()
        (home / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
        groups = (
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project.get("entry-points", {}).items()
        )
        (home / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
        environment["PYTHONPATH"] = str(cwd)
    return environment


def python_commands(page: Path) -> list[tuple[str, str]]:
    """The commands of a page that run Python, each with what the page says it prints."""
    found = []
    for text in blocks(page, "console"):
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            if command.startswith("python "):
                found.append((command, printed))
    return found


PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if python_commands(page)]


def pattern(printed: str) -> re.Pattern[str]:
    return re.compile("".join(".*" if piece == "..." else re.escape(piece) for piece in re.split(r"(\.\.\.)", printed)))


def run(command: str, cwd: Path, extra: dict[str, str]) -> str:
    """Standard output and error of a command as the page's reader would see them; `python` is this interpreter."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENVPICKLE_"))}
    words = shlex.split(command)
    assert words[0] == "python"
    done = subprocess.run(
        [sys.executable, *words[1:]],
        cwd=cwd,
        env=environment | extra,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
    )
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    for name, text in programs(page).items():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    environment = install(page, tmp_path)
    for command, printed in python_commands(page):
        seen = run(command, tmp_path, environment)
        assert pattern(printed).fullmatch(seen), f"{command} printed\n{seen}\nwhere the page says\n{printed}"


def test_the_readme_opens_with_a_program() -> None:
    """The README's first Python block is a whole file, and a command that runs it follows."""
    readme = ROOT / "README.md"
    first = next(blocks(readme, "python"))
    name = FILE_NAME.match(first)
    assert name, "the first Python block is not a file"
    command, printed = python_commands(readme)[0]
    assert command == f"python {name[1]}"
    assert printed.strip()


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_compile(page: Path) -> None:
    """Fragments that are no whole program are at least Python."""
    for text in blocks(page, "python"):
        compile(text, str(page), "exec", dont_inherit=True)


LINK = re.compile(r"\]\((?!\w+:|#)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Sphinx checks the links of the docs; these pages are read outside them too."""
    missing = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (ROOT / link).exists()]
    assert not missing
