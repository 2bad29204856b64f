"""The installed versions, against those the tests were run with."""

from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec

from ..report import Finding
from ..setups import Setup
from ..supported import PACKAGES, Supported, version_of

NAME = "versions"
FINDINGS = {
    "versions.missing": "A package that training needs is not installed.",
    "versions.untested": "A package's version is outside what the tests were run against.",
}


def check(setup: Setup) -> Iterator[Finding]:
    """Look up every package of `envpickle_trl.supported`; a server's own version is looked up with its flags."""
    for package in PACKAGES.values():
        if package.package == "vllm" and not setup.asynchronous:
            continue
        found = installed(package)
        if found is not None:
            yield from untested(package, package.package, found)
        elif find_spec(package.package) is None:
            yield _missing(package.package, package.shown)
    if setup.asynchronous and find_spec("kernels") is None:
        yield _missing("kernels", "trl[kernels]")


def installed(package: Supported) -> str | None:
    """Look up the version of a package by the names it is installed under."""
    for distribution in package.distributions:
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return None


def untested(package: Supported, subject: str, found: str) -> Iterator[Finding]:
    """Compare one version: older ones lack what is needed, newer ones were not tried."""
    numbers = version_of(found)
    if numbers and not package.at_least <= numbers < package.below:
        old = numbers < package.at_least
        yield Finding(
            "versions.untested",
            subject,
            "error" if old else "warning",
            f"It is version {found}; envpickle-trl was tested with {package.shown}.",
            f'Install "{package.shown}"' + ("." if old else ", or see whether a newer envpickle-trl names this version."),
        )


def _missing(package: str, requirement: str) -> Finding:
    return Finding(
        "versions.missing",
        package,
        "error",
        f"{package} cannot be imported here, and the trainer's process needs it.",
        f'pip install "{requirement}"',
    )
