"""Several environments of one owner: asked once each, told apart, and told no secrets of one another."""

from typing import Any

import pytest
from quay.answers import answering
from quay.helpers import nowhere, running, toolset

from benchmarks.portsim.launch import Port
from benchmarks.portsim.players import play_pantry
from envpickle import Secret
from envpickle.errors import OwnerClosed
from envpickle_openenv import AgentEnv, server_settings
from envpickle_openenv.errors import ServerSettingsError


def test_several_environments_of_several_servers(port: Port) -> None:
    with AgentEnv(port.dock_url, name="Dock", on_error="unscored") as dock:
        listed = port.status()["pantry"]["tools_listed"]
        factories = dock.factories(Pantry=port.pantry_url, Larder=server_settings(port.pantry_url, call_timeout=5))
        assert list(factories) == ["Dock", "Pantry", "Larder"]
        assert [cls.__name__ for cls in factories.values()] == ["Dock", "Pantry", "Larder"]
        assert len(set(factories.values())) == 3
        assert dock.factories(Pantry=port.pantry_url)["Pantry"] is factories["Pantry"]
        assert port.status()["pantry"]["tools_listed"] == listed + 2
        env = factories["Pantry"]()
        env.reset(seed=3)
        play_pantry(env)
        assert env.get_reward() == 1.0
        with pytest.raises(ServerSettingsError, match="this environment's own name"):
            dock.factories(Dock=port.pantry_url)
        with pytest.raises(ServerSettingsError, match="name of another server already"):
            dock.factories(Pantry=port.dock_url)
    port.wait_live("pantry", 0)


def test_what_lets_one_in_is_not_told_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers go along to another environment of the same server, and to no other server."""
    monkeypatch.setenv("QUAY_TOKEN", "swordfish")
    seen: list[str | None] = []

    def answer(message: dict[str, Any], headers: dict[str, str]) -> Any:
        seen.append(headers.get("authorization"))
        return {"tools": [{"name": "move"}]}

    headers = {"Authorization": Secret("QUAY_TOKEN")}
    with answering(answer) as here, answering(answer) as elsewhere:
        env = AgentEnv(here, name="A", headers=headers, call_timeout=7)
        env.factories(B=f"{here}/b", C=elsewhere, D=server_settings(elsewhere, headers=headers))
        env.close()
    assert seen == ["swordfish", "swordfish", None, "swordfish"]


def test_classes_of_one_name_are_refused() -> None:
    """Trainers name reward columns after classes."""
    one, two = (AgentEnv(nowhere(), name="Dock", toolset=toolset("move")) for _ in range(2))
    for other in (one, two):
        with pytest.raises(ServerSettingsError, match="several classes are called Dock"):
            one.factories(Other=other)


def test_a_closed_agent_env_asks_nobody() -> None:
    env = AgentEnv(nowhere(), toolset=toolset("move"), retry_for=3600)
    env.close()
    with running(lambda: env.factories(Other=nowhere())) as call:
        pass
    assert isinstance(call.error, OwnerClosed)


def test_another_agent_env_keeps_its_own_class(port: Port) -> None:
    with AgentEnv(port.pantry_url, name="Pantry") as pantry:
        with AgentEnv(port.dock_url, name="Dock") as dock:
            factories = dock.factories(Pantry=pantry)
            assert factories == {"Dock": dock.factory, "Pantry": pantry.factory}
        pantry.factory()
