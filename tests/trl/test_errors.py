"""The plugin's errors: each is raised by what it is for, says what, which, why and what next, and survives a pickle."""

import multiprocessing
import os
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from voyage import telling

import envpickle_trl
from envpickle.errors import EnvpickleError
from envpickle_trl import Finding, Report, errors, rollout_end, trainers, wiring


def _locked_reward() -> None:
    lock = threading.Lock()

    def reward(completions: list[Any], **kwargs: Any) -> list[float]:
        with lock:
            return [0.0] * len(completions)

    handed = {"environment_factory": None, "reward_funcs": [reward], "tools": None}
    wiring._check_crossing(SimpleNamespace(rollout_worker=SimpleNamespace(_loop_kwargs=handed)))


def _dead() -> None:
    process = multiprocessing.get_context("spawn").Process(target=os._exit, args=(3,))
    process.start()
    process.join()
    raise rollout_end._died(process, None)


def _trained() -> None:
    raise rollout_end._trained_already()


def _too_old() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainers.metadata, "version", lambda name: "1.0.0")
        trainers.supported_version()


def _report() -> None:
    Report([Finding("server.capacity", "Dock", "error", "The server has no room.", "Raise its limit.")]).raise_for_errors()


RAISED: dict[str, tuple[Callable[[], Any], type[BaseException], str]] = {
    "WiringError": (lambda: envpickle_trl.wire(object()), TypeError, "object"),
    "UnsupportedTrl": (_too_old, RuntimeError, r"trl 1\.0\.0"),
    "CrossingRefused": (_locked_reward, TypeError, r"reward_funcs\[0\].*lock"),
    "NotPortable": (lambda: envpickle_trl.portable("some/reward-model"), EnvpickleError, "some/reward-model"),  # type: ignore[arg-type]
    "RolloutProcessDied": (_dead, RuntimeError, r"pid \d+.*status 3"),
    "AlreadyTrained": (_trained, RuntimeError, "AsyncGRPOTrainer"),
    "EnvironmentsError": (lambda: envpickle_trl.factories(**{"dock-1": object()}), ValueError, "dock-1"),  # type: ignore[arg-type]
    "PreflightFailed": (_report, RuntimeError, "Dock"),
}
BRANCHES = ("TrlError",)


@pytest.mark.parametrize("name", RAISED)
def test_each_error_is_raised_told_and_pickled(name: str) -> None:
    """It is what callers catch, its message has all four parts, and it comes back whole from a pickle."""
    with pytest.raises(getattr(errors, name)) as caught:
        RAISED[name][0]()

    assert type(caught.value).__name__ == name
    assert isinstance(caught.value, RAISED[name][1])
    assert isinstance(caught.value, EnvpickleError)
    assert telling.faults(str(caught.value), RAISED[name][2]) == []
    assert telling.changed_by_pickling(caught.value) == []


def test_every_error_is_tested() -> None:
    """No error of the plugin is without a row."""
    assert set(errors.__all__) == {*RAISED, *BRANCHES}
