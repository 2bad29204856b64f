"""TRL's trainers, as far as this plugin looks at them. The only module that imports trl, and it does so late."""

import sys
from importlib import import_module, metadata
from typing import Any, Literal

from .errors import UnsupportedTrl, WiringError
from .supported import PACKAGES, version_of

__all__ = ["Kind", "given", "kind_of", "rollout_arguments", "supported_version"]

Kind = Literal["grpo", "async"]
_HOMES: dict[Kind, tuple[str, str]] = {
    "async": ("trl.experimental.async_grpo", "AsyncGRPOTrainer"),
    "grpo": ("trl", "GRPOTrainer"),
}
_CROSSING = ("environment_factory", "reward_funcs", "tools")


def supported_version() -> str:
    """Return the version of the TRL that is installed.

    Raises:
        UnsupportedTrl: There is none, or it is too old.
    """
    needed = ".".join(map(str, PACKAGES["trl"].at_least))
    try:
        version = metadata.version("trl")
    except metadata.PackageNotFoundError:
        raise UnsupportedTrl(f"trl is not installed; install trl>={needed}", version="") from None
    if version_of(version) < PACKAGES["trl"].at_least:
        raise UnsupportedTrl(f"trl {version} is too old; install trl>={needed}", version=version)
    return version


def kind_of(trainer: Any, wanted: str = "wire() takes a GRPOTrainer or an AsyncGRPOTrainer") -> Kind:
    """Tell which of TRL's trainers this is.

    Args:
        trainer: What the user calls one.
        wanted: Who takes what, for the message.

    Returns:
        ``"async"`` for an AsyncGRPOTrainer, ``"grpo"`` for a GRPOTrainer, subclasses included.

    Raises:
        WiringError: It is none of them.
        UnsupportedTrl: TRL is missing or too old.
    """
    supported_version()
    for kind, (home, name) in _HOMES.items():
        if home in sys.modules and isinstance(trainer, getattr(import_module(home), name)):  # else it cannot be one
            return kind
    raise WiringError(f"{wanted}, not {_shown(trainer)}; give it the trainer once it is made")


def rollout_arguments(trainer: Any) -> dict[str, Any]:
    """Return what an AsyncGRPOTrainer hands to its rollout process; empty for a rollout worker that is not TRL's.

    Args:
        trainer: An AsyncGRPOTrainer.
    """
    arguments: dict[str, Any] = getattr(trainer.rollout_worker, "_loop_kwargs", {})  # TRL keeps them nowhere else
    return arguments


def given(trainer: Any) -> dict[str, Any]:
    """Return what a trainer was made with, as far as it still knows.

    Args:
        trainer: A GRPOTrainer or an AsyncGRPOTrainer.

    Returns:
        By the trainer's own names ``environment_factory``, ``reward_funcs``, ``tools``, ``args``, ``processing_class``,
        ``peft_config``, ``train_dataset``, ``model`` (name or path), and ``asynchronous`` (whether it is an AsyncGRPOTrainer).

    Raises:
        WiringError: It is no such trainer.
        UnsupportedTrl: TRL is missing or too old.
    """
    wanted = "preflight() takes a GRPOTrainer, an AsyncGRPOTrainer, or a dict of the keyword arguments one would be made with"
    asynchronous = kind_of(trainer, wanted) == "async"
    known = rollout_arguments(trainer) if asynchronous else _in_process(trainer)
    adapters = getattr(trainer.model, "peft_config", None)
    return {
        **{name: known.get(name) for name in _CROSSING},
        "args": trainer.args,
        "processing_class": trainer.processing_class,
        "peft_config": next(iter(adapters.values())) if isinstance(adapters, dict) and adapters else None,
        "train_dataset": trainer.train_dataset,
        "model": known.get("model_name") or getattr(trainer.model.config, "_name_or_path", None),
        "asynchronous": asynchronous,
    }


def _in_process(trainer: Any) -> dict[str, Any]:
    """What a GRPOTrainer was given; a column for each environment's reward stands behind the reward functions by now."""
    factories: Any = getattr(trainer, "environment_factories", None)
    single = factories is not None and list(factories) == [None]
    rewards = [function for function in trainer.reward_funcs if not _is_column(function)]
    tools = getattr(trainer, "_standalone_tools", None)  # `tools` has the environments' methods among them
    return {"environment_factory": factories[None] if single else factories, "reward_funcs": rewards, "tools": tools}


def _is_column(function: Any) -> bool:
    home, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    return home == "trl.trainer.grpo_trainer" and name.endswith("__init__.<locals>.get_reward")


def _shown(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"{type(value).__name__} {value!r:.100}"
