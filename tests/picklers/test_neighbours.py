"""Living with the picklers' own machinery: dill imported late, reducers of others, a module the user sends by value."""

import copyreg
import pickle
import pickletools
from typing import Any

import cloudpickle
import pytest
from harbour import docks, foreign
from voyage.fresh import run

from envpickle import errors

LATE = """
import sys
from voyage.fresh import report
from harbour import docks
cls = docks.dock(["before"])
before = list(map(type, sys.meta_path))
assert "dill" not in sys.modules
import dill
after = list(map(type, sys.meta_path))
later = docks.yard(3)
found = [dill.loads(dill.dumps(sent)) is sent for sent in (cls, later, later.Slot, docks.dock)]
one = dill.loads(dill.dumps({"one": cls(3)}))["one"]
import importlib
importlib.reload(dill)
report(dict(found=found, one=type(one) is cls, ours=[k.__module__ for k in after if k.__module__.startswith("envpickle")],
            watched=any(k.__module__.startswith("envpickle") for k in before), again=dill.loads(dill.dumps(cls)) is cls))
"""


def test_dill_may_be_imported_after_a_class_was_built() -> None:
    """Classes built before and after dill's import travel by it, and nothing of ours stays on `sys.meta_path`."""
    seen = run(LATE, quiet=False)

    assert seen == {"found": [True] * 4, "one": True, "ours": [], "watched": True, "again": True}


NO_DILL = """
import sys
from voyage.fresh import report
sys.modules["dill"] = None
from harbour import docks
import pickle
cls = docks.dock(["without"])
try:
    import dill
    found = "imported"
except ImportError as error:
    found = str(error)
report([pickle.loads(pickle.dumps(cls)) is cls, "dill" in found])
"""


def test_dill_may_be_missing() -> None:
    """Where dill cannot be imported everything else works, and the error is Python's own."""
    assert run(NO_DILL) == [True, True]


def test_a_reducer_of_others_on_the_metaclass_still_answers() -> None:
    """For classes without a record the reducer registered before ours is asked; for a built class ours is."""
    built = foreign.built("x")
    plain = foreign.Reduced("Plain", (), {"number": 7})

    assert pickle.loads(pickle.dumps(plain)) == ("reduced by others", "Plain")
    assert pickle.loads(pickle.dumps(built)) is built
    assert pickle.loads(pickle.dumps([built, plain, built()]))[0] is built


def test_subclasses_of_a_class_with_anothers_reducer() -> None:
    """A subclass of a built class is refused, whatever another's reducer of its metaclass would make of it."""
    sub = type(foreign.built("x"))("Sub", (foreign.built("x"),), {"more": 1})

    with pytest.raises(errors.UnknownClass, match="Sub"):
        pickle.dumps(sub)


def test_nothing_of_the_picklers_is_patched() -> None:
    """Building and pickling leaves every function of pickle, copyreg and cloudpickle what it was."""
    assert run(UNPATCHED) == []


UNPATCHED = """
import copy, copyreg, io, pickle
import cloudpickle, cloudpickle.cloudpickle, multiprocessing.reduction
from voyage.fresh import report
modules = [copy, copyreg, pickle, cloudpickle, cloudpickle.cloudpickle, multiprocessing.reduction]
tables = {"dispatch_table", "dispatch", "_copyreg_dispatch", "extension_registry"}

def taken():
    found = {}
    for module in modules:
        for name, value in vars(module).items():
            found[module.__name__, name] = id(value)
            if isinstance(value, type):
                found.update({(module.__name__, name, key): id(v) for key, v in vars(value).items()
                              if not key.startswith("_abc_")})
    return found

before = taken()
from harbour import docks
cls = docks.dock(["x"])
for dumps in (pickle.dumps, cloudpickle.dumps):
    pickle.loads(dumps([cls, cls(1)]))
after = taken()
report(sorted(str(key) for key in after if before.get(key) not in (None, after[key])))
"""


def test_a_module_the_user_sends_by_value_is_sent_by_value() -> None:
    """`cloudpickle.register_pickle_by_value` is the user's wish: the class goes as cloudpickle sends classes, and works."""
    cloudpickle.register_pickle_by_value(docks)
    try:
        payload = cloudpickle.dumps(docks.dock(["wish"]))
    finally:
        cloudpickle.unregister_pickle_by_value(docks)

    assert pickle.loads(payload)(3).wish() == "wish crate at sea"


def test_the_pickle_names_two_things_of_ours() -> None:
    """The opcodes of a class's pickle load one global, `envpickle.payload.rebuild_class`, whatever the protocol."""
    for protocol in range(6):
        payload = pickle.dumps(docks.dock(["named"]), protocol)
        texts = [arg for op, arg, _ in pickletools.genops(payload) if isinstance(arg, str)]
        names = [text for text in texts if "envpickle" in text or "rebuild" in text]
        assert " ".join(names) == "envpickle.payload rebuild_class"
    assert copyreg.dispatch_table[type(docks.dock(["named"]))](docks.dock(["named"]))[0].__name__ == "rebuild_class"


def test_a_class_is_pickled_the_same_each_time() -> None:
    """Equal classes give equal bytes, from call to call and in a fresh process."""
    payloads: set[Any] = {pickle.dumps(docks.dock(["same"]), 5) for _ in range(5)}
    payloads.add(bytes.fromhex(run(SAME)))

    assert len(payloads) == 1


SAME = """
import pickle
from voyage.fresh import report
from harbour import docks
report(pickle.dumps(docks.dock(["same"]), 5).hex())
"""
