"""The worked example of the documentation: a plugin that is a distribution of its own, built, installed, found and tested.

Its tests run from an empty place in an environment that holds the built wheels, never the checkout. Faults are put into it,
too: the contract for plugins must find each of them.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from slipway import PIP, ROOT, Archives, empty_environment, install, run
from voyage import pages

HOME = ROOT / "tests" / "thirdparty" / "envpickle-param"
PAGE = ROOT / "docs" / "writing-plugins" / "index.md"
TESTING = ("pytest", "hypothesis")


def build(source: Path, target: Path) -> Path:
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", target, source)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def python(dist: Archives, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with envpickle, the plugin and what its tests take."""
    place = tmp_path_factory.mktemp("third")
    shutil.copytree(HOME, place / "source")
    found = empty_environment(place / "env")
    install(found, dist.folder, "envpickle[cli]", build(place / "source", place / "wheel"), *TESTING)
    return found


def its_tests(python: Path, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The plugin's own tests, run where nothing but them lies."""
    shutil.copytree(HOME / "tests", tmp_path / "tests")
    pytest_there = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "tests"]
    return subprocess.run(pytest_there, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110)


def test_it_passes_the_contract(python: Path, tmp_path: Path) -> None:
    done = its_tests(python, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "15 passed" in done.stdout


def test_the_page_s_programs_print_what_it_says(python: Path, tmp_path: Path) -> None:
    """The one that shows what happens without the plugin runs without it."""
    shutil.copytree(HOME, tmp_path / HOME.name)
    environment = pages.lay_out(PAGE, tmp_path)
    commands = pages.python_commands(PAGE)
    assert [command.split()[-1] for command, _ in commands] == ["before.py", f"{HOME.name}/tests", "train.py"]
    for command, printed in commands:
        without = {"ENVPICKLE_DISABLE": "param"} if "before.py" in command else {}
        _, seen = pages.run(command, tmp_path, environment | without, python=python)
        assert pages.pattern(printed).fullmatch(seen), f"{command} printed\n{seen}"


def test_the_page_shows_every_file_of_it() -> None:
    """The page takes them from where they are, so that they are what is tested; it says what the two empty ones are."""
    text = PAGE.read_text(encoding="utf-8")
    shown = {Path(found).name for found in re.findall(r"\{literalinclude\} (\S+)", text)}
    files = {path.name for path in HOME.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert shown == files - {"__init__.py", "py.typed"}
    assert all(name in text for name in files)


def test_envpickle_lists_it(python: Path, tmp_path: Path) -> None:
    listing = json.loads(run(python.parent / "envpickle", "plugins", "--json", cwd=tmp_path))
    assert [(one["name"], one["error"]) for one in listing["plugins"]] == [("param", None)]


def test_without_it_the_tests_fail(python: Path, tmp_path: Path) -> None:
    done = its_tests(python, tmp_path, ENVPICKLE_DISABLE="param")
    assert done.returncode == 1
    assert "nobody knows how" in done.stdout


PLUGIN, MADE = "src/envpickle_param/plugin.py", "src/envpickle_param/made.py"
LOADS_PLUGINS = "    __import__('envpickle.manager').manager.hooks()\n"
FAULTS = [
    ("test_it_is_found_by_its_entry_point", "pyproject.toml", "\nparam = ", "\nparams = "),
    ("test_its_hooks_are_marked", PLUGIN, "@hookimpl\ndef envpickle_close", "def envpickle_close"),
    ("test_it_leaves_alone_what_is_not_its_own", PLUGIN, "    if isinstance(obj, type) and iss", "    if True or iss"),
    ("test_its_advice_is_given", PLUGIN, "isinstance(obj, type) and issubclass(obj, ", "isinstance(obj, ("),  # never asked so
    (
        "test_a_value_of_a_derived_type_is_left_alone",
        PLUGIN,
        "    if kind not in KINDS:",
        "    if not issubclass(kind, KINDS):",
    ),
    ("test_a_class_that_has_more_is_not_registered_without_it", PLUGIN, '("__doc__", "__module__")', '("__module__",)'),
    ("test_a_value_is_packed_and_made_again", MADE, "(**told)", "(told.get('default'))"),
    (
        "test_a_value_is_packed_and_made_again",
        PLUGIN,
        "for base in kind.__mro__ ",
        "for base in (kind,) ",
    ),  # loses what bases take
    ("test_a_value_crosses_in_the_arguments_of_a_builder", MADE, "(**told)", "(**told, doc=str(__import__('os').getpid()))"),
    ("test_a_class_that_is_made_again_is_the_same", PLUGIN, "(cls.__name__, own)", "(str(id(cls)), own)"),
    ("test_a_fresh_process_makes_the_class", MADE, "    return param.p", f"{LOADS_PLUGINS}    return param.p"),
    ("test_an_instance_is_closed_with_its_owner", PLUGIN, "            value.close()", "            pass"),
]


@pytest.mark.parametrize(("test", "file", "sound", "faulty"), FAULTS, ids=[f"{test}-{file}" for test, file, *_ in FAULTS])
def test_the_contract_finds_a_fault(python: Path, tmp_path: Path, test: str, file: str, sound: str, faulty: str) -> None:
    """It lies before the sound plugin on the path."""
    shutil.copytree(HOME, tmp_path / "source")
    text = (tmp_path / "source" / file).read_text(encoding="utf-8")
    assert text.count(sound) == 1
    (tmp_path / "source" / file).write_text(text.replace(sound, faulty), encoding="utf-8")
    site = tmp_path / "source" / "src"
    if file == "pyproject.toml":  # of two distributions of one name the first on the path counts
        wheel = build(tmp_path / "source", tmp_path / "wheel")
        run(*PIP, "install", "--quiet", "--no-deps", "--target", site := tmp_path / "site", wheel)

    done = its_tests(python, tmp_path, PYTHONPATH=str(site))
    assert re.search(rf"^FAILED .*::{test}\b", done.stdout, re.MULTILINE), done.stdout


def test_it_needs_what_it_says(python: Path) -> None:
    """Its distribution is what the page shows: one entry point, and no requirement but envpickle and its library."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"envpickle": {"param": "envpickle_param.plugin"}}
    assert [one.partition(">")[0] for one in project["dependencies"]] == ["envpickle", "param"]
