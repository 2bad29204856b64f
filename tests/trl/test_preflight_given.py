"""What preflight makes of arguments that are not what they should be, and of tools that are a server's own."""

import datetime
import re
from typing import Any

import pytest
from vllm_answers import vllm_server
from wharf.quays import GOOD, Quay

from envpickle_openenv import AgentEnv, Toolset
from envpickle_trl import Finding, preflight

DAY = datetime.date(2026, 11, 30)


@pytest.fixture(autouse=True)
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_KERNELS", "kernels-community/flash-attn3=/nowhere")


class Broken:
    """A data set that cannot be read."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return index / 0


def of(arguments: dict[str, Any], **options: Any) -> list[Finding]:
    """What is found, beside a server on which nothing is wrong."""
    with vllm_server(model="m") as url:
        args = {"max_tool_calling_iterations": 8}
        return list(preflight({"model": "m", "args": args, **arguments}, server=url, script=GOOD, **options))


@pytest.mark.parametrize(
    ("dataset", "why"),
    [
        ([{"prompt": []}, 5], r"train_dataset\[1\] is 5, and a row has its values by the column's name"),
        ({"train": [{"prompt": []}]}, r"train_dataset\[0\] is 'train'"),
        (Broken(), "train_dataset cannot be read: ZeroDivisionError"),
    ],
)
def test_a_data_set_that_cannot_be_read_is_told(dataset: Any, why: str) -> None:
    report = preflight({"environment_factory": Quay, "train_dataset": dataset}, script=GOOD)
    assert re.match(why, report.skipped["data"])


@pytest.mark.parametrize("several", [False, True])
def test_a_row_that_a_server_cannot_be_sent(several: bool) -> None:
    """The environment's reset refuses it, and the run ends in the middle."""
    rows = [{"environment": "Dock", "seed": 1}, {"environment": "Quay", "day": DAY}, {"environment": "Dock", "day": DAY}]
    listed = Toolset.from_listing([{"name": "look", "description": "Look."}])
    with AgentEnv("http://127.0.0.1:9", name="Dock", toolset=listed, max_result_chars=100) as env:
        factory: Any = {"Quay": Quay, "Dock": env.factory} if several else env.factory
        (finding,) = of({"environment_factory": factory, "train_dataset": rows}, probe_sessions=False)
        assert (finding.check, finding.subject) == ("data.task", f"train_dataset[{2 if several else 1}]")
        assert "day is datetime.date(2026, 11, 30), which JSON cannot hold" in finding.message
        assert of({"environment_factory": Quay, "train_dataset": rows}) == []


def gives_a_class() -> type:
    return Quay


class Stuck(Quay):
    """An environment that cannot be closed."""

    def _close(self) -> None:
        raise OSError("stuck")


def gives_a_stuck_one() -> Stuck:
    return Stuck()


def test_what_is_no_factory_is_told_with_what_to_give_instead() -> None:
    listed = Toolset.from_listing([{"name": "look", "description": "Look."}])
    with AgentEnv("http://127.0.0.1:9", name="Dock", toolset=listed) as env:
        owner = [finding for finding in of({"environment_factory": env}) if finding.check == "environment.factory"]
    returns = of({"environment_factory": gives_a_class})
    assert "which makes no instances; hand over its class (an AgentEnv's .factory)" in owner[0].message
    assert [finding.check for finding in returns] == ["environment.factory"]
    assert f"returns {Quay!r}, a class, where the trainer needs an instance" in returns[0].message
    assert of({"environment_factory": gives_a_stuck_one}) == []


def test_tools_that_are_no_list_are_told() -> None:
    assert "schema.function" in [finding.check for finding in of({"environment_factory": Quay, "tools": 5})]


def test_a_server_s_tool_named_close_closes_nothing() -> None:
    """A browser's, say: the environment is closed by another name, and its user could not rename the server's tool so."""
    listed = Toolset.from_listing([{"name": "close", "description": "Close the page."}])
    with AgentEnv("http://127.0.0.1:9", name="Browser", toolset=listed, max_result_chars=100) as env:
        assert of({"environment_factory": env.factory}, probe_sessions=False) == []
    with AgentEnv("http://127.0.0.1:9", toolset=Toolset.from_listing([{"name": "page.open"}]), max_result_chars=100) as env:
        (finding,) = of({"environment_factory": env.factory}, probe_sessions=False)
        assert finding.check == "schema.name"
        assert "AgentEnv(rename={'page.open': ...})" in finding.remedy
