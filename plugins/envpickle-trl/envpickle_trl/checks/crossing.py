"""Whether environments, reward functions and tools cross into the rollout process."""

from collections.abc import Iterator

from ..crossing import check_crossing
from ..report import Finding
from ..setups import Setup

NAME = "crossing"
FINDINGS = {"crossing": "Something handed to the rollout process cannot be pickled, or is not found there."}


def check(setup: Setup) -> Iterator[Finding]:
    """Pickle every part as starting the rollout process does."""
    parts = {name: setup.given.get(name) for name in ("environment_factory", "reward_funcs", "tools")}
    yield from check_crossing(**parts, main=setup.script)
