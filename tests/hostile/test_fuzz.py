"""A short run of the fuzzer, whose long runs are started by hand (tests/hostile/fuzz.py)."""

from typing import Any

from voyage.fresh import run

PROGRAM = """
import sys
from voyage import fuzzing
from voyage.fresh import report
report(fuzzing.run(30_000, int(sys.argv[1]), seconds=30))
"""


def test_bad_bytes_in_number() -> None:
    """Each is refused or harmless; the unpickler looks up no name that the inspection does not tell of; memory is bounded."""
    found: Any = run(PROGRAM, "7", seconds=110)

    assert found["wrong"] == []
    assert all(count > 300 for count in found["tried"].values()), found
    assert all(0 < found["accepted"][name] < count for name, count in found["tried"].items())


BLIND = """
from voyage import fuzzing
from voyage.fresh import report
from envpickle.inspecting import opcodes, values

opcodes.STEPS["INST"] = lambda self, data: self.push(values.PLAIN)  # an inspection that does not know one opcode
fuzzing.MEMORY = 1 << 30
try:
    found = fuzzing.run(30_000, 7, seconds=30)["wrong"]
except AssertionError as error:
    found = [str(error)]
report(found)
"""


def test_the_fuzzer_sees_an_inspection_that_looks_away() -> None:
    """With one opcode not followed, the names behind it are missed by the inspection and found by the comparison."""
    found: Any = run(BLIND, seconds=110)
    assert any("says nothing" in wrong for wrong in found)
