"""A builder in the script that is run: what a spawned child finds, what it cannot, and what an edit does."""

import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import pytest
from voyage import scripts
from voyage.fresh import REPORT, run, surroundings


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_script_sends_its_class(method: str) -> None:
    """A child gets the class from its own copy of the script, under one name, and string annotations resolve there."""
    answer = run(scripts.script("first", f"report(spawned(dock(['lift']), {method!r}))"))

    assert answer == ["first", True, "Dock", "Tag"]


def test_a_script_run_as_a_module_sends_its_class(tmp_path: Path) -> None:
    """`python -m package.script` works as `python script.py` does."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "train.py").write_text(scripts.script("module", "report(spawned(dock(['lift'])))"))

    assert start(["-m", "package.train"], tmp_path) == ["module", True, "Dock", "Tag"]


def test_a_dunder_main_run_as_a_file_sends_its_class(tmp_path: Path) -> None:
    """`python folder/__main__.py` is a script like any other: a child finds it by its path."""
    (tmp_path / "__main__.py").write_text(scripts.script("file", "report(spawned(dock(['lift'])))"))

    assert start([str(tmp_path / "__main__.py")], tmp_path) == ["file", True, "Dock", "Tag"]


def start(arguments: list[str], folder: Path, text: str | None = None) -> Any:
    """Run an interpreter with these arguments and return what the program reported."""
    import json

    answer = folder / "report.json"
    env = {**surroundings(), REPORT: str(answer)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, input=text, capture_output=True, text=True, timeout=60, check=False
    )
    assert answer.exists(), done.stdout + done.stderr
    return json.loads(answer.read_text())


def guarded(folder: Path) -> Any:
    (folder / "train.py").write_text(scripts.GUARDED + scripts.REFUSAL)
    return start(["train.py"], folder)


def directory(folder: Path) -> Any:
    (folder / "app").mkdir()
    (folder / "app" / "__main__.py").write_text(scripts.ELSEWHERE + scripts.OUTSIDE_GUARD)
    return start(["app"], folder)


def package(folder: Path) -> Any:
    (folder / "app").mkdir()
    (folder / "app" / "__init__.py").touch()
    (folder / "app" / "__main__.py").write_text(scripts.ELSEWHERE + scripts.OUTSIDE_GUARD)
    return start(["-m", "app"], folder)


def zipped(folder: Path) -> Any:
    with zipfile.ZipFile(folder / "app.zip", "w") as archive:
        archive.writestr("__main__.py", scripts.ELSEWHERE + scripts.OUTSIDE_GUARD)
    return start(["app.zip"], folder)


def dash_c(folder: Path) -> Any:
    return start(["-c", scripts.ELSEWHERE + scripts.OUTSIDE_GUARD], folder)


def standard_input(folder: Path) -> Any:
    return start(["-"], folder, scripts.ELSEWHERE + scripts.OUTSIDE_GUARD)


@pytest.mark.parametrize("place", [guarded, directory, package, zipped, dash_c, standard_input])
def test_what_a_child_cannot_find_is_refused_when_dumped(place: Any, tmp_path: Path) -> None:
    """Report 36: under the main guard, in a directory, package or zip, `-c` or stdin plain pickle is refused by name.

    cloudpickle sends the function itself, and the class comes home as itself.
    """
    answer = place(tmp_path)

    assert answer["plain"][0] == "ScriptBuilderRefused", answer
    assert "dock" in answer["plain"][1]
    assert answer["home"] is True


def test_the_refusal_says_what_to_do(tmp_path: Path) -> None:
    """The message names the builder and tells where to put it."""
    message = guarded(tmp_path)["plain"][1]

    assert "dock" in message
    assert "module" in message


WORKER = """
import pickle, sys, threading
from voyage.fresh import report
import cloudpickle

found = []
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        payload = file.read()
    cls = pickle.loads(payload)
    again = pickle.loads(payload)
    found.append([cls().version(), again is cls])
report(dict(found=found, main=hasattr(sys.modules["__main__"], "dock")))
"""


def cloudpickled(folder: Path, version: str, more: str = "") -> Path:
    """Run a version of the script that cloudpickles its class into a file, as a cluster's driver does."""
    target = folder / f"{version}.pickle"
    main = f"""
    import cloudpickle
    {more}
    import pathlib
    pathlib.Path({str(target)!r}).write_bytes(cloudpickle.dumps(dock(["lift"])))
    report(None)
    """
    run(scripts.script(version, textwrap.dedent(main)))
    return target


def test_a_long_lived_worker_gets_an_edited_scripts_new_code(tmp_path: Path) -> None:
    """A worker that knows the first version of a script's builder builds the edited version's class with the new code."""
    first, second = cloudpickled(tmp_path, "first"), cloudpickled(tmp_path, "second")

    seen = run(WORKER, *map(str, [first, second, first]))

    assert seen == {"found": [["first", True], ["second", True], ["first", True]], "main": False}


def test_an_edited_script_is_not_loaded_by_name(tmp_path: Path) -> None:
    """Plain pickle's bytes from another version of the script are refused, and the message says that the script differs."""
    target = str(tmp_path / "plain.pickle")
    first, second = (scripts.script(version, BY_NAME) for version in ("first", "second"))
    run(first, "write", target)
    seen, same = run(second, "read", target), run(first, "read", target)

    assert seen[0] == "ScriptMismatch", seen
    assert "script" in seen[1]
    assert same == ["loaded", "first"]


BY_NAME = """
import pathlib, pickle, sys
mode, target = sys.argv[1:]
if mode == "write":
    pathlib.Path(target).write_bytes(pickle.dumps(dock(["lift"])))
    report(None)
else:
    try:
        report(["loaded", pickle.loads(pathlib.Path(target).read_bytes())().version()])
    except envpickle.errors.EnvpickleError as error:
        report([type(error).__name__, str(error)])
"""


def test_a_script_is_edited_while_it_runs(tmp_path: Path) -> None:
    """A script whose file changes after it started never gets its new code taken for its old class."""
    script = tmp_path / "train.py"
    edit = """
    import pathlib
    path = pathlib.Path(__file__)
    cls = dock(["lift"])
    path.write_text(path.read_text().replace("'first'", "'edited'"))
    try:
        report(["sent", spawned(cls)])
    except BaseException as error:
        report(["refused", type(error).__name__, str(error)])
    """
    script.write_text(scripts.script("first", textwrap.dedent(edit)))
    seen = run(script)

    assert seen[0] == "refused" or seen[1][0] == "ScriptMismatch", seen


def test_a_worker_without_the_script_sends_the_class_home(tmp_path: Path) -> None:
    """What a cluster's worker got by value comes home as the script's own class, from plain pickle and cloudpickle."""
    main = """
import cloudpickle, pickle, subprocess, sys
cls = dock(["lift"])
payload = cloudpickle.dumps({"env": cls, "one": cls()})
worker = "import pickle, cloudpickle, sys; got = pickle.loads(sys.stdin.buffer.read()); " \\
         "assert type(got['one']) is got['env']; sys.stdout.buffer.write(cloudpickle.dumps(got))"
back = subprocess.run([sys.executable, "-c", worker], input=payload, capture_output=True)
got = pickle.loads(back.stdout) if back.returncode == 0 else back.stderr.decode()
report([got["env"] is cls, type(got["one"]) is cls] if back.returncode == 0 else got)
"""
    assert run(scripts.script("first", main)) == [True, True]


def test_a_task_of_a_script_calls_the_builder_on_a_worker() -> None:
    """A function of the script that calls its builder runs where the script is not, and gives the same class at home."""
    main = r"""
import cloudpickle, pickle, subprocess, sys
task = lambda: dock(["lift"], "task")
worker = "import pickle, cloudpickle, sys; got = pickle.loads(sys.stdin.buffer.read()); " \
         "sys.stdout.buffer.write(cloudpickle.dumps(got()))"
back = subprocess.run([sys.executable, "-c", worker], input=cloudpickle.dumps(task), capture_output=True)
report(pickle.loads(back.stdout) is dock(["lift"], "task") if back.returncode == 0 else back.stderr.decode())
"""
    assert run(scripts.script("first", main)) is True


def test_string_annotations_resolve_in_the_script() -> None:
    """`get_type_hints` finds the script's names for the class itself and its methods, in the script."""
    main = """
import typing
cls = dock(["lift"])
report([typing.get_type_hints(cls)["label"].__name__, typing.get_type_hints(cls.version)["return"].__name__,
        cls.__name__, "Dock" in repr(cls())])
"""
    assert run(scripts.script("first", main)) == ["str", "Tag", "Dock", True]


BODIES = r"""
import cloudpickle, pickle, subprocess, sys
from dataclasses import dataclass, field

LIMIT = 3
UNUSED = open(__file__)  # cannot be sent, and is not asked for

def halved(method):
    return lambda self: method(self) // PARTS

PARTS = 2

def inner():
    class Inner:
        size = LIMIT + OFFSET
    return Inner

OFFSET = 10

@envpickle.builder
def berth(tools: list) -> type:
    @dataclass
    class Berth(inner()):
        limit: int = LIMIT
        depths: list = field(default_factory=lambda: [LIMIT])
        class Deep:
            UNUSED = "a name of its own"
            double = [LIMIT] * 2
        @halved
        def count(self):
            return 2 * len(tools)
    return Berth

cls = berth(["lift"] * 4)
payload = cloudpickle.dumps(cls)
worker = "import pickle, cloudpickle, sys; got = pickle.loads(sys.stdin.buffer.read()); one = got(); " \
         "seen = one.limit, one.depths, one.count(), got.size, got.Deep.double; " \
         "sys.stdout.buffer.write(cloudpickle.dumps((seen, got)))"
back = subprocess.run([sys.executable, "-c", worker], input=payload, capture_output=True)
if back.returncode:
    report(back.stderr.decode())
else:
    seen, home = pickle.loads(back.stdout)
    report([list(seen), home is cls])
"""


def test_names_used_while_a_class_body_runs_are_sent_along() -> None:
    """A default, a decorator, a base of the script: also those that a function of the script uses, and what those name."""
    assert run(scripts.script("first", BODIES)) == [[3, [3], 4, 13, [3, 3]], True]
