"""The demo keeps its promises, and says when one is broken."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.demo import __main__ as demo

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_shows_the_first_flight() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.demo"], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shown = done.stdout
    assert " NO " not in shown
    for words in (
        "list_containers",
        "environment_class.Dock@",
        "bytes; as JSON, in short:",
        "dock, seed 0, careful player: 1.000",
        "pantry, seed 0, careful player: 1.000",
        "what came back are the very classes that were sent",
        "before close()    live sessions: dock 2, pantry 1",
        "after close()     live sessions: dock 0, pantry 0",
        "after the child   live sessions: dock 0, pantry 0",
        "each server was asked for its tools once in all",
    ):
        assert words in shown


def test_a_broken_promise_is_named_and_fails_the_demo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "refuses", lambda cls: False)
    assert demo.main() == 1
    assert "not as promised: a closed AgentEnv's class makes no environment" in capsys.readouterr().out
