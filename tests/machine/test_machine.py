"""The promises under any order of events: a state machine with a model beside it, from `tests/support/tides`.

The seed is the same at every run, so that a change is judged by what it changed; `make machine` takes 50,000 steps by
another. `ENVPICKLE_MACHINE_STEPS` and `ENVPICKLE_MACHINE_SEED` take others here. A failure prints the steps that led to it and
its seed; `make machine ARGS="--seed N"` looks for the shortest way there.
"""

import os
import re

import pytest
from tides.running import run_machine

STEPS = int(os.environ.get("ENVPICKLE_MACHINE_STEPS", "2500"))
SEED = os.environ.get("ENVPICKLE_MACHINE_SEED", "9500")


@pytest.mark.slow
@pytest.mark.timeout(100 + STEPS // 20)
def test_promises_hold_in_any_order() -> None:
    """Built, registered, derived, changed, reloaded, sent, loaded, dropped and closed at random, no promise is broken."""
    status, printed = run_machine("--at-once", "--steps", str(STEPS), "--seed", SEED, seconds=90 + STEPS // 20)

    assert status == 0, printed
    print(printed)
    counts = {name: int(count) for name, count in re.findall(r"([a-z_ ]+): (\d+)", printed)}
    assert counts["steps"] >= STEPS
    missing = [name for name, count in counts.items() if not count]
    assert not missing, f"never done: {missing}"
