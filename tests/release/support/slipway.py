"""The archives as `make dist` makes them, and environments that hold nothing else."""

import os
import subprocess
import sys
import venv
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[3]
SOURCES = {"envpickle": ROOT, **{path.parent.name: path.parent for path in sorted((ROOT / "plugins").glob("*/pyproject.toml"))}}
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """The standard output of a command, which must succeed."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENVPICKLE_"))}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=110, env=clean | environment)
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def empty_environment(home: Path) -> Path:
    """The Python of a new virtual environment with no distribution in it, not even pip."""
    venv.create(home, with_pip=False, symlinks=True)
    return home / "bin" / "python"


def install(python: Path, links: Path, *requirements: str | Path) -> None:
    """Install into an environment what is asked for; our distributions from a folder, all others from pip's index."""
    run(*PIP, "--python", python, "install", "--quiet", "--find-links", links, *requirements)


class Archives:
    """A folder of built distributions.

    Attributes:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def wheel(self, name: str) -> Path:
        (found,) = self.folder.glob(f"{name.replace('-', '_')}-*.whl")
        return found

    def sdist(self, name: str) -> Path:
        (found,) = self.folder.glob(f"{name.replace('-', '_')}-*.tar.gz")
        return found

    def inside(self, name: str) -> dict[str, bytes]:
        """The files of a wheel, with what they hold."""
        with ZipFile(self.wheel(name)) as archive:
            return {file: archive.read(file) for file in archive.namelist()}

    def about(self, name: str, file: str) -> bytes:
        """A file of a wheel's metadata."""
        (found,) = (content for path, content in self.inside(name).items() if path.endswith(f".dist-info/{file}"))
        return found

    def metadata(self, name: str) -> Message:
        return Parser().parsestr(self.about(name, "METADATA").decode())


def make_dist(folder: Path, **environment: str) -> Archives:
    """What `make dist` does, into another folder."""
    run(ROOT / "tools" / "make-dist", folder, sys.executable, **environment)
    return Archives(folder)
