"""What is published: an sdist and a wheel of each distribution, which hold that distribution alone, and the same each time."""

import os
import sys
import tarfile
from pathlib import Path

from packaging.metadata import Metadata
from packaging.requirements import Requirement
from readme_renderer import markdown
from slipway import ROOT, SOURCES, Archives, make_dist, run

TRUNK = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml", ".gitignore"}


def package(name: str) -> Path:
    return SOURCES[name] / name.replace("-", "_")


def test_every_distribution_is_built(dist: Archives) -> None:
    assert len(SOURCES) == 4
    assert len(list(dist.folder.iterdir())) == 2 * len(SOURCES)


def test_a_wheel_holds_every_module_and_nothing_else(dist: Archives, name: str) -> None:
    files = {file for file in dist.inside(name) if ".dist-info/" not in file}
    modules = {str(path.relative_to(SOURCES[name])) for path in package(name).rglob("*.py")}
    assert files == modules | {f"{package(name).name}/py.typed"}


def test_an_sdist_holds_its_distribution_alone(dist: Archives, name: str) -> None:
    with tarfile.open(dist.sdist(name)) as archive:
        files = [Path(*Path(member.name).parts[1:]) for member in archive.getmembers()]
    top = {file.parts[0] for file in files}
    assert top == {package(name).name, *TRUNK, *(["CHANGELOG.md"] if name == "envpickle" else [])}
    assert {str(file) for file in files if file.suffix == ".py"} == {
        str(path.relative_to(SOURCES[name])) for path in package(name).rglob("*.py")
    }


def test_the_sdist_makes_the_wheel_that_the_checkout_makes(dist: Archives, name: str, tmp_path: Path) -> None:
    """The published wheel was built from the unpacked sdist; nothing that the sdist leaves out would change it."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=SOURCES[name])
    assert Archives(tmp_path).inside(name) == dist.inside(name)


def test_the_same_commit_gives_the_same_bytes(dist: Archives, tmp_path: Path) -> None:
    """Built again, by somebody with another umask and in another time zone."""
    before = os.umask(0o077)
    try:
        again = make_dist(tmp_path / "again", TZ="Asia/Tokyo")
    finally:
        os.umask(before)
    for archive in dist.folder.iterdir():
        assert (again.folder / archive.name).read_bytes() == archive.read_bytes(), archive.name


def test_the_metadata_are_valid_and_say_what_a_user_must_know(dist: Archives, name: str) -> None:
    said = Metadata.from_email(dist.about(name, "METADATA"), validate=True)
    assert (said.name, said.license_expression, said.license_files) == (name, "Apache-2.0", ["LICENSE"])
    assert str(said.requires_python) == ">=3.11"
    assert "Typing :: Typed" in (said.classifiers or [])
    assert dist.about(name, "licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_the_readme_can_be_shown(dist: Archives, name: str) -> None:
    """What an index shows of a distribution is its README, rendered as PyPI does."""
    said = dist.metadata(name)
    assert said["Description-Content-Type"] == "text/markdown"
    shown = markdown.render(said.get_payload(), stream=None)
    assert shown
    assert f">{name}<a" in shown.partition("</h1>")[0]  # the heading, with a link to itself


def test_the_core_requires_pluggy_and_msgpack_and_nothing_else(dist: Archives) -> None:
    requirements = [Requirement(text) for text in dist.metadata("envpickle").get_all("Requires-Dist", [])]
    required = {one.name: str(one.specifier) for one in requirements if "extra" not in str(one.marker or "")}
    assert set(required) == {"pluggy", "msgpack"}
    assert required["msgpack"] == ">=1.2.4"


def test_the_core_has_an_extra_for_each_plugin_and_one_for_all(dist: Archives) -> None:
    said = dist.metadata("envpickle")
    plugins = {name.removeprefix("envpickle-") for name in SOURCES if name != "envpickle"}
    extras = set(said.get_all("Provides-Extra", []))
    assert extras == {"cli", "cloudpickle", "dill", "explain", "all"} | plugins
    requirements = [Requirement(text) for text in said.get_all("Requires-Dist", [])]
    everything = {one.name for one in requirements if one.marker and one.marker.evaluate({"extra": "all"})}
    assert everything == {"click", "cloudpickle", "dill", "rich", *SOURCES} - {"envpickle"}


def test_entry_points_are_as_in_the_checkout(dist: Archives) -> None:
    assert b"[console_scripts]\nenvpickle = envpickle.cli:main\n" in dist.about("envpickle", "entry_points.txt")
    assert b"[envpickle.commands]\npreflight = envpickle_trl.cli:preflight" in dist.about("envpickle-trl", "entry_points.txt")
