"""Parents of the lifeline tests. Those on real sessions need the plugin and the port pack, which not every environment has."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from voyage import lifelines
from voyage.closing import await_word
from voyage.fresh import end_group, start

collect_ignore_glob = [] if find_spec("envpickle_openenv") else ["*_port.py"]


class Parent:
    """A program of `voyage.lifelines` that runs."""

    def __init__(self, home: Path, role: str, method: str, **surroundings: str) -> None:
        program = home.parent / "main.py"
        program.write_text(lifelines.PROGRAM)
        # From 3.12 on a threaded process is warned when it forks, which is what these do on purpose.
        surroundings.setdefault("PYTHONWARNINGS", "default")
        self.home = home
        self.process = start(program, role, method, str(home), cwd=home.parent, **surroundings)

    def await_word(self, word: str) -> None:
        """Wait until it says so; where it ended instead, say how."""
        try:
            await_word(str(self.home), word)
        except AssertionError:
            self.process.kill()
            raise AssertionError(f"no word of {word!r}: {self.process.communicate()}") from None

    def sessions(self) -> int:
        """How many are open."""
        return len(list(self.home.glob("session_*")))

    def family(self) -> list[int]:
        """The ids of the processes that hold sessions."""
        path = self.home / "family"
        return list(json.loads(path.read_text())) if path.exists() else []


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where sessions are files and processes leave word."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def parent(home: Path) -> Iterator[Callable[..., Parent]]:
    """Starts a parent, which is ended after the test with all it started."""
    parents: list[Parent] = []

    def begin(role: str, method: str = "spawn", **surroundings: str) -> Parent:
        parents.append(Parent(home, role, method, **surroundings))
        return parents[-1]

    yield begin
    for one in parents:
        end_group(one.process)
        for pid in one.family():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A directory of this test's own for lifelines, short enough for a socket's path."""
    folder = Path(f"/tmp/ep{os.getpid()}{os.urandom(2).hex()}")
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder / f"envpickle-{os.geteuid()}"
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()
