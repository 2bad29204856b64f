"""The command: run as a user runs it, with and without what plugins add."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import envpickle

ENTRY_POINT = """[envpickle.commands]
count = harbour_commands:count
sunk = harbour_commands:nosuch
lost = no_such_module:command
"""

COMMANDS = """
import click

@click.command()
@click.argument("number", type=int)
def count(number):
    "Count ships."
    click.echo(number + 1)
"""


def run(*words: str, path: Path | None = None) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"PYTHONPATH": str(path)} if path is not None else {}
    return subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True, timeout=60)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Where a plugin is installed that adds one command, and names two that cannot be loaded."""
    home = tmp_path / "harbour-1.0.dist-info"
    home.mkdir()
    (home / "METADATA").write_text("Name: harbour\nVersion: 1.0\n", encoding="utf-8")
    (home / "entry_points.txt").write_text(ENTRY_POINT, encoding="utf-8")
    (tmp_path / "harbour_commands.py").write_text(COMMANDS, encoding="utf-8")
    return tmp_path


def test_it_tells_its_version() -> None:
    done = run("-m", "envpickle", "--version")
    assert (done.returncode, done.stdout) == (0, f"envpickle, version {envpickle.__version__}\n")


def test_the_console_script_is_the_same_command() -> None:
    script = Path(sys.executable).with_name("envpickle")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"envpickle, version {envpickle.__version__}\n"


def test_a_plugin_adds_a_command(plugin: Path) -> None:
    listed = [line.split() for line in run("-m", "envpickle", "--help", path=plugin).stdout.splitlines()]
    assert ["count", "Count", "ships."] in listed
    done = run("-m", "envpickle", "count", "41", path=plugin)
    assert (done.returncode, done.stdout) == (0, "42\n")


@pytest.mark.parametrize("name", ["sunk", "lost"])
def test_a_command_that_cannot_be_loaded_says_which_and_why_and_leaves_the_others(plugin: Path, name: str) -> None:
    done = run("-m", "envpickle", name, "--option", "value", path=plugin)
    assert done.returncode == 2
    assert f"the command {name} cannot be loaded from " in done.stderr
    assert "harbour_commands" in done.stderr or "no_such_module" in done.stderr
    assert run("-m", "envpickle", "count", "1", path=plugin).stdout == "2\n"


def test_a_command_that_is_not_there() -> None:
    done = run("-m", "envpickle", "nosuch")
    assert done.returncode == 2
    assert "No such command 'nosuch'" in done.stderr


def test_without_click_it_names_the_extra() -> None:
    done = run("-c", "import sys; sys.modules['click'] = None; from envpickle.cli import main; main()")
    assert done.returncode == 2
    assert done.stderr == "The command line needs click, which is not installed: pip install 'envpickle[cli]'\n"


def test_nothing_of_it_is_imported_with_the_package() -> None:
    seen = "import sys, envpickle; [getattr(envpickle, name) for name in envpickle.__all__]; print(*sys.modules)"
    assert not {"click", "rich", "envpickle.cli"} & set(run("-c", seen).stdout.split())
