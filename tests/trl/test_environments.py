"""Several environments in one run: their names, their reward columns, and what each rollout is shown."""

import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from scripted.server import calls, says, serving
from scripted.worker import samples_of

import envpickle_trl
from benchmarks.portsim.launch import Port
from envpickle_openenv import AgentEnv
from envpickle_trl.errors import EnvironmentsError

DOCK, PANTRY = "move_container", "read_recipe"


class Importable:
    """An environment of a module, which no builder made."""

    def reset(self, **task: Any) -> None:
        """Begin."""


@pytest.fixture
def both(port: Port) -> Iterator[tuple[AgentEnv, AgentEnv]]:
    with (
        envpickle_trl.environment(port.dock_url, name="Dock") as dock,
        envpickle_trl.environment(port.pantry_url, name="Pantry") as pantry,
    ):
        yield dock, pantry


def test_each_is_called_what_its_column_says(both: tuple[AgentEnv, AgentEnv]) -> None:
    dock, pantry = both
    found = envpickle_trl.factories(dock, pantry, Easy=dock)
    assert list(found) == [cls.__name__ for cls in found.values()] == ["Dock", "Pantry", "Easy"]
    assert found["Dock"] is dock.factory
    assert issubclass(found["Easy"], dock.factory)
    assert found["Easy"] is envpickle_trl.factories(Easy=dock)["Easy"]
    assert envpickle_trl.factories(Mine=Importable)["Mine"].__mro__[1] is Importable
    assert envpickle_trl.factories(Importable) == {"Importable": Importable}


def test_an_environment_under_another_name_closes_with_its_owner(both: tuple[AgentEnv, AgentEnv], port: Port) -> None:
    dock, _ = both
    env = envpickle_trl.factories(Easy=dock)["Easy"]()
    env.reset()
    port.wait_live("dock", 1)
    dock.close()
    port.wait_live("dock", 0)


def test_what_cannot_be_put_together_is_refused(both: tuple[AgentEnv, AgentEnv]) -> None:
    dock, pantry = both
    for message, positional, named in (
        ("two environments are called 'Dock'", [dock, dock.factory], {}),
        ("'Dock' is the name of an environment given without one", [dock], {"Dock": pantry}),
        ("cannot be a class's name", [], {"dock-1": dock}),
        ("neither an AgentEnv nor a class", [], {"Dock": lambda: dock.factory()}),
        (r"give them one by one, as in factories\(\*environments\)", [[dock, pantry]], {}),
        (r"give them one by one, as in factories\(\*\*environments\)", [{"Dock": dock}], {}),
        ("no environment among these", [], {}),
    ):
        with pytest.raises(EnvironmentsError, match=message):
            envpickle_trl.factories(*positional, **named)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_mixture_in_the_rollout_process(both: tuple[AgentEnv, AgentEnv], port: Port, tokenizer: Any) -> None:
    """An unpickled dict: every prompt has its own tools alone, and every environment its own reward column."""
    dock, pantry = both
    found = pickle.loads(pickle.dumps(envpickle_trl.factories(dock, pantry, Easy=dock)))
    rows = [{"environment": name, "seed": 1, "prompt": [{"role": "user", "content": f"Play {name}."}]} for name in found]
    prompts: list[str] = []

    def script(turn: int, prompt: str) -> str:
        pantry = "Play Pantry." in prompt
        if turn == 0:
            prompts.append(prompt)
            return calls("read_recipe") if pantry else calls("move_container", container="C1", bay=3)
        return says() if turn > 1 else calls("hand_over") if pantry else calls("send_ship_off")

    with serving(tokenizer, script) as model:
        samples = samples_of(found, count=12, rows=rows, tokenizer=tokenizer, model_url=model.url)

    for prompt in prompts:
        assert (DOCK in prompt, PANTRY in prompt) == (("Play Pantry" not in prompt), ("Play Pantry" in prompt))
    columns = {f"rewards/{name}" for name in found}
    played: set[str] = set()
    for sample in samples:
        (name,) = [name for name in found if f"Play {name}." in str(sample.prompt)]
        played.add(name)
        scored = {column for column in columns if sample.metrics[column] == sample.metrics[column]}  # the others are NaN
        assert scored == {f"rewards/{name}"}
    assert played == set(found)
    port.wait_live("dock", 0)
    port.wait_live("pantry", 0)
