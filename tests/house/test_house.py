"""The rules of the house: sizes, and a documented place for every public name, error and hook."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import envpickle
from envpickle import errors

ROOT = Path(__file__).parents[2]
PLUGIN_SOURCES = [path for path in (ROOT / "plugins").glob("*/envpickle_*") if path.is_dir()]
DISTRIBUTIONS = [ROOT / "envpickle", *PLUGIN_SOURCES]
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 40


def sources() -> list[Path]:
    """Every Python file of the repository, as far as it is ours and not an environment or a build."""
    homes = ["envpickle", "plugins", "benchmarks", "tests", "docs"]
    found = (path for home in homes for path in (ROOT / home).rglob("*.py"))
    return sorted(path for path in found if not {"_build", "build", ".cache"} & set(path.parts))


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from `def` to its end, less its docstring: what is documented well must not count as long."""
    total = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        total -= (first.end_lineno or first.lineno) - first.lineno + 1
    return total


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def pages(folder: str) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / folder).rglob("*.md")))


def test_there_is_something_to_measure() -> None:
    """The walk finds the core, at least one plugin, the benchmarks and the tests."""
    tops = {path.relative_to(ROOT).parts[0] for path in sources()}
    assert tops >= {"envpickle", "plugins", "benchmarks", "tests"}


def test_no_file_is_over_300_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in sources()
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MAX_FILE_LINES
    }
    assert not long


def test_no_function_is_over_40_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {count}"
        for path in sources()
        for node in functions(path)
        if (count := code_lines(node)) > MAX_FUNCTION_LINES
    ]
    assert not long


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda path: path.name)
def test_every_distribution_says_that_it_is_typed(distribution: Path) -> None:
    assert (distribution / "py.typed").is_file()


@pytest.mark.parametrize("name", envpickle.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    """It has a docstring, and a place among the reference pages."""
    assert (getattr(envpickle, name).__doc__ or "").strip()
    assert re.search(rf"auto\w+:: envpickle\.{name}\b", pages("reference")), f"{name} has no reference entry"


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_documented(name: str) -> None:
    assert re.search(rf"autoexception:: envpickle\.errors\.{name}\b", pages("reference"))


@pytest.mark.parametrize("module", sorted(path.stem for path in (ROOT / "envpickle").glob("[!_]*.py")))
def test_every_module_has_a_place_in_the_house(module: str) -> None:
    """It stands in the drawing of the house and in the table beneath it."""
    assert re.search(rf"[> ]{module}[ <]", (ROOT / "docs" / "_static" / "house.svg").read_text(encoding="utf-8"))
    assert f"`{module}`" in (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")


def hooks() -> list[str]:
    return sorted(node.name for node in functions(ROOT / "envpickle" / "hookspecs.py") if node.name[:1] != "_")


@pytest.mark.parametrize("hook", hooks())
def test_every_hook_is_documented_and_has_a_test(hook: str) -> None:
    """It is in the reference and in the plugin guide, and a test of its name exists."""
    assert hook in pages("reference")
    assert hook in (ROOT / "docs" / "how-to" / "writing-plugins.md").read_text(encoding="utf-8")
    tests = (ROOT / "tests" / "test_hooks.py").read_text(encoding="utf-8")
    assert tests.count(f'"{hook}": ') == 2, f"tests/test_hooks.py has no script and expectation for {hook}"
