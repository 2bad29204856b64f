"""What the tests on a cluster share: `tests/cluster/support` and `tests/support` on the path of what they start."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ships.fleet import Fleet

HERE = Path(__file__).parent
for folder in (HERE / "support", HERE.parent / "support"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture(scope="session")
def fleet() -> "Iterator[Fleet]":
    """A cluster of two nodes, ``head`` and ``far``, which tests share: none may kill a node of it.

    As on two machines, no local line leads from the one to the other: each has a TMPDIR of its own.
    """
    from ships.fleet import Fleet

    aside = tempfile.mkdtemp(prefix="rt", dir="/tmp")
    with Fleet() as fleet:
        fleet.add("far", TMPDIR=aside)
        yield fleet
    shutil.rmtree(aside, ignore_errors=True)
