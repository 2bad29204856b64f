"""The plugin's errors: each is raised by what it is for, says what, which, why and what next, and survives a pickle."""

from collections.abc import Callable
from typing import Any

import pytest
from quay.answers import answering
from quay.helpers import dock_class, nowhere, toolset
from voyage import telling

from benchmarks.portsim.launch import Port
from envpickle.errors import EnvpickleError
from envpickle_openenv import errors, list_tools, server_settings


def _full(port: Port, made: list[Any]) -> None:
    dock = dock_class(port.dock_url, retry_for=0.2)
    made += [dock(), dock()]
    for env in made:
        env.reset(seed=1)


def _failing(port: Port, made: list[Any]) -> None:
    port.configure("dock", fail_resets=1)
    made.append(dock_class(port.dock_url)())
    made[0].reset(seed=1)


def _not_begun(port: Port, made: list[Any]) -> None:
    made.append(dock_class(port.dock_url)())
    made[0].crane_status()


def _closed(port: Port, made: list[Any]) -> None:
    env = dock_class(port.dock_url)()
    env._close()
    env.reset(seed=1)


def _nothing_listed(port: Port, made: list[Any]) -> None:
    with answering(lambda message, headers: {"tools": []}) as url:
        list_tools(url)


RAISED: dict[str, tuple[Callable[[Port, list[Any]], Any], type[BaseException], str]] = {
    "ToolsetError": (lambda port, made: toolset("move", "move"), ValueError, "move"),
    "ServerSettingsError": (lambda port, made: server_settings("localhost"), ValueError, "localhost"),
    "ListingError": (_nothing_listed, RuntimeError, r"127\.0\.0\.1"),
    "ServerUnavailable": (_full, ConnectionError, r"127\.0\.0\.1"),
    "ServerRefused": (_failing, RuntimeError, r"127\.0\.0\.1"),
    "SessionLost": (_not_begun, ConnectionError, "crane_status"),
    "EnvironmentClosed": (_closed, RuntimeError, "environment"),
}
BRANCHES = ("OpenEnvError", "SessionError")


@pytest.mark.parametrize("name", RAISED)
def test_each_error_is_raised_told_and_pickled(name: str, narrow_port: Port, made: list[Any]) -> None:
    """It is what callers catch, its message has all four parts, and it comes back whole from a pickle."""
    narrow_port.wait_live("dock", 0)
    raises, kind, subject = RAISED[name]
    with pytest.raises(getattr(errors, name)) as caught:
        raises(narrow_port, made)

    assert type(caught.value).__name__ == name
    assert isinstance(caught.value, kind)
    assert isinstance(caught.value, EnvpickleError)
    assert telling.faults(str(caught.value), subject) == []
    assert telling.changed_by_pickling(caught.value) == []


def test_a_server_that_is_not_there_is_told_too(made: list[Any]) -> None:
    """Nobody listens: the message says where, for how long it was tried, and what to look at."""
    made.append(dock_class(nowhere(), toolset("move"), retry_for=0.1)())
    with pytest.raises(errors.ServerUnavailable) as caught:
        made[0].reset()

    assert telling.faults(str(caught.value), r"127\.0\.0\.1:9") == []


def test_every_error_is_tested() -> None:
    """No error of the plugin is without a row."""
    assert set(errors.__all__) == {*RAISED, *BRANCHES}
