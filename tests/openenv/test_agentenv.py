"""From an address to classes that are sent out, play, and close with their owner."""

import logging
import multiprocessing
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import pytest
from quay import child
from quay.guarded import guarded
from quay.helpers import HANG_SECONDS, nowhere, toolset

import envpickle
from benchmarks.portsim.launch import Port
from benchmarks.portsim.players import play_dock
from envpickle import Owner, Secret
from envpickle.errors import OwnerClosed, SecretMissing
from envpickle_openenv import AgentEnv
from envpickle_openenv.errors import EnvironmentClosed, ListingError, ServerSettingsError, ToolsetError

HEAVY = {"typing", "inspect", "dataclasses", "json", "asyncio", "ssl", "httpx", "websockets", "tenacity", "pluggy"}


@contextmanager
def sent(target: Callable[[bytes, Connection], None], obj: Any) -> Iterator[Connection]:
    """A spawned process that was sent an object."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(pickle.dumps(obj), there))
    process.start()
    there.close()
    try:
        assert here.poll(HANG_SECONDS), "the child said nothing"
        yield here
    finally:
        here.close()
        process.join(HANG_SECONDS)
        process.kill()
        process.join()


def test_the_server_is_asked_once_though_the_class_is_built_in_three_processes(port: Port) -> None:
    before = port.status()["dock"]["tools_listed"]
    with AgentEnv(port.dock_url, name="Dock") as dock:
        for _ in range(2):
            with sent(child.play, dock.factory) as line:
                reward, cls, env = line.recv()
                assert reward == 1.0
                assert pickle.loads(cls) is dock.factory
                assert type(pickle.loads(env)) is dock.factory
                port.wait_live("dock", 1)
                line.send("end")
            port.wait_live("dock", 0)
        env = dock.factory()
        env.reset(seed=1)
        play_dock(env)
        assert env.get_reward() == 1.0
    assert port.status()["dock"]["tools_listed"] == before + 1


def test_close_ends_every_session_and_no_other_owner_s(port: Port) -> None:
    with AgentEnv(port.dock_url) as mine, AgentEnv(port.dock_url, toolset=mine.toolset) as other:
        assert mine.factory is not other.factory
        environments = [mine.factory() for _ in range(3)]
        copied = pickle.loads(pickle.dumps(environments[0]))
        theirs = other.factory()
        for env in (*environments, copied, theirs):
            env.reset(seed=1)
        port.wait_live("dock", 5)
        data = pickle.dumps(mine.factory)
        mine.close()
        port.wait_live("dock", 1)
        assert mine.closed
        assert not other.closed
        assert theirs.crane_status() == "the crane is ready"
        with pytest.raises(EnvironmentClosed):
            copied.crane_status()
        with pytest.raises(OwnerClosed):
            mine.factory()
        with pytest.raises(OwnerClosed):
            pickle.loads(data)()
    port.wait_live("dock", 0)


def test_a_class_rebuilt_here_closes_like_the_original(port: Port) -> None:
    """The original is gone; what is rebuilt of its bytes in this process belongs to the same owner."""
    with AgentEnv(port.dock_url) as dock:
        data = pickle.dumps(dock.factory)
        dock.factory = type(None)  # type: ignore[assignment]
        env = pickle.loads(data)()
        env.reset(seed=1)
        port.wait_live("dock", 1)
    port.wait_live("dock", 0)


def test_an_agent_env_is_an_owner(port: Port) -> None:
    with AgentEnv(port.dock_url) as dock:
        assert isinstance(dock, Owner)
        assert envpickle.describe(dock.factory).owner == dock.key


def test_equal_servers_and_tools_share_what_travels(port: Port) -> None:
    """A hundred owners' classes on one toolset carry it once."""
    with AgentEnv(port.dock_url) as dock:
        one = len(pickle.dumps(dock.factory))
        owners = [AgentEnv(port.dock_url, toolset=dock.toolset) for _ in range(100)]
        assert len(pickle.dumps([owner.factory for owner in owners])) < 2 * one + 100 * 400
        for owner in owners:
            owner.close()


def test_a_toolset_given_is_renamed_too() -> None:
    known = toolset("move", "look")
    with AgentEnv(nowhere(), toolset=known, rename={"look": "see"}) as env:
        assert env.toolset.methods == {"move": "move", "look": "see"}
        assert known.methods == {"move": "move", "look": "look"}
        assert AgentEnv(nowhere(), toolset=env.toolset, rename={"move": "go"}).toolset.methods == {"move": "go", "look": "see"}


@pytest.mark.parametrize("tasks", [{"seed": 1}, 5, "abc", [1], [None], [{1: 2}], [[("seed", 1)]]])
def test_tasks_that_are_no_rows(tasks: Any) -> None:
    with pytest.raises(TypeError, match="tasks are rows for reset"):
        AgentEnv(nowhere(), toolset=toolset("move"), tasks=tasks)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": 5}, "5 is no class name"),
        ({"name": "my dock"}, "'my dock' is no class name"),
        ({"on_error": "ignore"}, "on_error is 'ignore'"),
        ({"max_result_chars": "9"}, "max_result_chars is '9'"),
        ({"toolset": [{"name": "move"}]}, "toolset is a list; give a Toolset, such as Toolset.from_listing"),
        ({"toolset": toolset("move"), "rename": ["move"]}, r"rename is \['move'\]; give a dict"),
        ({"toolset": toolset("move"), "rename": {"move": 5}}, "rename is {'move': 5}; give a dict"),
    ],
)
def test_what_cannot_be_used_is_told_before_anybody_is_asked(given: dict[str, Any], message: str) -> None:
    """It would be told of a server that does not answer instead, after a minute."""
    with pytest.raises(ToolsetError, match=message):
        AgentEnv(nowhere(), retry_for=3600, **given)


def test_a_task_of_another_environment_is_refused() -> None:
    rows: list[dict[str, Any]] = [{"environment": "Dock", "goods": [1]}]
    with AgentEnv(nowhere(), name="Dock", toolset=toolset("move"), tasks=rows) as env:
        rows[0]["goods"].append(2)
        assert env.tasks == [{"environment": "Dock", "goods": [1]}]
    with pytest.raises(ServerSettingsError, match="a task of 'Pantry' is for the environment 'Dock'"):
        AgentEnv(nowhere(), name="Pantry", toolset=toolset("move"), tasks=rows)


def test_tasks_are_rows_for_reset(port: Port) -> None:
    rows = [{"seed": 1}, {"seed": 2, "containers": 2}]
    with AgentEnv(port.dock_url, name="Dock", tasks=rows) as dock:
        assert dock.tasks == [{"environment": "Dock", **row} for row in rows]
        rows[0]["seed"] = 9
        assert dock.tasks[0]["seed"] == 1
        env = dock.factory()
        for task in dock.tasks:
            env.reset(**task)
            play_dock(env)
            assert env.get_reward() == 1.0
    with pytest.raises(TypeError, match="JSON cannot hold"):
        AgentEnv(nowhere(), toolset=toolset("move"), tasks=[{"seed": object()}])


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://host:8000", "Environment"),
        ("https://host/dock", "Dock"),
        ("http://host/port/dock-no_2/", "DockNo2"),
        ("http://host/2nd", "Environment"),
        (Secret("PORT_URL"), "Environment"),
    ],
)
def test_names_from_addresses(url: str | Secret, name: str) -> None:
    with AgentEnv(url, toolset=toolset("move")) as env:
        assert env.name == env.factory.__name__ == name


def test_names_asked_for() -> None:
    with AgentEnv(nowhere(), name="Quay", toolset=toolset("move")) as env:
        assert env.factory.__name__ == "Quay"
    with pytest.raises(ToolsetError, match="'no name' is no class name"):
        AgentEnv(nowhere(), name="no name", toolset=toolset("move"))


def test_tools_are_renamed_as_asked(port: Port) -> None:
    with AgentEnv(port.dock_url, rename={"crane_status": "look"}) as dock, dock.factory() as env:
        env.reset(seed=1)
        assert env.look() == "the crane is ready"
        assert not hasattr(env, "crane_status")


def test_a_server_that_lists_tools_only_after_a_task(port: Port) -> None:
    port.configure("dock", tools_after_reset=True)
    with AgentEnv(port.dock_url, list_task={"seed": 1}) as dock:
        assert "crane_status" in dock.toolset.names
    port.wait_live("dock", 0)


def test_nobody_there() -> None:
    with pytest.raises(ListingError, match="could not be asked"):
        AgentEnv(nowhere(), retry_for=0.2)


LOOK = """
import pickle, sys
before = set(sys.modules)
pickle.load(sys.stdin.buffer)
print(*sorted(set(sys.modules) - before))
"""


def test_loading_a_class_imports_nothing_that_speaks_to_a_server() -> None:
    """In a fresh interpreter: the builder's module and its light neighbours, and nothing heavy of anybody's."""
    with AgentEnv(nowhere(), toolset=toolset("move")) as env:
        sent = pickle.dumps(env.factory)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    look = [sys.executable, "-c", LOOK]
    loaded = set(subprocess.run(look, input=sent, stdout=subprocess.PIPE, check=True, env=environment).stdout.decode().split())
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("envpickle_openenv")} == {
        "envpickle_openenv",
        "envpickle_openenv.environment",
        "envpickle_openenv.signature",
    }


def test_a_secret_travels_by_name_and_opens_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session's headers are made where it is opened, of what that process's environment holds."""
    monkeypatch.setenv("QUAY_TOKEN", "flounder")
    headers = {"Authorization": ["Bearer ", Secret("QUAY_TOKEN")]}
    with guarded("Bearer swordfish") as url, AgentEnv(url, toolset=toolset("move"), headers=headers, retry_for=0.2) as env:
        assert b"flounder" not in pickle.dumps(env.factory)
        with sent(child.resolve_header, env.factory) as line:
            assert line.recv() == "welcome"
        with pytest.raises(envpickle.errors.EnvpickleError, match="answered HTTP 401") as caught:
            env.factory().reset()
        assert "flounder" not in str(caught.value)
        monkeypatch.delenv("QUAY_TOKEN")
        with pytest.raises(SecretMissing, match="QUAY_TOKEN"):
            env.factory().reset()


def test_secrets_are_not_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """With every logger at its most talkative."""
    monkeypatch.setenv("QUAY_TOKEN", "swordfish")
    caplog.set_level(logging.DEBUG)
    with guarded("Bearer swordfish") as url:
        monkeypatch.setenv("QUAY_URL", url.replace("://", "://docker:flounder@"))
        headers = {"Authorization": ["Bearer ", Secret("QUAY_TOKEN")]}
        with pytest.raises(ListingError):
            AgentEnv(Secret("QUAY_URL"), headers=headers, retry_for=0.2)
        with AgentEnv(Secret("QUAY_URL"), toolset=toolset("move"), headers=headers) as env:
            assert env.factory().reset() == "welcome"
    client = [record for record in caplog.records if record.name != "websockets.server"]
    assert any(record.name.startswith("http") for record in client), "nothing was logged at all"
    assert not any(secret in record.getMessage() for record in client for secret in ("swordfish", "flounder"))


def test_a_secret_address_opens_the_door_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with guarded("Basic ZG9ja2VyOnN3b3JkZmlzaA==") as url:
        monkeypatch.setenv("QUAY_URL", url.replace("://", "://docker:swordfish@"))
        with AgentEnv(Secret("QUAY_URL"), toolset=toolset("move"), retry_for=0.2) as env:
            assert env.factory().reset() == "welcome"
            monkeypatch.setenv("QUAY_URL", url.replace("://", "://docker:flounder@"))
            with pytest.raises(envpickle.errors.EnvpickleError, match=r"Secret.*QUAY_URL.*answered HTTP 401") as caught:
                env.factory().reset()
            assert "flounder" not in str(caught.value)
            assert os.environ["QUAY_URL"] not in repr(caught.value)
