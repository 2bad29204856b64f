"""The built files, installed into an environment that held nothing: they work there, and it is they that work."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from slipway import PIP, ROOT, SOURCES, Archives, empty_environment, install, run

FENCE = "`" * 3


@pytest.fixture(scope="module")
def core(dist: Archives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the core's wheel and what it needs."""
    python = empty_environment(tmp_path_factory.mktemp("core") / "env")
    install(python, dist.folder, dist.wheel("envpickle"))
    return python


@pytest.fixture(scope="module")
def every(dist: Archives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with every distribution and extra but Ray itself, which is 70 MB of somebody else's."""
    python = empty_environment(tmp_path_factory.mktemp("every") / "env")
    install(python, dist.folder, "envpickle[cli,cloudpickle,dill,explain,openenv,trl]")
    run(*PIP, "--python", python, "install", "--quiet", "--no-deps", dist.wheel("envpickle-ray"))
    return python


def listed(python: Path) -> set[str]:
    said = json.loads(run(*PIP, "--python", python, "list", "--format", "json"))
    return {canonicalize_name(one["name"]) for one in said}


def readme_program(page: Path) -> tuple[str, str]:
    """The program that the README opens with, and what it prints."""
    text = page.read_text(encoding="utf-8")
    program = text.split(f"{FENCE}python\n", 1)[1].split(FENCE, 1)[0]
    printed = text.split(f"{FENCE}console\n$ python train.py\n", 1)[1].split(FENCE, 1)[0]
    return program, printed


PROBE = """
import sys
import envpickle
for name in envpickle.__all__:
    getattr(envpickle, name)
import envpickle.payload, envpickle.hookspecs, envpickle.manager
absent = [name for name in ("click", "cloudpickle", "dill", "rich", "hypothesis") if name in sys.modules]
print(envpickle.__version__, envpickle.__file__, absent)
"""


def test_the_core_brings_its_two_requirements_and_nothing_else(core: Path) -> None:
    assert listed(core) == {"envpickle", "msgpack", "pluggy"}
    run(*PIP, "--python", core, "check")


def test_every_public_name_of_the_core_is_there(core: Path, tmp_path: Path) -> None:
    version, where, absent = run(core, "-I", "-c", PROBE, cwd=tmp_path).strip().split(" ", 2)
    assert version == metadata.version("envpickle")
    assert Path(where).is_relative_to(core.parents[1])
    assert absent == "[]"


def test_the_command_says_what_it_lacks(core: Path, tmp_path: Path) -> None:
    command = subprocess.run([core.parent / "envpickle"], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert (command.returncode, "pip install 'envpickle[cli]'" in command.stderr) == (2, True)


def test_the_readme_s_program_runs_on_the_core_alone(core: Path, tmp_path: Path) -> None:
    """A class made in a script goes through a spawned worker and comes home as the same class."""
    program, printed = readme_program(ROOT / "README.md")
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    assert run(core, "train.py", cwd=tmp_path) == printed


CROSSING = """
import multiprocessing
import os
import sys
from collections import namedtuple

import envpickle


def where(cls):
    modules = [name for name in sys.modules if name.partition(".")[0].startswith("envpickle")]
    return cls, os.getpid(), [sys.modules[name].__file__ for name in modules]


if __name__ == "__main__":
    Point = envpickle.register(namedtuple("Point", "x y"))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        home, process, files = pool.apply(where, [Point])
    assert home is Point
    assert process != os.getpid()
    assert files
    print(*files, sep="\\n")
"""


def test_a_spawned_child_uses_the_installed_files(core: Path, tmp_path: Path) -> None:
    (tmp_path / "crossing.py").write_text(CROSSING, encoding="utf-8")
    files = run(core, "crossing.py", cwd=tmp_path).splitlines()
    assert [file for file in files if not Path(file).is_relative_to(core.parents[1])] == []


def test_plugins_import_in_an_environment_without_what_they_are_plugins_for(every: Path, tmp_path: Path) -> None:
    """Neither Ray nor TRL nor torch is there; each package is its wheel's, and nothing but Ray is missing."""
    assert not listed(every) & {"ray", "trl", "torch", "transformers", "openenv-core"}
    packages = [name.replace("-", "_") for name in SOURCES]
    probe = f"import {', '.join(packages)}; print(*(each.__file__ for each in ({', '.join(packages)})))"
    for file in run(every, "-I", "-c", probe, cwd=tmp_path).split():
        assert Path(file).is_relative_to(every.parents[1])
    check = subprocess.run([*PIP, "--python", every, "check"], capture_output=True, text=True, timeout=100)
    assert check.stdout.splitlines() == [f"envpickle-ray {metadata.version('envpickle')} requires ray, which is not installed."]


def test_the_command_has_the_plugins_commands(every: Path, tmp_path: Path) -> None:
    """Found through entry points of the installed distributions."""
    said = run(every.parent / "envpickle", "--help", cwd=tmp_path)
    assert {"explain", "inspect", "plugins", "preflight"} <= set(said.split())


CLIENT = """
import envpickle
import envpickle_openenv
import envpickle_ray
import envpickle_trl

owner: envpickle.Owner = envpickle.Owner()
settings = envpickle_openenv.server_settings("http://localhost:8000")
reveal_type(owner)
reveal_type(settings)
reveal_type(envpickle_trl.preflight)
envpickle.misspelt
"""


def test_a_type_checker_reads_the_installed_types(every: Path, tmp_path: Path) -> None:
    """`py.typed` is where a checker looks: it finds the types, and a misspelt name."""
    (tmp_path / "client.py").write_text(CLIENT, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, "--python-executable", every, "client.py"]
    said = subprocess.run(mypy, cwd=tmp_path, capture_output=True, text=True, timeout=110).stdout
    assert 'Revealed type is "envpickle.owner.Owner"' in said
    assert 'Module has no attribute "misspelt"' in said
    assert "Found 1 error in 1 file" in said, said


def test_everything_can_be_had_by_one_name(dist: Archives, core: Path) -> None:
    """Pip finds each of our names and a set of versions that all of them agree to; ours are the built ones."""
    report = run(
        *PIP, "--python", core, "install", "--dry-run", "--ignore-installed", "--quiet",
        "--find-links", dist.folder, "--report", "-", "envpickle[all]",
    )  # fmt: skip
    found = {canonicalize_name(one["metadata"]["name"]): one for one in json.loads(report)["install"]}
    assert set(SOURCES) <= set(found)
    for name in SOURCES:
        assert found[name]["download_info"]["url"] == dist.wheel(name).as_uri()
        assert found[name]["metadata"]["version"] == metadata.version("envpickle")
    assert {"click", "cloudpickle", "dill", "httpx", "ray", "rich", "websockets"} <= set(found)
