"""A rule that counts its steps."""

import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from hypothesis.stateful import precondition, rule

from tides.machine import BY_RULE, COUNTED, end_child

AT_ONCE = [False]  # whether the first failure ends the process, instead of Hypothesis looking for the shortest way to it


def end_at_once(state: Any) -> None:
    """Print the failure that is being handled and the way to it, and end this process and the child, if that is wanted."""
    if AT_ONCE[0]:
        traceback.print_exc()
        print("the way there:", *state.log, sep="\n  ")
        print(COUNTED, flush=True)
        end_child()
        sys.stderr.flush()
        os._exit(1)


def step(when: Callable[[Any], bool] | None = None, **arguments: Any) -> Callable[[Any], Any]:
    """Mark a method as a rule of the machine. It returns False where it did nothing; every other time is one step.

    Args:
        when: Asked of the machine before; the rule runs only where it is true.
        **arguments: Strategies for the method's arguments, as `hypothesis.stateful.rule` takes them.
    """

    def mark(method: Any) -> Any:
        @functools.wraps(method)
        def counted(self: Any, **given: Any) -> None:
            self.log.append(f"{method.__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})")
            self.failed = True  # until it is through: what a traceback holds is not collected
            try:
                if method(self, **given) is not False:
                    COUNTED["steps"] += 1
                    BY_RULE[method.__name__] += 1
                self.nobody_elses_instances_are_closed()
            except Exception:
                end_at_once(self)
                raise
            self.failed = False

        made = rule(**arguments)(counted)
        return precondition(when)(made) if when is not None else made

    return mark
