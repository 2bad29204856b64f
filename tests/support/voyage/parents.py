"""Parents of the closing tests, each in a process group of its own, and looks at what they leave behind."""

import time
from collections.abc import Callable
from pathlib import Path

from voyage import closing
from voyage.fresh import start

PATIENCE_S = 2.0  # seconds in which nothing may be left; closing takes milliseconds


class Parent:
    """A program of `voyage.closing` that runs."""

    def __init__(self, home: Path, method: str, ending: str, *url: str) -> None:
        program = home.parent / "main.py"
        program.write_text(closing.PROGRAM)
        # From 3.12 on a threaded process is warned when it forks, which is what these do on purpose.
        flags = {"PYTHONWARNINGS": "default"} if method == "fork" or ending == "raw fork" else {}
        self.home = home
        self.process = start(program, method, ending, str(home), *url, cwd=home.parent, **flags)

    def ended(self, seconds: float = 60) -> int:
        """Wait for its end and return its exit status."""
        self.out, self.err = self.process.communicate(timeout=seconds)
        return self.process.returncode

    def code(self) -> str:
        """How the child ended, as the parent saw it."""
        word = self.home / "code"
        return word.read_text() if word.exists() else f"(no word) {self.err}"

    def child(self) -> int:
        """The child's process id."""
        return int((self.home / "child").read_text())


def live(home: Path, seconds: float = PATIENCE_S) -> list[str]:
    """The sessions still open after that time."""
    return _until_empty(lambda: [path.name for path in home.glob("session_*")], seconds)


def running(pid: int, seconds: float = PATIENCE_S) -> list[str]:
    """The process, if it still runs after that time."""
    return _until_empty(lambda: [str(pid)] if runs(pid) else [], seconds)


def runs(pid: int) -> bool:
    """Whether a process runs, and is not only waiting to be collected."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _until_empty(look: Callable[[], list[str]], seconds: float) -> list[str]:
    deadline = time.monotonic() + seconds
    while (found := look()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found
