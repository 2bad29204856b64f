"""Run the state machine: `python -m tides [--steps N] [--seed N] [--examples N]`; prints what was done."""

import argparse
import os
import sys
import time

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

import envpickle
from tides.counting import AT_ONCE
from tides.machine import BY_RULE, COUNTED, child, end_child
from tides.rules import Machine

STEPS_IN_AN_EXAMPLE = 50


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tides", description=__doc__)
    parser.add_argument("--steps", type=int, default=1000, help="end once so many steps were taken")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end once so many seconds have passed")
    parser.add_argument("--seed", type=int, default=None, help="repeat a run; random if not given")
    parser.add_argument("--at-once", action="store_true", help="end with the first failure, and look for no shorter way to it")
    return parser.parse_args()


def main() -> None:
    """Run batches of examples until the steps are taken."""
    said = options()
    number = said.seed if said.seed is not None else int.from_bytes(os.urandom(4))
    print(f"envpickle is {envpickle.__file__}; seed {number}", flush=True)
    begun = time.monotonic()
    AT_ONCE[0] = said.at_once
    child()
    try:
        while COUNTED["steps"] < said.steps and time.monotonic() - begun < said.seconds:
            examples = max(1, min(20, (said.steps - COUNTED["steps"]) // STEPS_IN_AN_EXAMPLE))
            bounds = settings(
                max_examples=examples,
                stateful_step_count=STEPS_IN_AN_EXAMPLE,
                database=None,
                deadline=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
                print_blob=False,
                verbosity=Verbosity.normal,
            )
            run_state_machine_as_test(seed(number)(Machine), settings=bounds)
            number += 1
    finally:
        end_child()
        seconds = time.monotonic() - begun
        print(", ".join(f"{name}: {count}" for name, count in BY_RULE.most_common()))
        print(
            ", ".join(f"{name}: {count}" for name, count in COUNTED.items()), f"in {seconds:.0f} s on", sys.version.split()[0]
        )


if __name__ == "__main__":
    main()
