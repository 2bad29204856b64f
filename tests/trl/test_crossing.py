"""What crosses into a spawned process and what does not: said beforehand, and compared with what spawning does."""

import multiprocessing
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import crossers
import pytest

from envpickle_trl.crossing import check_crossing
from envpickle_trl.mainscript import read_main, read_script

SPAWN = multiprocessing.get_context("spawn")


def spawned(value: Any) -> int | None:
    """The exit status of a process that is sent a value; None if it could not be started."""
    process = SPAWN.Process(target=crossers.receive, args=(value,))
    try:
        process.start()
    except Exception:
        return None
    process.join(60)
    return process.exitcode


@pytest.mark.parametrize("name", crossers.crossing())
def test_what_crosses_is_not_refused(name: str) -> None:
    value = crossers.crossing()[name]
    assert check_crossing(reward_funcs=[value]) == []
    assert spawned(value) == 0


@pytest.mark.parametrize("name", crossers.refused())
def test_what_does_not_cross_is_refused_with_path_reason_and_remedy(name: str) -> None:
    value, path, reason, remedy = crossers.refused()[name]
    (finding,) = check_crossing(reward_funcs=[crossers.reward, value])
    assert finding.subject == f"reward_funcs[1]{path}"
    assert all(part in finding.message for part in reason.split(" ... "))
    assert remedy in finding.remedy
    assert spawned(value) is None


def test_all_faults_are_told_at_once() -> None:
    """Each part under the name the trainer takes it by, and several in one part."""
    lock, local = crossers.refused()["lock in an attribute"][0], crossers.local_class()
    found = check_crossing(
        environment_factory={"dock": local, "pantry": crossers.berth()},
        reward_funcs=lock,
        tools=[crossers.Holder(a=crossers.local(), b=crossers.local_class())],
    )
    assert [finding.subject for finding in found] == [
        "environment_factory['dock']",
        "reward_funcs.__self__.a['b'][1]",
        "tools[0].a",
        "tools[0].b",
    ]
    assert {(finding.check, finding.severity) for finding in found} == {("crossing", "error")}


SCRIPT = """
import sys

def above(completions): ...

if __name__ == "__main__":
    def below(completions): ...
    class Both: ...
    from envpickle_trl.crossing import check_crossing
    found = check_crossing(reward_funcs=[above, below], environment_factory=Both)
    print(*(finding.subject for finding in found))
    sys.stdout.flush()
else:
    class Both: ...
"""


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("file", "reward_funcs[1]"),
        ("module", "reward_funcs[1]"),
        ("package", "environment_factory reward_funcs[0] reward_funcs[1]"),
        ("-c", "environment_factory reward_funcs[0] reward_funcs[1]"),
        ("standard input", "environment_factory reward_funcs[0] reward_funcs[1]"),
    ],
)
def test_what_a_spawned_process_finds_of_the_script(tmp_path: Path, how: str, expected: str) -> None:
    """It depends on where the script comes from."""
    (tmp_path / "package").mkdir()
    for name in ("train.py", "package/__init__.py", "package/__main__.py"):
        (tmp_path / name).write_text(SCRIPT if name != "package/__init__.py" else "", encoding="utf-8")
    words = {"file": ["train.py"], "module": ["-m", "train"], "package": ["-m", "package"], "-c": ["-c", SCRIPT]}
    source = SCRIPT if how == "standard input" else None
    command = [sys.executable, *words.get(how, [])]
    done = subprocess.run(command, cwd=tmp_path, input=source, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == expected, done.stderr


def test_a_script_whose_file_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    main = ModuleType("__main__")
    main.__file__ = str(tmp_path / "gone.py")
    assert read_main(main).fatal
    (tmp_path / "broken.py").write_text("def", encoding="utf-8")
    main.__file__ = str(tmp_path / "broken.py")
    script = read_main(main)
    assert (script.lost, script.tree, script.why_not_found("any")) == ("", None, "")
    with pytest.raises(SyntaxError):
        read_script(tmp_path / "broken.py")
