"""CPython's own tests of pickle: nothing new fails with envpickle about, and our unpickler passes those that apply."""

import importlib.util
from typing import Any

import pytest
from voyage import pickletests
from voyage.fresh import run

PROGRAM = """
import sys
from voyage import pickletests
from voyage.fresh import report
report(getattr(pickletests, sys.argv[1])())
"""


@pytest.fixture(autouse=True)
def _theirs() -> None:
    assert importlib.util.find_spec("test.pickletester"), "this Python was installed without its own tests"


@pytest.mark.slow
def test_nothing_new_fails_with_envpickle_about() -> None:
    """All of test_pickle, after classes of several metaclasses were built: what fails here fails in a bare process too."""
    found: Any = run(PROGRAM, "with_envpickle_about", seconds=115, quiet=False)

    assert found["ran"] > 500
    if found["failed"]:
        assert set(found["failed"]) <= set(run(PROGRAM, "bare", seconds=115, quiet=False)["failed"])


@pytest.mark.slow
def test_the_allow_listed_unpickler_passes_what_applies() -> None:
    """All that unpickles, but for tests listed with the reason why they do not apply; nothing is listed that passes."""
    found: Any = run(PROGRAM, "against_ours", seconds=115, quiet=False)
    failed = {name.rpartition(".")[2] for name in found["failed"]}
    listed = {name for names in pickletests.NOT_OURS.values() for name in names}

    assert found["ran"] > 140
    assert failed <= listed, failed - listed
    newer = {"test_custom_find_class", "test_find_class", "test_bytes_memoization", "test_bytearray_memoization"}
    newer |= {"test_recursive_nested_names2", "test_bad_ext_code", "test_bad_ext_inverted_registry", "test_load_global"}
    newer |= {"test_load_stack_global", "test_pickle_setstate_None", "test_buffers_numpy", "test_proto"}
    assert listed - failed <= newer, "listed as not applying, and it passes"
