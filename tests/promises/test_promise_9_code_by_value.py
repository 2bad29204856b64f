"""Promise 9: code by value is marked as such, and another minor version of Python refuses it and says what to do."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from voyage.fresh import run
from voyage.pythons import VERSIONS, python_for

WRITE = """
import sys
from pathlib import Path
import cloudpickle
import envpickle, pickle
from voyage.fresh import report

@envpickle.builder
def dock(word):
    return type("Dock", (), {"word": lambda self: word})

if __name__ == "__main__":
    home = Path(sys.argv[1])
    cls = dock("script")
    (home / "script").write_bytes(cloudpickle.dumps([cls, cls()]))
    made = envpickle.register(type("Made", (), {"word": lambda self, word="value": word}), by_value=True)
    (home / "value").write_bytes(pickle.dumps([made, made()]))
    (home / "descriptor").write_bytes(envpickle.describe(made).to_bytes())
    report(envpickle.describe(made).builder)
"""
READ = """
import pickle, sys
from pathlib import Path
import envpickle
from voyage.fresh import report

def tried(load):
    try:
        return load()
    except Exception as error:
        return [type(error).__name__, str(error)]

def worded(path):
    cls, one = pickle.loads(path.read_bytes())
    assert type(one) is cls
    return one.word()

CODE = "envpickle.makers.by_value:by_value"
found = {}
for name in sys.argv[2:]:
    home = Path(sys.argv[1], name)
    data = (home / "descriptor").read_bytes()
    found[name] = dict(
        unasked=tried(lambda: envpickle.rebuild(data).__name__),   # first: a class that lives is no code to be run
        script=tried(lambda: worded(home / "script")),
        value=tried(lambda: worded(home / "value")),
        asked=tried(lambda: envpickle.rebuild(data, allow=[CODE, "__main__:Made"]).__name__),
    )
report(found)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    """What each Python found is to be had of what each wrote, by writer and reader."""
    home = tmp_path_factory.mktemp("by_value")
    here = [version for version in VERSIONS if python_for(version)]
    for version in here:
        Path(home, version).mkdir()
        builder = run(WRITE, str(home / version), python=python_for(version) or "")
        assert builder == "envpickle.makers.by_value:by_value"
    read = {reader: run(READ, str(home), *here, python=python_for(reader) or "") for reader in here}
    return {(writer, reader): read[reader][writer] for writer in here for reader in here}


def there(answers: dict[tuple[str, str], Any], writer: str, reader: str) -> Any:
    if (writer, reader) not in answers:
        pytest.skip(f"no Python {writer if python_for(writer) is None else reader} with the core installed was found")
    return answers[writer, reader]


@pytest.mark.parametrize("version", VERSIONS)
def test_promise_9_code_by_value_crosses_within_a_version(answers: Any, version: str) -> None:
    """A fresh process of the same minor version makes the class of the code, and a bare descriptor only when allowed."""
    found = there(answers, version, version)

    assert (found["script"], found["value"], found["asked"]) == ("script", "value", "Made")
    assert found["unasked"][0] == "NotAllowed"


@pytest.mark.parametrize(("writer", "reader"), [pair for pair in itertools.product(VERSIONS, VERSIONS) if pair[0] != pair[1]])
def test_promise_9_code_by_value_is_refused_across_versions(answers: Any, writer: str, reader: str) -> None:
    """Another minor version refuses the code, naming both versions and what to do instead."""
    found = there(answers, writer, reader)

    for way in ("script", "value", "asked"):
        kind, text = found[way]
        assert kind == "RebuildMismatch", found[way]
        assert all(version in text or str(tuple(map(int, version.split(".")))) in text for version in (writer, reader)), text
        assert "Use one" in text
    assert found["unasked"][0] == "NotAllowed"
