"""Truncation at every byte and every single-bit flip is refused; nothing is imported, opened or run."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from voyage.fresh import run, surroundings

WRITE = """
import copyreg, json, sys
import envpickle
from harbour import docks
owner = envpickle.Owner()
cls = {
    "plain": lambda: docks.dock(["lift", "drop"]),
    "owned": lambda: owner.build(docks.lighthouse, {"a": [1, (2.5, None)], "b": {"x", "y"}, "c": 2**70}),
    "nested": lambda: docks.lighthouse([docks.dock(["inner"]), docks.make_method]),
}[sys.argv[1]]()
function, (head, *parts) = copyreg.dispatch_table[type(cls)](cls)
assert function.__name__ == "rebuild_class"
spec = envpickle.describe(cls).to_bytes()
print(json.dumps(dict(spec=spec.hex(), head=head.hex(), parts=[part.hex() for part in parts])))
"""
ATTACK = """
import sys
from voyage import watched
from voyage.fresh import report
import envpickle
from envpickle.payload import rebuild_class

watched.install()
watched.limit_memory(400 << 20)
spec, head, parts = watched.payloads(sys.argv[1])
make = {"truncations": watched.truncations, "bits": watched.bits}[sys.argv[2]]
found = [watched.survey({"spec": make(spec)}, envpickle.rebuild)]
found.append(watched.survey({"from_bytes": make(spec)}, envpickle.Spec.from_bytes))
found.append(watched.survey({"head": make(head)}, lambda data: rebuild_class(data, *parts)))
for index in range(len(parts)):
    def call(data, index=index):
        return rebuild_class(head, *parts[:index], data, *parts[index + 1:])
    found.append(watched.survey({f"part {index}": make(parts[index])}, call))
missing = [watched.attempt(lambda n=n: rebuild_class(head, *parts[:n])) for n in range(len(parts))]
swapped = [watched.attempt(lambda: rebuild_class(head, *parts[::-1]))] if len(parts) > 1 else []
doubled = [watched.attempt(lambda: rebuild_class(head, *parts, parts[-1]))] if parts else []
imported = "harbour.docks" in sys.modules
good = rebuild_class(head, *parts)
report(dict(count=sum(f["count"] for f in found), wrong=[w for f in found for w in f["wrong"]], events=watched.events[:20],
            missing=missing + swapped + doubled, imported=imported, good=good.__name__,
            agrees=envpickle.rebuild(spec) is good))
"""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Good payloads, written by another process."""
    folder = tmp_path_factory.mktemp("payloads")

    def written(shape: str) -> Path:
        path = Path(folder, shape)
        if not path.exists():
            program = [sys.executable, "-c", WRITE, shape]
            path.write_text(subprocess.run(program, env=surroundings(), capture_output=True, check=True, text=True).stdout)
        return path

    return written


@pytest.mark.parametrize("damage", ["truncations", "bits"])
@pytest.mark.parametrize("shape", ["plain", "owned", "nested"])
def test_damaged_descriptors_are_refused(good: Any, shape: str, damage: str) -> None:
    """Each damaged descriptor, head and part is an EnvpickleError; the good one still loads afterwards."""
    seen = run(ATTACK, str(good(shape)), damage, seconds=110)

    assert seen["wrong"] == []
    assert seen["events"] == []
    assert seen["missing"] == [""] * len(seen["missing"])
    assert not seen["imported"]
    assert seen["good"] in ("Dock", "Lighthouse")
    assert seen["agrees"]
    assert seen["count"] > 300


HOT = """
import sys
from voyage import watched
from voyage.fresh import report
from envpickle.payload import rebuild_class

watched.install()
spec, head, parts = watched.payloads(sys.argv[1])
cls = rebuild_class(head, *parts)
before = dict(vars(cls))
inputs = {"head": watched.bits(head)}
found = [watched.survey(inputs, lambda data: rebuild_class(data, *parts))]
for index in range(len(parts)):
    def call(data, index=index):
        return rebuild_class(head, *parts[:index], data, *parts[index + 1:])
    found.append(watched.survey({f"part {index}": watched.bits(parts[index])}, call))
report(dict(wrong=[w for f in found for w in f["wrong"]], events=watched.events[:20], same=rebuild_class(head, *parts) is cls,
            untouched=all(vars(cls)[k] is v for k, v in before.items())))
"""


@pytest.mark.parametrize("shape", ["plain", "owned"])
def test_damage_is_noticed_while_the_class_lives(good: Any, shape: str) -> None:
    """A live class under the claimed key does not make the loader trust damaged bytes, and is not touched by them."""
    seen = run(HOT, str(good(shape)), seconds=110)

    assert seen == {"wrong": [], "events": [], "same": True, "untouched": True}


def test_the_watch_itself_notices(good: Any) -> None:
    """An input that imports and opens is seen, so that the tests above cannot pass by looking away."""
    program = """
import sys
from voyage import watched
from voyage.fresh import report
watched.install()
verdict = watched.attempt(lambda: (__import__("wave"), open("/dev/null").close()))
report([verdict.startswith("loaded"), any("import" in e for e in watched.events), any("open" in e for e in watched.events)])
"""
    assert run(program) == [True, True, True]
    assert len(json.loads(good("plain").read_text())["head"]) // 2 < 137
