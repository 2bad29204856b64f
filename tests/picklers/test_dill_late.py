"""dill, looked for, imported late, imported badly or from a thread: it is taught once it is there, and the watch is gone."""

import pytest
from voyage.fresh import run

PROGRAM = """
import importlib, importlib.util, pickle, sys, threading
from voyage.fresh import report
from harbour import docks, metas

def watches():
    return sum(type(finder).__module__.startswith("envpickle") for finder in sys.meta_path)

def outcome(dill, built):
    more = [docks.yard(4), docks.yard(4).Slot, docks.yard(4).Slot.Label, docks.dock, metas.of("Calling", 9)]
    same = [dill.loads(dill.dumps(sent)) is sent for sent in (built, *more)]
    named = [b"rebuild_class" in dill.dumps(sent) for sent in (built, [built], built(1), lambda: built)]
    closure = dill.loads(dill.dumps(lambda: built))() is built
    return [all(same), all(named), closure, type(dill.loads(dill.dumps(built(2)))) is built, watches()]

built = docks.dock(["before"])
pickle.loads(pickle.dumps(built))
assert "dill" not in sys.modules and watches() == 1
"""

GOOD = [True, True, True, True, 0]

WAYS = {
    "just imported": "import dill",
    "looked for first": "assert importlib.util.find_spec('dill').name == 'dill'; assert watches() == 1; import dill",
    "looked for often": "[importlib.util.find_spec('dill') for _ in range(9)]; assert watches() == 1; import dill",
    "looked for by all finders": """
specs = [finder.find_spec("dill", None) for finder in list(sys.meta_path)]
assert any(specs)
import dill
""",
    "looked for, with a submodule": "assert importlib.util.find_spec('dill._dill') is not None; import dill",
    "a submodule first": "import dill._dill; import dill",
    "from a submodule": "from dill import _dill; import dill",
    "by import_module": "dill = importlib.import_module('dill')",
    "made by hand from the spec": """
spec = importlib.util.find_spec("dill")
dill = importlib.util.module_from_spec(spec)
sys.modules["dill"] = dill
spec.loader.exec_module(dill)
""",
    "in a thread": """
found = importlib.util.find_spec("dill")
worker = threading.Thread(target=importlib.import_module, args=("dill",))
worker.start()
worker.join(20)
dill = sys.modules["dill"]
""",
    "in threads at once": """
barrier = threading.Barrier(4)
def bring_in():
    barrier.wait()
    importlib.import_module("dill")
workers = [threading.Thread(target=bring_in) for _ in range(4)]
[worker.start() for worker in workers]
[worker.join(20) for worker in workers]
dill = sys.modules["dill"]
""",
    "missing at first": """
sys.modules["dill"] = None
try:
    import dill
except ImportError:
    del sys.modules["dill"]
import dill
""",
    "failing at first": """
class Failing:
    def find_spec(self, name, path, target=None):
        if name == "dill.__info__" or name == "dill._dill":
            raise ImportError("not yet")
sys.meta_path.insert(0, failing := Failing())
try:
    import dill
except ImportError:
    sys.meta_path.remove(failing)
assert "dill" not in sys.modules and watches() == 1
import dill
""",
    "looked for before more classes are built": """
importlib.util.find_spec("dill")
docks.dock(["late"]); docks.abstract_dock("more"); metas.of("Calling", 9)
import dill
""",
    "reloaded": "importlib.util.find_spec('dill'); import dill; importlib.reload(dill); importlib.reload(dill)",
}


@pytest.mark.parametrize("way", WAYS)
def test_dill_is_taught_however_it_comes(way: str) -> None:
    """Classes built before and after travel by dill as calls, and nothing of ours stays on `sys.meta_path`."""
    assert run(f"{PROGRAM}\n{WAYS[way]}\nreport(outcome(dill, built))", quiet=False) == GOOD


LOOKS = {
    "find_spec": "importlib.util.find_spec('dill')",
    "find_spec of a part": "importlib.util.find_spec('dill.source')",
    "its version": "import importlib.metadata; importlib.metadata.version('dill'); importlib.util.find_spec('dill')",
}

LOOKED = """
import subprocess
child = "import pickle, sys; found = pickle.loads(sys.stdin.buffer.read()); print(found.__name__, found(1).describe())"
def seen_there(payload):
    return subprocess.run([sys.executable, "-c", child], input=payload, capture_output=True, check=True).stdout.decode().split()
import dill
report([seen_there(dill.dumps(built)), watches()])
"""


@pytest.mark.parametrize("look", LOOKS)
def test_a_class_that_dill_sends_arrives_after_somebody_only_looked(look: str) -> None:
    """A fresh process that has only the builder's module loads what dill sent, as transformers' own look leaves it."""
    seen = run(f"{PROGRAM}\n{LOOKS[look]}\n{LOOKED}", quiet=False)

    assert seen == [["Dock", "sea", "1", "1"], 0]


SPEC = """
spec = importlib.util.find_spec("dill")
import dill
report([spec.origin == dill.__file__, list(spec.submodule_search_locations) == list(dill.__path__), dill.__spec__.name,
        type(dill.__loader__).__module__, type(dill.__spec__.loader).__module__, "_dill" in dill.__loader__.get_source("dill")])
"""


def test_dill_itself_is_left_as_python_loads_it() -> None:
    """Spec, loader, origin and path of the module are those that Python's own finder gives it."""
    seen = run(PROGRAM + SPEC, quiet=False)

    assert seen[:3] == [True, True, "dill"]
    assert not any(module.startswith("envpickle") for module in seen[3:5])
    assert seen[5]
