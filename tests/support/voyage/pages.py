"""The programs printed in the README and the docs: found, laid into an empty directory and run.

The convention, which reads well on its own: a Python block whose first line is `# name.py` is that file; a console
block holds commands after `$ ` and what they print. A page's files are laid into an empty directory and its commands
run there, one by one, in fresh interpreters. In printed output, `...` stands for any text within a line. A page's
`# pyproject.toml` counts as installed: its entry points are found, and its modules wherever a process runs.

What a reader does not see stands in an HTML comment right before a block:

- `<!-- run` and lines of Python: the block is a program of its own, after these lines, beside the page's files. A line `# then`
  parts what comes before the block from what comes after it, such as what must hold then.
- `<!-- fragment: why -->`: the block is not run. It must compile, and a test counts such blocks.

`<!-- run in trl` names the environment that has what the block needs; `<!-- programs: cluster -->`, anywhere on a page, does so
for the page's files and commands.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
HERE = "here"  # the development environment
ENVIRONMENTS = (HERE, "trl", "cluster", "release")
BLOCK = re.compile(
    r"(?:^<!-- (?P<said>(?:run|fragment)\b.*?)-->\n+)?^(`{3,})(?P<kind>python|console|toml)\n(?P<text>.*?)^\2\s*$",
    re.MULTILINE | re.DOTALL,
)
FILE_NAME = re.compile(r"# ([\w/]+\.py)\n")
SAID = re.compile(r"(?P<word>run(?: in (?P<place>\w+))?|fragment: (?P<why>[^\n]+?))\s*(?:\n(?P<code>.*))?", re.DOTALL)
PORT = re.compile(r"https?://(?:localhost|127\.0\.0\.1|elsewhere|example\.org):?\d*(/dock|/pantry|/mcp)?(?=\")")


@dataclass
class Block:
    """A block of a page.

    Attributes:
        page: The page.
        line: The line on which the block stands.
        kind: Its language.
        text: What a reader sees.
        said: What the comment before it says, or None.
    """

    page: Path
    line: int
    kind: str
    text: str
    said: str | None

    @property
    def name(self) -> str | None:
        """The file it is, if it is one."""
        found = FILE_NAME.match(self.text)
        return found[1] if found else None

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def _told(self) -> re.Match[str] | None:
        found = SAID.fullmatch(self.said) if self.said else None
        assert found or not self.said, f"{self.where}: not understood: {self.said}"
        return found

    @property
    def place(self) -> str | None:
        """The environment in which it runs as a program of its own; None if it does not."""
        told = self._told()
        return (told["place"] or HERE) if told and not told["why"] else None

    @property
    def why_not(self) -> str | None:
        """Why it is not run."""
        told = self._told()
        return told["why"] if told else None

    def program(self) -> str:
        """The program it is, with the lines that a reader does not see."""
        told = self._told()
        before, _, after = ((told and told["code"]) or "").partition("# then\n")
        return f"{before}\n{self.text}\n{after}"


def every_page() -> list[Path]:
    """Every page with Python that a user reads."""
    docs = (page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)
    return [ROOT / "README.md", *sorted((ROOT / "plugins").glob("*/README.md")), *sorted(docs)]


def all_blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("text"))
        yield Block(page, line, match["kind"], match["text"], match["said"])


def blocks_in(place: str) -> list[Block]:
    """Every block that runs as a program of its own in an environment."""
    found = (block for page in every_page() for block in all_blocks(page))
    return [block for block in found if block.kind == "python" and block.place == place]


def blocks(page: Path, kind: str) -> Iterator[str]:
    """The texts of a page's blocks of a language."""
    return (block.text for block in all_blocks(page) if block.kind == kind)


def place_of(page: Path) -> str:
    """The environment in which a page's files and commands run."""
    found = re.search(r"^<!-- programs: (\w+) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else HERE


def programs(page: Path) -> dict[str, str]:
    """The files a page shows, by name; a name shown twice must be the same program grown, so the last one stands."""
    return {block.name: block.text for block in all_blocks(page) if block.kind == "python" and block.name}


def lay_out(page: Path, cwd: Path) -> dict[str, str]:
    """Put a page's files into a directory, and install its project; returns the environment that takes."""
    for name, text in programs(page).items():
        target = cwd / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
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


def pattern(printed: str) -> re.Pattern[str]:
    return re.compile("".join(".*" if piece == "..." else re.escape(piece) for piece in re.split(r"(\.\.\.)", printed)))


def run(
    command: str, cwd: Path, extra: dict[str, str], seconds: float = 100, python: str | Path = sys.executable
) -> tuple[int, str]:
    """Exit status, standard output and error of a command as the page's reader would see them; `python` is an interpreter."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENVPICKLE_"))}
    words = shlex.split(command)
    assert words[0] == "python"
    done = subprocess.run(
        [python, *words[1:]],
        cwd=cwd,
        env=environment | extra,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
    )
    return done.returncode, done.stdout


def run_page(page: Path, cwd: Path, extra: dict[str, str] | None = None, seconds: float = 100) -> None:
    """Run a page's commands, and compare what they print with what the page says.

    Every file of the page must have been run by one of them, or imported.
    """
    environment = lay_out(page, cwd) | (extra or {})
    for command, printed in python_commands(page):
        _, seen = run(command, cwd, environment, seconds)
        assert pattern(printed).fullmatch(seen), f"{command} printed\n{seen}\nwhere the page says\n{printed}"
    idle = [name for name in programs(page) if not _was_used(name, page, cwd)]
    assert not idle, f"{page.relative_to(ROOT)} shows {idle}, which no command of the page runs and no program of it imports"


def _was_used(name: str, page: Path, cwd: Path) -> bool:
    commanded = any(name in shlex.split(command) for command, _ in python_commands(page))
    alone = any(block.place for block in all_blocks(page) if block.name == name)  # it is run with what its comment says
    file = cwd / name
    return commanded or alone or any((file.parent / "__pycache__").glob(f"{file.stem}.*"))


def run_block(
    block: Block, cwd: Path, servers: dict[str, str], extra: dict[str, str] | None = None, seconds: float = 100
) -> None:
    """Run a block as a program of its own, beside its page's files.

    Args:
        block: The block.
        cwd: An empty directory.
        servers: What addresses of servers on the page lead to: ``/dock``, ``/pantry``, and the empty text for a base alone.
        extra: Variables of its environment.
        seconds: How long it may take.
    """
    environment = lay_out(block.page, cwd) | (extra or {})
    name = block.name or "block.py"
    (cwd / name).write_text(PORT.sub(lambda found: servers[found[1] or ""], block.program()), encoding="utf-8")
    status, seen = run(f"python {name}", cwd, environment, seconds)
    assert status == 0, f"{block.where} ended with {status}\n{seen}"
