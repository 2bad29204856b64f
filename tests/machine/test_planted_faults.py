"""Faults planted in a copy of the library are found: by the state machine, or by a named test.

Each is a change of one line; the text it replaces must stand exactly once in its file, so a fault goes stale loudly.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from tides.running import run_machine, run_test

import envpickle

LIBRARY = Path(envpickle.__file__).parent
SEED, STEPS = "7", "1200"
PROMISES = "tests/promises"


class Fault(NamedTuple):
    """One line of the library, and the faulty one in its place; `test` finds it where the machine is not made to."""

    file: str
    line: str
    planted: str
    test: str = ""


FAULTS = {
    "a subclass is answered for with its base's call": Fault(
        "reducing.py",
        "        raise unknown(cls, built)\n",
        "        return reduce_class(built[0]) if built else cls.__qualname__\n",
    ),
    "containers are not compared": Fault(
        "classes.py", 'and (not self.containers or later("snapshots").all_unchanged(self.containers))', "and True"
    ),
    "the builder may be another by now": Fault(
        "runtime.py", "    if record.builder.is_current() and record.intact(cls) and", "    if record.intact(cls) and"
    ),
    "the registry holds classes": Fault(
        "runtime.py", "_live: WeakValueDictionary[bytes, type] = WeakValueDictionary()", "_live: dict[bytes, type] = {}"
    ),
    "cells stay with the old class": Fault(
        "classes.py", "                    cell.cell_contents = new\n", "                    pass\n"
    ),
    "names are looked up before the list is": Fault(
        "trust.py",
        "    forbidden = sorted(set(names_in(spec)) - allowed)\n",
        "    forbidden = sorted(set(names_in(spec)) - allowed) if rebuild_class(head, *parts) else []\n",
        f"{PROMISES}/test_promise_5_only_builders.py::test_promise_5_the_allow_list_is_checked_before_import",
    ),
    "locks are not renewed after a fork": Fault(
        "runtime.py",
        "    _lock = RLock()\n    me = get_ident()\n",
        "    me = get_ident()\n",
        "tests/machine/test_forked.py::test_a_lock_that_was_taken_at_a_fork_is_free_in_the_child",
    ),
    "an owner's key is no part of the call": Fault(
        "payload.py", "said = [module, qualname, script, owner,", "said = [module, qualname, script, None,"
    ),
    "a call makes a second class": Fault(
        "runtime.py",
        "        found = _live.get(call.key)\n        if found is not None and",
        "        found = None\n        if found is not None and",
    ),
    "the surface is not compared": Fault(
        "payload.py", "    if cls.__name__ != name or record.surface != surface:\n", "    if cls.__name__ != name:\n"
    ),
}


def copied(to: Path) -> Path:
    """A folder with a copy of the library in it."""
    shutil.copytree(LIBRARY, to / "envpickle", ignore=shutil.ignore_patterns("__pycache__"))
    return to


def planted(fault: Fault, to: Path) -> Path:
    """The same with the fault in it."""
    file = copied(to) / "envpickle" / fault.file
    text = file.read_text(encoding="utf-8")
    assert text.count(fault.line) == 1, f"{fault.line!r} stands {text.count(fault.line)} times in {fault.file}: the code moved"
    file.write_text(text.replace(fault.line, fault.planted), encoding="utf-8")
    return to


def tried(library: Path, test: str) -> tuple[bool, str]:
    """Whether the library passes the machine or that test, and what was printed; it is the one tried."""
    where = library / "envpickle" / "__init__.py"
    if test:
        status, printed = run_test(test, library)
    else:
        status, printed = run_machine("--steps", STEPS, "--seed", SEED, "--at-once", seconds=100, library=library)
    assert f"envpickle is {where}" in printed, printed
    return status == 0, printed


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str, tmp_path: Path) -> None:
    """Each of these changes to the library makes the state machine or a named test fail.

    - a subclass is answered for with its base's call
    - containers are not compared
    - the builder may be another by now
    - the registry holds classes
    - cells stay with the old class
    - names are looked up before the list is
    - locks are not renewed after a fork
    - an owner's key is no part of the call
    - a call makes a second class
    - the surface is not compared
    """
    passed, printed = tried(planted(FAULTS[name], tmp_path), FAULTS[name].test)

    assert not passed, f"nothing found it:\n{printed}"
    assert "Error" in printed, printed


@pytest.mark.slow
@pytest.mark.parametrize("test", sorted({fault.test for fault in FAULTS.values()}))
def test_without_a_fault_nothing_is_found(test: str, tmp_path: Path) -> None:
    """The same machine with the same seed, and the same tests, pass on a copy that nothing was planted in."""
    passed, printed = tried(copied(tmp_path), test)

    assert passed, printed


def test_the_docstring_lists_the_faults() -> None:
    """What the docstring promises is planted."""
    listed = test_a_planted_fault_is_found.__doc__ or ""

    assert [line.strip("- ") for line in listed.splitlines() if "- " in line] == list(FAULTS)
