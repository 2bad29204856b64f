"""The five ways in which TRL's users write environment classes, rewritten with envpickle, in the real rollout process."""

import math
import os
from pathlib import Path
from typing import Any

import pytest
from scripted.server import calls, plays, says, serving
from voyage import fresh
from wharf import five_ways

from benchmarks.portsim.launch import Port

pytestmark = pytest.mark.timeout(300)  # two processes import TRL one after the other, on a machine that may be busy

SCRIPT = Path(five_ways.__file__)
OF_A_FILE = '''
from __future__ import annotations


class OfAFile:
    """A class in a file that no process imports as a module."""

    def reset(self, **task) -> None:
        self._bay = 0

    def move_container(self, container: str, bay: int) -> str:
        """Move a container.

        Args:
            container: Its name.
            bay: Where to.
        """
        self._bay = bay
        return "moved"

    def get_reward(self) -> float:
        return WORTH if self._bay == 3 else 0.0


WORTH = 5.0
'''
# what each environment gives when the tool was called with what the script says: 0 when it was not
REWARDS = {"InsideMain": 1.0, "AtTheTop": 2.0, "Partial": 3.0, "OfAnInstance": 4.0, "OfAFile": 5.0}


@pytest.fixture(scope="module")
def played(
    tiny_model: Path, tokenizer: Any, shared_port: Port, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, float]]:
    """The metrics of every rollout of one run of the script."""
    file = tmp_path_factory.mktemp("classes") / "rules of the port.py"
    file.write_text(OF_A_FILE, encoding="utf-8")
    path = os.pathsep.join([str(SCRIPT.parents[1]), str(SCRIPT.parents[3] / "support"), str(SCRIPT.parents[4])])
    script = plays(calls("move_container", container="C1", bay=3), calls("weigh", container="C1"), says())
    with serving(tokenizer, script) as model:
        found: list[dict[str, float]] = fresh.run(
            SCRIPT, str(tiny_model), model.url, shared_port.dock_url, str(file),
            seconds=280, quiet=False, PYTHONPATH=path, PYTHONWARNINGS="default",
        )  # fmt: skip
    return found


@pytest.mark.parametrize("name", REWARDS)
def test_each_is_played_and_scored(played: list[dict[str, float]], name: str) -> None:
    """Its reward comes from the tool call that the model made, in its own column; the portable tool was called as well."""
    scored = [metrics for metrics in played if not math.isnan(metrics[f"rewards/{name}"])]
    assert len(scored) == 4
    for metrics in scored:
        assert metrics[f"rewards/{name}"] == REWARDS[name]
        assert metrics["rewards/<lambda>"] == 6.0
        assert (metrics["tools/call_frequency"], metrics["tools/failure_frequency"]) == (2.0, 0.0)


def test_a_class_around_a_server_is_played_on_it(played: list[dict[str, float]], shared_port: Port) -> None:
    """The class of the server's tools, where others write a client into a class inside `main()`; its sessions are closed."""
    scored = [metrics for metrics in played if not math.isnan(metrics["rewards/Served"])]
    assert len(scored) == 4
    assert all(metrics["tools/failure_frequency"] == 0.0 for metrics in scored)
    assert shared_port.wait_live("dock", 0)["sessions"]["made"] >= 1


def test_no_rollout_is_unscored(played: list[dict[str, float]]) -> None:
    assert len(played) == 24
    assert not [metrics for metrics in played if math.isnan(metrics["reward"])]
