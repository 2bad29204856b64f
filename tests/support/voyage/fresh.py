"""Run a program in a fresh interpreter, in an empty directory, and get back the JSON value that it reported."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SUPPORT = Path(__file__).resolve().parents[1]
REPORT = "VOYAGE_REPORT"
FLAGS = ("-X", "faulthandler")


def report(value: Any) -> None:
    """Hand `value` (anything JSON knows) to the test that started this program."""
    Path(os.environ[REPORT]).write_text(json.dumps(value))


def surroundings(**extra: str) -> dict[str, str]:
    """The environment of a started program: ours, `tests/support` importable, warnings raised."""
    path = os.pathsep.join([str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "error", **extra}


def end_group(process: "subprocess.Popen[Any]") -> None:
    """End a program that leads its own process group, and whatever it started, by that group's id."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def start(program: Path, *args: str, cwd: Path, python: str = sys.executable, **extra: str) -> "subprocess.Popen[str]":
    """Start `program` as the leader of its own process group; the caller ends it with `end_group`."""
    return subprocess.Popen(
        [python, *FLAGS, str(program), *args],
        cwd=cwd,
        env=surroundings(**extra),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: "subprocess.Popen[str]", seconds: float) -> tuple[str, str]:
    """Wait for the program; where it hangs, have it print where it stands, then end it and its children."""
    try:
        return process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        try:
            text = "".join(process.communicate(timeout=5))
        except subprocess.TimeoutExpired:
            text = "(no traceback)"
        raise AssertionError(f"no answer in {seconds} s:\n{text}") from None
    finally:
        end_group(process)


def run(
    program: "Path | str", *args: str, python: str = sys.executable, seconds: float = 60, quiet: bool = True, **extra: str
) -> Any:
    """Run a program to its end and return what it reported.

    Args:
        program: A file, or the program's text, which is then written to a file `main.py`.
        *args: The program's arguments.
        python: The interpreter.
        seconds: How long it may take before it is ended and the test fails with its stacks.
        quiet: Whether anything on standard error fails the test (an ignored exception, a warning in a hook).
        **extra: Environment variables.

    Returns:
        The reported JSON value.
    """
    with tempfile.TemporaryDirectory(prefix="voyage_") as home:
        if isinstance(program, str):
            text, program = program, Path(home, "source", "main.py")
            program.parent.mkdir()
            program.write_text(text)
        Path(home, "cwd").mkdir()
        answer = Path(home, "report.json")
        process = start(program, *args, cwd=Path(home, "cwd"), python=python, **{REPORT: str(answer)}, **extra)
        out, err = finish(process, seconds)
        assert process.returncode == 0, f"exit status {process.returncode}\n{out}\n{err}"
        assert not (quiet and err.strip()), f"standard error is not empty:\n{err}"
        assert answer.exists(), f"nothing was reported\n{out}\n{err}"
        return json.loads(answer.read_text())
