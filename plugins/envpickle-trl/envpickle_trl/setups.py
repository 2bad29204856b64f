"""What is to be trained, as the checks look at it: a trainer, or the arguments one would be made with."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import getmembers, isfunction
from itertools import islice
from types import FunctionType, MethodType
from typing import Any

from envpickle import Owner, describe
from envpickle.errors import EnvpickleError

from .mainscript import Script
from .schemas import load_tokenizer
from .served import Served
from .supported import DEFAULTS

__all__ = ["NotChecked", "Played", "Setup"]

_MOST_ROWS = 10_000  # a second or so; what is wrong with a data set is mostly wrong with its first rows


class NotChecked(Exception):
    """A check cannot run; the text says why."""


@dataclass(frozen=True)
class Played:
    """One environment that is played.

    Attributes:
        subject: How the user wrote it: ``environment_factory``, or ``environment_factory['dock']``.
        cls: The class of its instances.
        arguments: What its builder was called with; empty if no builder made it.
    """

    subject: str
    cls: type
    arguments: Mapping[str, Any]

    def functions(self) -> dict[str, FunctionType]:
        """The public plain functions of the class, by name: what the trainer takes for ``reset``, reward and tools."""
        return {name: value for name, value in getmembers(self.cls, isfunction) if not name.startswith("_")}

    def lists(self, method: str) -> bool:
        """Whether a method calls a tool of the environment's server, and is none of ours whatever its name."""
        listed = self.arguments.get("tools")
        tools = listed if isinstance(listed, list | tuple) else ()
        return any(isinstance(tool, Mapping) and tool.get("method", tool.get("name")) == method for tool in tools)

    def tools(self) -> dict[str, MethodType]:
        """The methods the model is offered, by name, bound to an object that stands for an instance."""
        functions = self.functions()
        return {name: MethodType(functions[name], self) for name in functions if name not in ("reset", "get_reward")}


@dataclass(frozen=True)
class Setup:
    """Everything the checks look at.

    Attributes:
        given: The trainer's arguments by name.
        asynchronous: Whether the trainer spawns a rollout process, as AsyncGRPO does.
        script: The training script.
        server: The address of the vLLM server, if it is not the one in the arguments.
        longest_conversation: Tokens of the longest conversation before its last turn, if the user knows.
        probe_sessions: Whether sessions may be opened on the environments' servers.
    """

    given: Mapping[str, Any]
    asynchronous: bool
    script: Script | None = None
    server: str | None = None
    longest_conversation: int | None = None
    probe_sessions: bool = True

    def setting(self, name: str) -> Any:
        """Look up one setting of the training arguments, or its default in TRL."""
        args = self.given.get("args")
        found = args.get(name) if isinstance(args, Mapping) else getattr(args, name, None)
        return DEFAULTS[name] if found is None else found

    @cached_property
    def served(self) -> Served:
        """The vLLM server."""
        return Served(self.server or self.setting("vllm_server_base_url"))

    @property
    def model(self) -> str | None:
        """The model's name or directory, if it was given by name."""
        model = self.given.get("model")
        return model if isinstance(model, str) else None

    @property
    def reward_funcs(self) -> list[Any]:
        """The reward functions as a list."""
        given = self.given.get("reward_funcs")
        return list(given) if isinstance(given, list | tuple) else [] if given is None else [given]

    @property
    def tools(self) -> list[Any]:
        """The tools that belong to no environment."""
        given: Any = self.given.get("tools") or ()
        return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]

    @cached_property
    def rows(self) -> list[Mapping[str, Any]]:
        """The first rows of the data set; none of one that is a stream, which reading would use up.

        Raises:
            NotChecked: It cannot be read, or has something else for rows.
        """
        dataset: Any = self.given.get("train_dataset")
        try:
            rows = list(islice(dataset, _MOST_ROWS)) if hasattr(dataset, "__len__") else []
        except Exception as error:  # it is the user's code
            raise NotChecked(f"train_dataset cannot be read: {type(error).__name__}: {error}") from error
        for index, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise NotChecked(f"train_dataset[{index}] is {row!r:.80}, and a row has its values by the column's name")
        return rows

    @cached_property
    def environments(self) -> list[Played]:
        """The environments' classes; a factory that is no class is called once, as the rollout process does it.

        Raises:
            NotChecked: A factory cannot be called here.
        """
        factory = self.given.get("environment_factory")
        if factory is None:
            return []
        if isinstance(factory, Mapping):
            return [_played(f"environment_factory[{name!r}]", each) for name, each in factory.items()]
        return [_played("environment_factory", factory)]

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer given, or the model's if it is on this machine; else None."""
        given = self.given.get("processing_class")
        if given is not None:
            return getattr(given, "tokenizer", given)
        return load_tokenizer(self.model) if self.model is not None else None

    @property
    def inflight(self) -> int:
        """How many episodes are played at once, which is how many sessions are open."""
        asked: int | None = self.setting(self.inflight_setting)
        if asked is not None and asked >= 0:
            return asked
        batch = self.setting("per_device_train_batch_size") * self.setting("gradient_accumulation_steps")
        return int(batch * self.setting("world_size") * (max(self.setting("max_staleness"), 1) if self.asynchronous else 1))

    @property
    def inflight_setting(self) -> str:
        """The training argument that limits how many episodes are played at once."""
        return "max_inflight_tasks" if self.asynchronous else "generation_batch_size"


def _played(subject: str, factory: Callable[[], Any]) -> Played:
    cls = _class_of(factory, subject)
    try:
        arguments = describe(cls).arguments
    except EnvpickleError:  # no builder made it, or it does not travel: the check of that says why
        arguments = {}
    return Played(subject, cls, arguments)


def _class_of(factory: Any, subject: str) -> type:
    inner = factory
    while isinstance(inner, partial):
        inner = inner.func
    if isinstance(inner, type):
        return inner
    if isinstance(inner, Owner):
        raise NotChecked(f"{subject} is {inner!r:.100}, which makes no instances; hand over its class (an AgentEnv's .factory)")
    try:
        instance = factory()
    except Exception as error:  # it is the user's code
        raise NotChecked(f"{subject} cannot be called here: {type(error).__name__}: {error}") from error
    if isinstance(instance, type):
        raise NotChecked(
            f"{subject} returns {instance!r:.100}, a class, where the trainer needs an instance; hand over the class"
        )
    close = getattr(instance, "_close", None) or getattr(instance, "close", None)
    if callable(close):
        with suppress(Exception):  # the user's code, and none of what is looked at here
            close()
    return type(instance)
