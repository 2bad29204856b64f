"""What the tests with TRL share: a tiny model, a practice server, `tests/trl/support` on the path of what they start."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.portsim.launch import Port, running

HERE = Path(__file__).parent
for folder in (HERE / "support", HERE.parent / "support"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from scripted.trainer import quiet_surroundings  # noqa: E402 -- found by the path above

quiet_surroundings()

# What torch, transformers and TRL say about themselves while they are imported or used; none of it is about a caller.
THEIRS = (
    "ignore::DeprecationWarning:torch.*",
    "ignore::DeprecationWarning:transformers.*",
    "ignore::FutureWarning:torch.*",
    "ignore:builtin type Swig.*:DeprecationWarning",  # of sentencepiece's bindings, where they are installed
    "ignore:Accelerator.dataloader_config.*:UserWarning",
    "ignore:.*pin_memory.*:UserWarning",  # asked for by default, and there is no accelerator
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            for warning in THEIRS:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a model that TRL takes for a Qwen3, with its tokenizer."""
    from scripted.models import save_tiny_model

    return save_tiny_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="session")
def tokenizer(tiny_model: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(tiny_model)


@pytest.fixture(scope="session")
def shared_port() -> Iterator[Port]:
    with running() as port:
        yield port


@pytest.fixture
def port(shared_port: Port) -> Iterator[Port]:
    """A roomy port with nobody on it and every option as it was."""
    for name in ("dock", "pantry"):
        shared_port.wait_live(name, 0, seconds=30)
    yield shared_port
    for name in ("dock", "pantry"):
        shared_port.configure(name, reset_seconds=0.0, tool_seconds=0.0, fail_resets=0, tools_after_reset=False)


@pytest.fixture
def model(tokenizer: Any) -> Iterator[Any]:
    """A completions server that plays a short episode on the dock, over and over."""
    from scripted.server import calls, plays, says, serving

    with serving(tokenizer, plays(calls("move_container", container="C1", bay=3), calls("send_ship_off"), says())) as server:
        yield server


@pytest.fixture(scope="session")
def endings() -> Iterator[Any]:
    """The table of endings; ``ENDINGS_TABLE=FILE`` keeps it for the documentation."""
    from scripted.endings import Table

    table = Table()
    yield table
    if os.environ.get("ENDINGS_TABLE"):
        Path(os.environ["ENDINGS_TABLE"]).write_text(table.markdown(), encoding="utf-8")
