"""Promise 9: what one build of msgpack wrote, another reads; all of them write the same bytes.

msgpack's own two codecs, in C and in Python, are always tried. `make codecs` installs further versions aside and names their
folders in `ENVPICKLE_TEST_MSGPACKS`.
"""

import os
import sys
from pathlib import Path

import pytest
from harbour import goldens
from voyage.fresh import SUPPORT, run

GOLDEN = SUPPORT.parent / "golden"
KEPT = GOLDEN / goldens.FORMAT / "python{}.{}".format(*sys.version_info)
CODECS = {"in Python": {"MSGPACK_PUREPYTHON": "1"}, "in C": {"MSGPACK_PUREPYTHON": ""}}
CODECS |= {path: {"PYTHONPATH": path} for path in filter(None, os.environ.get("ENVPICKLE_TEST_MSGPACKS", "").split(os.pathsep))}
PROGRAM = """
import sys
from pathlib import Path
import msgpack
from voyage.fresh import report
from harbour import golden_kinds, goldens

sys.path.insert(0, sys.argv[2])
import write

written = Path(sys.argv[1])
write.write(written)
kept = Path(sys.argv[3])
ours = [path for path in sorted(kept.iterdir()) if not any(theirs in path.name for theirs in golden_kinds.THEIR_PART)]
differing = [path.name for path in ours if (written / path.name).read_bytes() != path.read_bytes()]
report([msgpack.Packer.__module__, msgpack.__file__, differing, goldens.faults(kept)])
"""


@pytest.mark.parametrize("codec", CODECS)
def test_promise_9_every_codec_writes_and_reads_the_same(codec: str, tmp_path: Path) -> None:
    """The golden files of every kind come out byte for byte, and are read, whichever msgpack does it."""
    surroundings = dict(CODECS[codec])
    if "PYTHONPATH" in surroundings:
        surroundings["PYTHONPATH"] += os.pathsep + str(SUPPORT)
    module, file, differing, faults = run(PROGRAM, str(tmp_path), str(GOLDEN), str(KEPT), seconds=100, **surroundings)

    assert (differing, faults) == ([], [])
    assert module == ("msgpack.fallback" if codec == "in Python" else "msgpack._cmsgpack")
    assert "PYTHONPATH" not in CODECS[codec] or Path(file).is_relative_to(codec)
