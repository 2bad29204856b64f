"""Write the golden files of this Python and of the current format: `python tests/golden/write.py [FOLDER]`.

For each case of `harbour.goldens` a descriptor (`NAME.descriptor`), its JSON view (`NAME.json`) and a pickle of class and
instance (`NAME.pickle`, protocol 2, which every Python and torch read); beside the folders the opcodes of one pickle
(`dock.opcodes`). Run it when the format version changes, on every
Python supported; the files of older versions stay for as long as these are promised to be readable.
"""

import json
import pickle
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from harbour import goldens  # noqa: E402
from voyage import opcodes  # noqa: E402

import envpickle  # noqa: E402 - the path comes first


def write(folder: Path) -> None:
    """Write all cases into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in goldens.CASES.items():
        cls = make()
        spec = envpickle.describe(cls)
        view = spec.to_json()
        (folder / f"{name}.descriptor").write_bytes(spec.to_bytes())
        (folder / f"{name}.json").write_text(view if isinstance(view, str) else json.dumps(view))
        (folder / f"{name}.pickle").write_bytes(pickle.dumps([cls, goldens.instance(name, cls)], 2))


def write_opcodes(folder: Path) -> None:
    """Write the opcodes of one class's pickle, which are the same on every Python."""
    lines = opcodes.listing(pickle.dumps(goldens.CASES["dock"](), 2))
    (folder / "dock.opcodes").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    default = HERE / goldens.FORMAT / "python{}.{}".format(*sys.version_info)
    write(Path(sys.argv[1]) if sys.argv[1:] else default)
    if not sys.argv[1:]:
        write_opcodes(default.parent)
