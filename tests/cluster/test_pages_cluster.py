"""The programs of the docs that need Ray, Dask, joblib or torch: each runs as it is printed, and prints what its page says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from voyage import pages

from benchmarks.portsim.launch import running

PAGES = [page for page in pages.every_page() if pages.place_of(page) == "cluster"]
BLOCKS = pages.blocks_in("cluster")
# A Ray of its own, which says nothing about tokens: a reader who has neither sees the same.
QUIET = {"RAY_ADDRESS": "local", "RAY_AUTH_MODE": "disabled"}


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """What the addresses on the pages lead to here."""
    with running() as port:
        yield {"": port.dock_url, "/dock": port.dock_url, "/pantry": port.pantry_url}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(pages.ROOT)))
def test_programs_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    pages.run_page(page, tmp_path, QUIET, seconds=280)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.where)
def test_blocks_run(block: pages.Block, servers: dict[str, str], tmp_path: Path) -> None:
    pages.run_block(block, tmp_path, servers, QUIET, seconds=280)
