"""What the tests of a release share: built distributions, and `tests/release/support` on the path."""

import sys
from pathlib import Path

import pytest

SUPPORT = str(Path(__file__).parent / "support")
if SUPPORT not in sys.path:
    sys.path.insert(0, SUPPORT)

from slipway import SOURCES, Archives, make_dist  # noqa: E402 -- found by the path above


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    return make_dist(tmp_path_factory.mktemp("release") / "dist")


@pytest.fixture(params=SOURCES)
def name(request: pytest.FixtureRequest) -> str:
    """Each distribution in turn."""
    return str(request.param)
