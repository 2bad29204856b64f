"""The commands `envpickle inspect` and `envpickle plugins`, run as a user runs them: text, JSON, exit status."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from harbour import docks

BROKEN = """[envpickle]
good = harbour_plugin
sunk = harbour_plugin:nosuch
loud = harbour_loud

[envpickle.commands]
lost = no_such_module:command
"""
PLUGIN = """
from envpickle.plugin import hookimpl

@hookimpl
def envpickle_makers():
    return [recognise]

def recognise(cls):
    return None
"""


def run(*words: str, path: Path | None = None, **extra: str) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENVPICKLE_"))}
    env |= {"PYTHONPATH": str(path)} if path is not None else {}
    command = [sys.executable, "-m", "envpickle", *words]
    return subprocess.run(command, env=env | extra, capture_output=True, text=True, timeout=100)


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """Where a distribution is installed that has a good plugin, two broken ones and a broken command."""
    home = tmp_path / "harbour_fleet-2.5.dist-info"
    home.mkdir()
    (home / "METADATA").write_text("Name: harbour-fleet\nVersion: 2.5\n", encoding="utf-8")
    (home / "entry_points.txt").write_text(BROKEN, encoding="utf-8")
    (tmp_path / "harbour_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "harbour_loud.py").write_text("raise RuntimeError('too loud')\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "classes.pkl"
    path.write_bytes(pickle.dumps({"env": docks.dock(["lift"])}))
    return path


def test_inspect_tells_what_a_file_holds(file: Path) -> None:
    """Without importing it: the module of the builder cannot even be found by this process."""
    done = run("inspect", str(file))

    assert (done.returncode, done.stderr) == (0, "")
    for piece in (
        "protocol 4",
        "envpickle.payload:rebuild_class",
        "Dock = harbour.docks:dock(...)",
        'tools = ["lift"]',
        "key ",
    ):
        assert piece in done.stdout


def test_inspect_against_names(file: Path) -> None:
    assert run("inspect", str(file), "--allow", "harbour.docks:dock").returncode == 0
    done = run("inspect", str(file), "--allow", "os:system")
    assert done.returncode == 1
    assert "NOT ALLOWED" in done.stdout
    assert "harbour.docks:dock" in done.stdout
    assert run("inspect", str(file), "--plain-data").returncode == 1


def test_inspect_as_json_and_from_standard_input(file: Path) -> None:
    command = [sys.executable, "-m", "envpickle", "inspect", "-", "--json"]
    done = subprocess.run(command, input=file.read_bytes(), capture_output=True, timeout=100)
    found = json.loads(done.stdout)

    assert (done.returncode, found["source"], found["complete"], found["allowed"]) == (0, "<bytes>", True, None)
    assert found["pickles"][0]["descriptors"][0]["builder"] == "harbour.docks:dock"


def test_inspect_of_a_broken_file(tmp_path: Path) -> None:
    """Exit status 1, and what there was before the break."""
    path = tmp_path / "broken.pkl"
    path.write_bytes(b"\x80\x04cos\nsystem\n\xff")
    done = run("inspect", str(path))

    assert done.returncode == 1
    assert "os:system" in done.stdout
    assert "ERROR" in done.stdout


@pytest.mark.parametrize("words", [["nosuch.pkl"], [], ["--allow", "x:*", "classes.pkl"], ["--unknown", "classes.pkl"]])
def test_inspect_used_wrongly(file: Path, words: list[str]) -> None:
    done = run("inspect", *(str(file) if word == "classes.pkl" else word for word in words))
    assert done.returncode == 2
    assert "Usage:" in done.stderr


def test_plugins_lists_what_is_there() -> None:
    done = run("plugins", "--json")
    found = json.loads(done.stdout)

    assert {entry["name"] for entry in found["backends"]} >= {"copyreg", "msgpack", "cloudpickle", "dill"}
    assert {"explain", "inspect", "plugins"} <= {entry["name"] for entry in found["commands"]}
    assert {"pydantic", "attrs"} <= {entry["name"] for entry in found["makers"]}


def test_plugins_names_broken_ones_with_their_distribution(plugins: Path) -> None:
    """A plugin that is not there, one that raises, a command that cannot be loaded: said, the others are listed, status 1."""
    done = run("plugins", path=plugins)
    lines = {line.strip().partition(":")[0]: line for line in done.stdout.splitlines()}

    assert done.returncode == 1
    assert "harbour-fleet 2.5" in lines["good"]
    assert "BROKEN" not in lines["good"]
    for name, why in (("sunk", "nosuch"), ("loud", "too loud"), ("lost", "no_such_module")):
        assert "harbour-fleet 2.5" in lines[name]
        assert "BROKEN" in lines[name]
        assert why in lines[name]
    assert "harbour_plugin" in lines["harbour_plugin"]


NO_BACKENDS = [
    ("['smoke']", "'smoke', which has no name, teach, dumps, loads"),
    ("'smoke'", "Return a list of backends"),
    ("[type('Smoke', (), {'name': 'dill', 'teach': 1, 'dumps': 1, 'loads': 1})]", "its name is taken by one of: built-in"),
]


@pytest.mark.parametrize(("answer", "why"), NO_BACKENDS)
def test_plugins_names_what_is_no_backend(plugins: Path, answer: str, why: str) -> None:
    """The backends of a plugin are looked at, not only counted; the built-in ones are listed all the same."""
    hook = f"\n@hookimpl\ndef envpickle_backends():\n    return {answer}\n"
    (plugins / "harbour_plugin.py").write_text(PLUGIN + hook, encoding="utf-8")
    done = run("plugins", path=plugins, ENVPICKLE_DISABLE="sunk,loud")
    (broken,) = [line for line in done.stdout.splitlines() if "BROKEN" in line and "lost" not in line]

    assert (done.returncode, done.stderr) == (1, "")
    assert why in broken
    assert "msgpack: built-in" in done.stdout


def test_plugins_names_what_is_switched_off(plugins: Path) -> None:
    done = run("plugins", path=plugins, ENVPICKLE_DISABLE="sunk,loud,dill")
    lines = [line for line in done.stdout.splitlines() if line.endswith(", off")]

    assert sorted(line.split(":")[0].strip() for line in lines) == ["dill", "loud", "sunk"]


def test_plugins_with_nothing_broken_is_a_success() -> None:
    done = run("plugins")
    assert (done.returncode, "BROKEN" in done.stdout) == (0, False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_is_told_how_to_complete(shell: str) -> None:
    """Click's own completion, as the docs say it is switched on."""
    done = run("", _ENVPICKLE_COMPLETE=f"{shell}_source")
    assert "envpickle" in done.stdout


def test_commands_are_completed() -> None:
    done = run(_ENVPICKLE_COMPLETE="bash_complete", COMP_WORDS="envpickle in", COMP_CWORD="1")
    assert done.stdout.split(",")[-1].strip() == "inspect"
