"""What is published: wheel and sdist hold the core alone, need two distributions, and work in an empty place."""

import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a command, which must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(source: Path, target: Path, kind: str) -> Path:
    """Build one archive with the backend itself, so that nothing is downloaded."""
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", target, cwd=source)
    (archive,) = target.iterdir()
    return archive


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as an installer makes it: from the unpacked sdist, not from the checkout."""
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    return build(source, tmp_path_factory.mktemp("wheel"), "wheel")


def wheel_metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_sdist_holds_the_core_alone(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = [Path(*Path(member.name).parts[1:]) for member in archive.getmembers()]
    files = {"CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml", ".gitignore"}
    assert {name.parts[0] for name in names} == {"envpickle", *files}


def test_wheel_holds_every_module_of_the_core_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "envpickle").rglob("*.py")}
    assert names == modules | {"envpickle/py.typed"}


def test_wheel_requires_pluggy_and_msgpack_and_nothing_else(wheel: Path) -> None:
    requirements = [Requirement(text) for text in wheel_metadata(wheel).get_all("Requires-Dist", [])]
    required = {one.name: str(one.specifier) for one in requirements if "extra" not in str(one.marker or "")}
    assert set(required) == {"pluggy", "msgpack"}
    assert required["msgpack"] == ">=1.2.4"


def test_wheel_declares_the_extras_and_the_license(wheel: Path) -> None:
    declared = wheel_metadata(wheel)
    extras = {"cli", "cloudpickle", "dill", "explain", "openenv", "trl", "ray", "all"}
    assert set(declared.get_all("Provides-Extra", [])) == extras
    assert declared["License-Expression"] == "Apache-2.0"
    assert declared["Requires-Python"] == ">=3.11"


def copy_distribution(name: str, site: Path) -> None:
    """Copy an installed distribution into another environment, file by file, without an index."""
    for file in metadata.files(name) or ():
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        target = site / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(file.locate()), target)


PROBE = """
import sys
import envpickle
for name in envpickle.__all__:
    getattr(envpickle, name)
import envpickle.payload, envpickle.hookspecs, envpickle.manager
absent = [name for name in ("click", "cloudpickle", "dill", "rich", "hypothesis") if name in sys.modules]
print(envpickle.__version__, envpickle.__file__, absent)
"""


def test_wheel_works_in_an_environment_with_its_two_requirements_alone(wheel: Path, tmp_path: Path) -> None:
    """Installed from the built file: every public name loads, and pip finds nothing missing."""
    home = tmp_path / "empty"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    for name in ("pluggy", "msgpack"):
        copy_distribution(name, site)
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check")
    run(*pip, "install", "--no-index", "--quiet", wheel, cwd=tmp_path)
    run(*pip, "check", cwd=tmp_path)

    version, where, absent = run(python, "-I", "-c", PROBE, cwd=tmp_path).strip().split(" ", 2)
    assert version == metadata.version("envpickle")
    assert Path(where).is_relative_to(home)
    command = subprocess.run([home / "bin" / "envpickle"], capture_output=True, text=True, timeout=100)
    assert (command.returncode, "pip install 'envpickle[cli]'" in command.stderr) == (2, True)
    assert absent == "[]"
