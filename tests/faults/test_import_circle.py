"""A build that waits for an import, which waits for that build, in two threads: refused in the importing one, never a hang."""

import pytest
from voyage.fresh import run

PROGRAM = """
import importlib, sys, threading, time
from voyage.fresh import report
from harbour import circling
import envpickle
from envpickle import errors

found, failed = {}, {}

def doing(name, call):
    def work():
        try:
            found[name] = call()
        except BaseException as error:
            failed[name] = type(error).__name__
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread

def told():
    return [list(entry[:2]) if isinstance(entry, tuple) else entry for entry in circling.HAPPENED]
"""

CIRCLE = """
module = "harbour." + sys.argv[1]
first = doing("building", lambda: circling.needing(module))
assert circling.ENTERED.wait(20)
second = doing("importing", lambda: importlib.import_module(module))
first.join(20)
second.join(20)
hung = [thread.name for thread in (first, second) if thread.is_alive()]
cls = found.get("building")
again = [circling.needing(module) is cls for _ in range(3)] if cls is not None and not hung else []
report(dict(hung=hung, failed=failed, told=told(), again=again, texts=[e[2] for e in circling.HAPPENED if len(e) == 3],
            value=getattr(found.get("importing"), "VALUE", None)))
"""

MODULES = {
    "circling_direct": "direct",
    "circling_through": "through",
    "circling_outer": ["outer", "inner", "harbour.circling"],
}


@pytest.mark.parametrize("module", MODULES)
def test_the_importing_thread_is_refused(module: str) -> None:
    """It gets BuildCycleError, the import goes on, and so does the build, whose class is the one for all later calls."""
    seen = run(PROGRAM + CIRCLE, module, seconds=60)

    assert seen["hung"] == []
    assert seen["failed"] == {}
    assert seen["told"] == [["importing", "refused"], "built"]
    assert seen["value"] == MODULES[module]
    assert seen["again"] == [True] * 3


def test_the_refusal_says_what_and_what_to_do() -> None:
    """The text names the builder, the import and the two ways out."""
    (text,) = run(PROGRAM + CIRCLE, "circling_direct", seconds=60)["texts"]

    for word in ("harbour.circling:needing", "import", "Do not call the builder at import"):
        assert word in text


def test_a_module_that_cannot_do_without_fails_in_both_threads() -> None:
    """Where the module does not catch the refusal its import fails with it, and so does the build, which needs the module."""
    seen = run(PROGRAM + CIRCLE, "circling_stubborn", seconds=60)

    assert seen["hung"] == []
    assert seen["failed"] == {"importing": "BuildCycleError", "building": "BuildCycleError"}
    assert seen["told"] == []


LOADING = """
circling.PAYLOAD.append(bytes.fromhex(sys.argv[1]))
first = doing("building", lambda: circling.needing("harbour.circling_loads"))
assert circling.ENTERED.wait(20)
second = doing("importing", lambda: importlib.import_module("harbour.circling_loads"))
first.join(20)
second.join(20)
report(dict(hung=[t.name for t in (first, second) if t.is_alive()], failed=failed, told=told()))
"""

BYTES = """
import pickle, sys, types
from voyage.fresh import report
from harbour import circling
circling.IMPORTING.set()
sys.modules["harbour.circling_loads"] = types.ModuleType("harbour.circling_loads")
report(pickle.dumps(circling.needing("harbour.circling_loads")).hex())
"""


def test_a_class_that_is_loaded_at_import_is_refused_as_well() -> None:
    """The same where the module unpickles the class instead of calling the builder."""
    seen = run(PROGRAM + LOADING, run(BYTES), seconds=60)

    assert seen == {"hung": [], "failed": {}, "told": [["importing", "refused"], "built"]}


WAITS = """
first = doing("building", lambda: circling.gated(1))
assert circling.ENTERED.wait(20)
second = doing("importing", lambda: importlib.import_module("harbour.circling_waits"))
assert circling.IMPORTING.wait(20)
time.sleep(1.6)   # several looks
circling.GATE.set()
first.join(20)
second.join(20)
report(dict(hung=[t.name for t in (first, second) if t.is_alive()], failed=failed, told=told(),
            same=found["importing"].MADE is found["building"]))
"""


def test_an_import_that_only_waits_for_a_build_gets_its_class() -> None:
    """A slow builder that imports nothing is no circle: the importing thread waits for it, however long."""
    seen = run(PROGRAM + WAITS, seconds=60)

    assert seen == {"hung": [], "failed": {}, "told": [["importing", "got it"]], "same": True}


MADE_MODULES = """
from importlib.machinery import ModuleSpec
class Making:
    # Finds a module whose import is a function of ours.
    def __init__(self, name, body): self.name, self.body = name, body
    def find_spec(self, name, path, target=None): return ModuleSpec(name, self) if name == self.name else None
    def create_module(self, spec): return None
    def exec_module(self, module): self.body(module)

def finish(*threads):
    [thread.join(20) for thread in threads]
    return [thread.name for thread in threads if thread.is_alive()]

def slow_body(module):
    circling.ENTERED.set()
    circling.GATE.wait(20)
    module.VALUE = "slow"
sys.meta_path.insert(0, Making("slow_module", slow_body))
"""

SLOW_IMPORT = """
circling.IMPORTING.set()
first = doing("building", lambda: circling.needing("slow_module"))
assert circling.ENTERED.wait(20)
others = [doing(f"waiting {n}", lambda: circling.needing("slow_module")) for n in range(3)]
time.sleep(1.6)
circling.GATE.set()
report(dict(hung=finish(first, *others), failed=failed, same=len(set(map(id, found.values()))),
            runs=circling.HAPPENED.count("built"), count=len(found)))
"""


def test_a_builder_that_imports_for_long_is_waited_for() -> None:
    """Threads that wait for a build while it imports, and import nothing themselves, get its class."""
    seen = run(PROGRAM + MADE_MODULES + SLOW_IMPORT, seconds=60)

    assert seen == {"hung": [], "failed": {}, "same": 1, "runs": 1, "count": 4}


OTHERS_IMPORT = """
def body(module):
    module.MADE = circling.call_at_import(lambda: circling.needing("slow_module"))
sys.meta_path.insert(0, Making("unrelated_module", body))
slow = doing("slow", lambda: importlib.import_module("slow_module").VALUE)
assert circling.ENTERED.wait(20)
circling.ENTERED.clear()
circling.IMPORTING.set()
first = doing("building", lambda: circling.needing("slow_module"))
assert circling.ENTERED.wait(20)
second = doing("importing", lambda: importlib.import_module("unrelated_module").MADE)
time.sleep(1.6)   # several looks
circling.GATE.set()
report(dict(hung=finish(slow, first, second), failed=failed, told=told(), same=found["importing"] is found["building"]))
"""


def test_a_build_that_waits_for_somebody_elses_import_is_no_circle() -> None:
    """A module that calls the builder at its import waits for a build that waits for a third thread's slow import."""
    seen = run(PROGRAM + MADE_MODULES + OTHERS_IMPORT, seconds=60)

    assert seen == {"hung": [], "failed": {}, "told": ["built", ["importing", "got it"]], "same": True}


CHAIN = """
THIRD = threading.Event()
def body(module):
    circling.IMPORTING.set()
    THIRD.wait(20)
    time.sleep(0.3)   # the third thread waits for the first by now
    module.MADE = circling.call_at_import(lambda: circling.through("chained_module"))
    module.VALUE = "chained"
sys.meta_path.insert(0, Making("chained_module", body))
first = doing("building", lambda: circling.needing("chained_module"))
assert circling.ENTERED.wait(20)
second = doing("importing", lambda: importlib.import_module("chained_module").VALUE)
assert circling.IMPORTING.wait(20)
third = doing("between", lambda: circling.through("chained_module"))
THIRD.set()
hung = finish(first, second, third)
report(dict(hung=hung, failed=failed, told=told(), value=found.get("importing"),
            same="between" in found and found["between"].inner() is found["building"]))
"""


def test_a_circle_over_two_builds_is_refused_too() -> None:
    """The import waits for a build, which waits for another build, which waits for the import: the import is refused."""
    seen = run(PROGRAM + MADE_MODULES + CHAIN, seconds=70)

    assert seen == {"hung": [], "failed": {}, "told": [["importing", "refused"], "built"], "value": "chained", "same": True}
