"""Find the interpreters that the cross-version tests can use: those that the Makefile installed the core into."""

import functools
import os
import subprocess
import sys
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13")
ROOT = Path(__file__).resolve().parents[3]
PROBE = "import attrs, deap, envpickle, marshmallow, msgspec, pydantic, sys; print('{}.{}'.format(*sys.version_info))"


def _version(python: str) -> str:
    """The minor version of an interpreter that has what the tests need, else ""."""
    try:
        done = subprocess.run([python, "-c", PROBE], cwd="/", capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


@functools.cache
def _found() -> dict[str, str]:
    listed = os.environ.get("ENVPICKLE_TEST_PYTHONS", "").split(os.pathsep)
    candidates = [sys.executable, *filter(None, listed), *sorted(map(str, ROOT.glob(".venv*/bin/python")))]
    return {_version(python): python for python in reversed(candidates)}


def python_for(version: str) -> str | None:
    """The path of an interpreter of that minor version with the core installed, or None.

    Looked for are this one, those that `ENVPICKLE_TEST_PYTHONS` lists, and the environments beside the Makefile.
    """
    return _found().get(version)
