"""Every program printed in the README and in the docs runs, and prints what the page says it prints.

How pages say so stands in `tests/support/voyage/pages.py`. What needs TRL, Ray or a page's own distribution is run by the
tests in the environments that have these; that no block is left out is checked here for all of them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from voyage import mcp_server, pages

from benchmarks.portsim.launch import running

ROOT = pages.ROOT
EVERY = [block for page in pages.every_page() for block in pages.all_blocks(page) if block.kind == "python"]
RUNNERS = {  # where the blocks of each environment are run
    pages.HERE: "tests/house/test_pages.py",
    "trl": "tests/trl/test_pages_trl.py",
    "cluster": "tests/cluster/test_pages_cluster.py",
    "release": "tests/release/test_third_party.py",
}
# Blocks that are not run, by page. A page that comes in here shows what cannot be run, and says why.
FRAGMENTS: dict[str, int] = {}


def shown(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """What the addresses on the pages lead to here."""
    with running() as port, mcp_server.serving() as mcp:
        yield {"": port.dock_url, "/dock": port.dock_url, "/pantry": port.pantry_url, "/mcp": mcp}


@pytest.mark.parametrize(
    "page", [page for page in pages.every_page() if pages.programs(page) and pages.place_of(page) == pages.HERE], ids=shown
)
def test_programs_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    pages.run_page(page, tmp_path)


@pytest.mark.parametrize("block", pages.blocks_in(pages.HERE), ids=lambda block: block.where)
def test_blocks_run(block: pages.Block, servers: dict[str, str], tmp_path: Path) -> None:
    pages.run_block(block, tmp_path, servers)


def test_no_block_is_left_out() -> None:
    """A block is a file, or says how it is run, or why it is not."""
    left_out = [block.where for block in EVERY if not (block.name or block.place or block.why_not)]
    assert not left_out, "neither a file (# name.py) nor marked as run or as a fragment (tests/support/voyage/pages.py)"


def test_what_is_not_run_is_known() -> None:
    assert dict(Counter(shown(block.page) for block in EVERY if block.why_not)) == FRAGMENTS


def test_every_environment_named_on_a_page_has_a_runner() -> None:
    named = {block.place for block in EVERY if block.place} | {pages.place_of(page) for page in pages.every_page()}
    assert named <= set(pages.ENVIRONMENTS) == set(RUNNERS)
    for place in named:
        assert (ROOT / RUNNERS[place]).is_file(), place


def test_the_readme_opens_with_a_program() -> None:
    """The README's first Python block is a whole file, and a command that runs it follows."""
    readme = ROOT / "README.md"
    first = next(block for block in pages.all_blocks(readme) if block.kind == "python")
    assert first.name, "the first Python block is not a file"
    command, printed = pages.python_commands(readme)[0]
    assert command == f"python {first.name}"
    assert printed.strip()


@pytest.mark.parametrize("block", EVERY, ids=lambda block: block.where)
def test_python_blocks_compile(block: pages.Block) -> None:
    """Fragments that are no whole program are at least Python."""
    compile(block.text, block.where, "exec", dont_inherit=True)


LINK = re.compile(r"\]\((?!\w+:|#)([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Sphinx checks the links of the docs; these pages are read outside them too."""
    missing = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (ROOT / link).exists()]
    assert not missing
