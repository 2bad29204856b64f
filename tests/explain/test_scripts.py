"""Ten training scripts (and one more) broken as real ones are: what to mend is in the first screen of `envpickle explain`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).with_name("scripts")
SCREEN = 24, 80  # lines, columns

CASES: dict[str, tuple[list[str], str, str]] = {
    "local_factory.py": (
        ["--run", "local_factory.py"],
        r"process args\[0\]",
        r"make_env is made inside main.*Move it to the top level",
    ),
    "lock_in_env.py": (
        ["lock_in_env.py:envs"],
        r"envs\[0\]\.config\['metrics'\]\['steps'\]\.lock",
        r"make it where it is first used",
    ),
    "client_in_closure.py": (
        ["--for", "cloudpickle", "client_in_closure.py:reward"],
        r"reward \(closes over client\)\.connection",
        r"Keep the address, and connect where it is first used",
    ),
    "lambda_reward.py": (["--run", "lambda_reward.py"], r"\['polite'\]", r"A lambda has no name.*Write it with def"),
    "builder_under_guard.py": (
        ["builder_under_guard.py:Env"],
        r"builder_under_guard\.py:Env",
        r"defined under the main guard.*above the main guard",
    ),
    "patched_class.py": (["patched_class.py:Env"], r"patched_class\.py:Env", r"lift.*Do it in the builder"),
    "subclass_of_built.py": (
        ["--run", "subclass_of_built.py"],
        r"what was sent",
        r"Rewarded.*get_reward.*make it in a function marked",
    ),
    "notebook_cell.py": ([], r"trainer\['env'\]", r"runs from -c.*Move it to the top level of a module"),
    "named_tuple_in_state.py": (
        ["named_tuple_in_state.py:env"],
        r"env\.rows\[0\] \(class\)",
        r"Try Cargo = envpickle\.register\(Cargo\)",
    ),
    "bound_method.py": (["--run", "bound_method.py"], r"__self__\.session\.tls", r"Keep the address, and connect"),
    "tensor_on_device.py": (["tensor_on_device.py:env"], r"critic\['layers'\]\[0\]", r"cuda:0.*\.cpu\(\)"),
}


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENVPICKLE_"))}
    environ |= {"COLUMNS": str(SCREEN[1]), "NO_COLOR": "1"}
    return subprocess.run([sys.executable, *words], cwd=SCRIPTS, env=environ, capture_output=True, text=True, timeout=100)


def explained(script: str) -> "subprocess.CompletedProcess[str]":
    words = CASES[script][0]
    if not words:
        return run("-c", (SCRIPTS / script).read_text(encoding="utf-8"))
    return run("-m", "envpickle", "explain", *words)


@pytest.mark.parametrize("script", CASES)
def test_what_to_mend_is_on_the_first_screen(script: str) -> None:
    done = explained(script)
    lines = done.stdout.splitlines()[: SCREEN[0]]
    assert all(len(line) <= SCREEN[1] for line in lines), done.stdout
    screen = re.sub(r"\s+", " ", " ".join(line.strip("│├└─ ") for line in lines))
    _, path, advice = CASES[script]
    head = screen.partition("why: ")[0]
    assert "does not cross" in lines[0], done.stdout + done.stderr
    assert re.search(path, head), done.stdout
    assert re.search(advice, screen), done.stdout
    assert done.returncode == (1 if CASES[script][0] else 0)


@pytest.mark.parametrize("script", [name for name in CASES if CASES[name][0]])
def test_the_script_really_is_broken(script: str) -> None:
    assert "Traceback" in run(script).stderr


def test_there_are_ten_at_least_and_each_has_a_test() -> None:
    assert sorted(path.name for path in SCRIPTS.glob("*.py")) == sorted(CASES)
    assert len(CASES) >= 10


def test_what_a_script_defines_goes_by_name_or_by_value_as_each_pickler_sends_it() -> None:
    """A notebook's builder and function: no spawned process finds them, cloudpickle and dill copy them."""
    text = (SCRIPTS / "notebook_cell.py").read_text(encoding="utf-8").rpartition("print(")[0]
    asks = 'print([envpickle.explain([dock_env(["a"]), reward], pickler=p).crosses for p in ("pickle", "cloudpickle", "dill")])'
    assert run("-c", text + asks).stdout == "[False, True, True]\n"
    asks = 'print([part.path for part in envpickle.explain([dock_env(["a"]), Policy(), reward]).refused])'
    assert run("-c", text + asks).stdout == "['obj[0]', 'obj[1] (class)', 'obj[2]']\n"
