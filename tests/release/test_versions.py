"""One version: of the four distributions, of the package that says it, and of the changelog, which is in order."""

import re
import tomllib
from datetime import date
from importlib import metadata

from packaging.requirements import Requirement
from packaging.version import Version
from slipway import ROOT, SOURCES

import envpickle

HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\S+))?$", re.MULTILINE)
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Known gaps"]  # Keep a Changelog's, and one of ours


def project(name: str) -> dict[str, object]:
    return tomllib.loads((SOURCES[name] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_distribution_has_the_same_version() -> None:
    assert {name: project(name)["version"] for name in SOURCES} == dict.fromkeys(SOURCES, envpickle.__version__)
    assert metadata.version("envpickle") == envpickle.__version__


def test_plugins_ask_for_the_version_they_are_released_with() -> None:
    """They share one changelog and one set of tests: an older core beside a newer plugin was never tried."""
    for name in SOURCES:
        declared = project(name)
        extras = declared.get("optional-dependencies", {})
        assert isinstance(extras, dict)
        asked = [*declared["dependencies"], *(one for extra in extras.values() for one in extra)]  # type: ignore[misc]
        ours = [one for text in asked if (one := Requirement(text)).name in SOURCES]
        wanted = "" if name == "envpickle" else f">={envpickle.__version__}"  # its extras bring whatever fits it
        assert {str(one.specifier) for one in ours} == {wanted}, name


def test_the_changelog_is_in_order() -> None:
    """Unreleased first, then one heading a release, the newest first, none newer than what is built."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, *releases = HEADING.finditer(text)
    assert (first["version"], first["date"]) == ("Unreleased", None)
    versions = [Version(heading["version"]) for heading in releases]
    days = [date.fromisoformat(heading["date"]) for heading in releases]
    assert versions == sorted(set(versions), reverse=True)
    assert days == sorted(days, reverse=True)
    assert all(version <= Version(envpickle.__version__) for version in versions)
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == 1 + len(releases)


def test_the_changelog_names_each_kind_of_change_once() -> None:
    for part in HEADING.split((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))[3::3]:
        kinds = re.findall(r"^### (.+)$", part, re.MULTILINE)
        assert kinds
        assert kinds == [kind for kind in KINDS if kind in kinds]
