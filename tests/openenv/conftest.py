"""A port of each kind the tests need, and `tests/openenv/support` on the path for processes they start."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.portsim.launch import Port, running
from envpickle_openenv import Toolset, list_tools

SUPPORT = str(Path(__file__).parent / "support")
if SUPPORT not in sys.path:
    sys.path.insert(0, SUPPORT)


@pytest.fixture(scope="session")
def shared_port() -> Iterator[Port]:
    with running() as port:
        yield port


@pytest.fixture
def port(shared_port: Port) -> Iterator[Port]:
    """A roomy port with nobody on it and every option as it was."""
    for name in ("dock", "pantry"):
        shared_port.wait_live(name, 0)
    yield shared_port
    for name in ("dock", "pantry"):
        shared_port.configure(name, reset_seconds=0.0, tool_seconds=0.0, fail_resets=0, tools_after_reset=False)


@pytest.fixture(scope="session")
def dock_tools(shared_port: Port) -> Toolset:
    return list_tools(shared_port.dock_url)


@pytest.fixture
def made() -> Iterator[list[Any]]:
    """Instances that are closed when the test ends."""
    environments: list[Any] = []
    yield environments
    for env in environments:
        env._close()


@pytest.fixture(scope="session")
def narrow_port() -> Iterator[Port]:
    """A port whose dock takes one session, and whose pantry reaps what was silent for a second."""
    with running(dock={"max_sessions": 1}, pantry={"session_timeout": 1.0}) as port:
        yield port
