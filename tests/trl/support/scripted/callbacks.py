"""Something done at a moment of a training."""

from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback


class AfterStep(TrainerCallback):
    """Does something after one step.

    Args:
        step: The step, counted from 1.
        action: What is done; given the trainer's control.
    """

    def __init__(self, step: int, action: Callable[[Any], None]) -> None:
        self.step = step
        self.action = action

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.global_step == self.step:
            self.action(control)
