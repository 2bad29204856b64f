"""Classes of torch and transformers that a builder makes."""

import dataclasses
from typing import Any

import torch
from transformers import Qwen3ForCausalLM
from transformers.utils import ModelOutput

import envpickle


@envpickle.builder
def stepper(name: str) -> type:
    """An optimizer with a step of its own."""

    class Stepper(torch.optim.Optimizer):
        def __init__(self, params: Any, lr: float = 0.5) -> None:
            super().__init__(params, {"lr": lr})

        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            with torch.no_grad():
                for parameter in self.param_groups[0]["params"]:
                    parameter -= self.param_groups[0]["lr"] * parameter.grad

    return Stepper


@envpickle.builder
def renamed_optimizer(name: str) -> type:
    """An optimizer with the step of its base."""

    class Renamed(torch.optim.Adadelta):
        where = name

    return Renamed


@envpickle.builder
def late_optimizer(name: str) -> type:
    """The same of a base that nothing has used yet."""

    class Late(torch.optim.Adagrad):
        where = name

    return Late


@envpickle.builder
def talker(name: str) -> type:
    """A model of transformers with a method more."""

    class Talker(Qwen3ForCausalLM, metaclass=envpickle.RuntimeType):
        def whoami(self) -> str:
            return name

    return Talker


@envpickle.builder
def settings(name: str) -> type:
    """A dataclass that transformers makes a command's arguments of."""

    @dataclasses.dataclass
    class Settings:
        steps: "int" = 1
        note: str | None = None

    return Settings


@envpickle.builder
def output(name: str) -> type:
    """What a model gives, as transformers has it."""

    @dataclasses.dataclass
    class Output(ModelOutput, metaclass=envpickle.RuntimeType):
        loss: torch.Tensor | None = None
        said: str | None = None

    return Output
