"""The public face of the plugin: documented, light to import, and errors that travel."""

import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import envpickle_trl
from envpickle.errors import EnvpickleError
from envpickle_trl import errors

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference" / "trl.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", envpickle_trl.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert (getattr(envpickle_trl, name).__doc__ or "").strip()
    assert re.search(rf"auto\w+:: envpickle_trl\.{name}\b", REFERENCE)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_survives_pickling(name: str) -> None:
    error = getattr(errors, name)("what happened", exitcode=-9, subjects=("a", "b"))
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert isinstance(copy, EnvpickleError)
    assert (str(copy), vars(copy)) == (str(error), vars(error))


def test_importing_it_imports_no_trainer() -> None:
    """Neither the package nor any name of it but the checks that ask for one."""
    program = (
        "import sys, envpickle_trl\n"
        "for name in envpickle_trl.__all__: getattr(envpickle_trl, name)\n"
        "print([name for name in ('trl', 'torch', 'transformers', 'vllm', 'datasets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
