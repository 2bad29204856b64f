"""What the docs say of other people's scanners is what they say of our pickles (docs/how-to/untrusted-pickles.md)."""

from typing import Any

import pytest
from voyage.fresh import run

PROGRAM = """
import io, pickle, warnings
warnings.simplefilter("ignore")
from harbour import docks
from voyage import attacks, forge
from voyage.fresh import report
from fickling.analysis import check_safety
from fickling.fickle import Pickled
from fickling.ml import FicklingMLUnpickler
from picklescan.scanner import scan_pickle_bytes

cls = docks.dock(["lift"])
system = b"\\x80\\x04cos\\nsystem\\n" + attacks.text("true") + b"\\x85R."
data = {"class": pickle.dumps(cls), "instance": pickle.dumps([cls(3)]), "system": system,
        "forged": attacks.described(forge.forged("harbour.tripwire", "trap")) + b"."}
found = {}
for name, pickled in data.items():
    scanned = scan_pickle_bytes(io.BytesIO(pickled), name)
    said = sorted(f"{item.module}.{item.name} {item.safety.value}" for item in scanned.globals)
    found[name] = dict(picklescan=[scanned.issues_count, said], fickling=check_safety(Pickled.load(pickled)).severity.name)

def allowed(pickled, names):
    try:
        FicklingMLUnpickler(io.BytesIO(pickled), also_allow=names).load()
    except Exception as error:
        return type(error).__name__
    return "loaded"

pair = ["envpickle.payload.rebuild_class"]
found["fickling's list"] = [allowed(data["class"], []), allowed(data["class"], pair), allowed(data["instance"], pair),
                            allowed(data["system"], pair)]
import sys
found["before"] = "harbour.tripwire" in sys.modules
found["forged"] = allowed(data["forged"], pair)
found["after"] = "harbour.tripwire" in sys.modules
report(found)
"""


@pytest.fixture(scope="module")
def said() -> Any:
    return run(PROGRAM, quiet=False, seconds=100)


def test_picklescan_calls_ours_suspicious_and_passes_it(said: Any) -> None:
    """No issue is counted, so its exit status is 0; what is dangerous is counted."""
    for name in ("class", "instance"):
        assert said[name]["picklescan"] == [0, ["envpickle.payload.rebuild_class suspicious"]]
    assert said["system"]["picklescan"] == [1, ["os.system dangerous"]]


def test_fickling_calls_ours_likely_unsafe(said: Any) -> None:
    """As it calls every name that is not of the standard library."""
    assert said["class"]["fickling"] == said["instance"]["fickling"] == "LIKELY_UNSAFE"
    assert said["system"]["fickling"] == "LIKELY_OVERTLY_MALICIOUS"


def test_ficklings_list_takes_the_exact_name(said: Any) -> None:
    """With it our classes load and other names do not."""
    refused, loaded, instance, other = said["fickling's list"]
    assert (loaded, instance) == ("loaded", "loaded")
    assert refused == other == "UnsafeFileError"


def test_a_list_of_names_does_not_check_descriptors(said: Any) -> None:
    """What a list of names cannot see: which builder a descriptor names. With fickling's list any module is imported for it."""
    assert (said["before"], said["after"]) == (False, True)
