"""Promise 9: what one Python wrote, another reads: descriptors and pickles, there and back."""

import itertools
import sys
from pathlib import Path

import pytest
from harbour import golden_kinds, goldens
from voyage.fresh import SUPPORT, run
from voyage.pythons import VERSIONS, python_for

GOLDEN = SUPPORT.parent / "golden"
WRITTEN = sorted(GOLDEN.glob("v*/python*"))


@pytest.mark.parametrize("folder", WRITTEN, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_promise_9_golden_files_are_read(folder: Path) -> None:
    """The kept descriptors and pickles of every format version and Python give the classes they gave."""
    assert goldens.faults(folder) == []


def test_promise_9_golden_files_are_there() -> None:
    """There is a golden folder of the current format for each Python, and no case is missing from any."""
    assert {folder.name for folder in WRITTEN if folder.parent.name == goldens.FORMAT} >= {f"python{v}" for v in VERSIONS}
    for folder in WRITTEN:
        assert {path.stem for path in folder.glob("*.descriptor")} >= set(goldens.CASES)


@pytest.mark.parametrize("name", goldens.CASES)
def test_promise_9_every_python_writes_the_same_bytes(name: str) -> None:
    """A spec has the same bytes on every Python, whatever made the class."""
    written = {folder.joinpath(f"{name}.descriptor").read_bytes() for folder in WRITTEN if folder.parent.name == goldens.FORMAT}

    assert len(written) == 1


WRITE = """
import runpy, sys
from voyage.fresh import report
sys.argv = [sys.argv[2], sys.argv[1]]
runpy.run_path(sys.argv[0], run_name="__main__")
report(None)
"""
READ = """
import sys
from pathlib import Path
from voyage.fresh import report
from harbour import goldens
report(goldens.faults(Path(sys.argv[1])))
"""


def test_promise_9_what_is_written_now_is_what_was_written(tmp_path: Path) -> None:
    """This Python writes the golden descriptors of the current format byte for byte: nothing changed without a new version."""
    run(WRITE, str(tmp_path), str(GOLDEN / "write.py"))
    kept = GOLDEN / goldens.FORMAT / "python{}.{}".format(*sys.version_info)

    for name in [name for name in goldens.CASES if not any(theirs in name for theirs in golden_kinds.THEIR_PART)]:
        assert (tmp_path / f"{name}.descriptor").read_bytes() == (kept / f"{name}.descriptor").read_bytes(), name
        assert (tmp_path / f"{name}.json").read_text() == (kept / f"{name}.json").read_text(), name


PAIRS = [pair for pair in itertools.product(VERSIONS, VERSIONS) if pair[0] != pair[1]]


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_promise_9_one_python_reads_what_another_wrote_now(writer: str, reader: str, tmp_path: Path) -> None:
    """Descriptors and pickles written by one Python just now load on another, where both are installed."""
    there, here = python_for(writer), python_for(reader)
    if there is None or here is None:
        pytest.skip(f"no Python {writer if there is None else reader} with the core installed was found")
    run(WRITE, str(tmp_path), str(GOLDEN / "write.py"), python=there)

    assert run(READ, str(tmp_path), python=here) == []
