"""One class gives the same bytes in every process, whatever the hash seed; where it does not, the opcodes show how."""

import pickle

import pytest
from harbour import goldens
from voyage import opcodes
from voyage.fresh import SUPPORT, run

KEPT = SUPPORT.parent / "golden" / goldens.FORMAT / "dock.opcodes"
TOOLS = ("pickle:0", "pickle:2", "pickle:5", "pure:4", "forking", "cloudpickle", "dill")
PROGRAM = """
import sys
from voyage import picklers
from voyage.fresh import report
from harbour import goldens

written = {}
for tool in sys.argv[1:]:
    for name, make in goldens.CASES.items():
        cls = make()
        written[f"{name} by {tool}"] = picklers.dumps(tool, cls).hex()
report([hash("seed"), written])
"""


def written(seed: str) -> tuple[int, dict[str, str]]:
    """The hash of a text, and the pickles of every kind of class, as a fresh process with that hash seed has them."""
    found: tuple[int, dict[str, str]] = run(PROGRAM, *TOOLS, seconds=100, PYTHONHASHSEED=seed)
    return found


def test_two_processes_write_the_same_bytes() -> None:
    """Processes with different hash seeds pickle each kind of class to the same bytes, with every pickler."""
    (hash_here, one), (hash_there, other) = written("1"), written("4242")
    assert hash_here != hash_there
    assert len(one) == len(goldens.CASES) * len(TOOLS)

    differing = [name for name in one if one[name] != other[name]]
    shown = [opcodes.difference(bytes.fromhex(one[name]), bytes.fromhex(other[name]), (name, name)) for name in differing]
    assert not differing, "\n\n".join(shown)


def test_the_opcodes_of_a_class_are_those_kept() -> None:
    """A class's pickle is, opcode for opcode, what it was when the format was settled, on every Python."""
    now = opcodes.listing(pickle.dumps(goldens.CASES["dock"](), 2))

    assert now == KEPT.read_text(encoding="utf-8").splitlines()


def test_a_difference_is_shown_by_its_opcodes() -> None:
    """Two pickles that differ in one value differ in one line, and equal ones in none."""
    one, other = pickle.dumps({"a": [1, 2]}, 2), pickle.dumps({"a": [1, 3]}, 2)

    assert opcodes.difference(one, one) == ""
    lines = opcodes.difference(one, other).splitlines()
    assert [line for line in lines if line[:1] in "+-" and line[1:2] not in "+-"] == ["-BININT1 2", "+BININT1 3"]


@pytest.mark.parametrize("protocol", range(6))
def test_bytes_do_not_depend_on_what_came_before(protocol: int) -> None:
    """Sent once, sent after a trip home, and sent after others: the bytes are the same."""
    cls = goldens.CASES["nested"]()
    first = pickle.dumps(cls, protocol)
    pickle.dumps([goldens.CASES["dock"](), cls], protocol)
    assert pickle.loads(first) is cls

    again = pickle.dumps(cls, protocol)
    assert again == first, opcodes.difference(first, again)
