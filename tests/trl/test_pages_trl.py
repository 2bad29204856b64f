"""The programs of the docs that need TRL: each runs as it is printed, on a real OpenEnv server and a tiny model."""

import os
from pathlib import Path
from typing import Any

import pytest
from scripted.standing_in import PATHS
from voyage import pages

from benchmarks.portsim.launch import Port

BLOCKS = pages.blocks_in("trl")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.where)
def test_blocks_run(block: pages.Block, port: Port, model: Any, tiny_model: Path, tmp_path: Path) -> None:
    servers = {"": port.dock_url, "/dock": port.dock_url, "/pantry": port.pantry_url}
    extra = {"PYTHONPATH": os.pathsep.join(PATHS), "PAGES_MODEL": str(tiny_model), "PAGES_SERVER": model.url}
    pages.run_block(block, tmp_path, servers, extra | {"HF_HUB_OFFLINE": "1"}, seconds=380)
    port.wait_live("dock", 0, seconds=30)
