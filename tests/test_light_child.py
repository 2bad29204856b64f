"""A fresh child that loads a class imports three small modules of ours, msgpack, and nothing heavy on our account."""

import subprocess
import sys
from pathlib import Path

import pytest
from voyage.fresh import run, surroundings

HEAVY = [
    "pluggy",
    "importlib.metadata",
    "cloudpickle",
    "dill",
    "inspect",
    "dataclasses",
    "hashlib",
    "multiprocessing",
    "asyncio",
]
SENDER = """
import pickle, sys
from harbour import light
sys.stdout.buffer.write(pickle.dumps({shape}))
"""
CHILD = """
import json, os, pickle, sys
from pathlib import Path
data = Path(sys.argv[1]).read_bytes()
before = set(sys.modules)
got = pickle.loads(data)
after = set(sys.modules)
Path(os.environ["VOYAGE_REPORT"]).write_text(json.dumps(sorted(after - before)))
"""
SHAPES = {
    "class": "light.light(['lift'])",
    "instance": "light.light(['lift'])()",
    "tagged plain data": "light.light([{'a': (1, {2}), 'b': [None, 2**70, 1.5]}])",
    "twice, in a dict": "{'a': light.light(['lift']), 'b': [light.light(['lift']), light.light(['drop'])]}",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_loading_a_class_is_light(shape: str, tmp_path: Path) -> None:
    """None of the heavy modules is imported, at most three of the package's, and msgpack alone beside the standard library.

    What only some kinds of plain data need may be one module more, where they are there.
    """
    path = tmp_path / "payload"
    sent = subprocess.run(
        [sys.executable, "-c", SENDER.format(shape=SHAPES[shape])], env=surroundings(), capture_output=True, check=True
    )
    path.write_bytes(sent.stdout)

    imported = run(CHILD, str(path))

    assert [name for name in imported if name in HEAVY] == []
    ours = [name for name in imported if name.startswith("envpickle.")]
    assert len(ours) <= (5 if "tagged" in shape else 3), ours
    known = {"envpickle", "harbour", "msgpack", "cython_runtime", *sys.stdlib_module_names}  # Cython's is msgpack's
    assert [name for name in imported if name.split(".")[0] not in known and not name.startswith("_cython_")] == []


def test_importing_the_package_does_no_work() -> None:
    """`import envpickle` alone imports no module of ours and nothing of others."""
    seen = run("import sys; before = set(sys.modules); import envpickle; after = set(sys.modules)\n"
               "from voyage.fresh import report; report(sorted(after - before))")  # fmt: skip

    assert [name for name in seen if name.startswith("envpickle.")] == []
    assert {name.split(".")[0] for name in seen} <= {"envpickle", *sys.stdlib_module_names}
    assert not set(seen) & set(HEAVY)


def test_every_public_name_is_there() -> None:
    """Each name of `__all__` can be had, stands in `dir`, and an unknown one is Python's own error."""
    import envpickle

    assert sorted(envpickle.__all__) == list(envpickle.__all__)
    for name in envpickle.__all__:
        assert getattr(envpickle, name) is not None
        assert name in dir(envpickle)
    with pytest.raises(AttributeError, match="no_such_name"):
        envpickle.no_such_name
