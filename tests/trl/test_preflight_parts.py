"""The parts of preflight: what makes a finding and what does not, on real trainers and on plain values."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from vllm_answers import vllm_server
from wharf.quays import GOOD, Quay

from benchmarks.portsim.launch import Port
from envpickle_openenv import AgentEnv
from envpickle_trl import Finding, devices, preflight
from envpickle_trl.budget import Budget
from envpickle_trl.checks import context
from envpickle_trl.errors import WiringError
from envpickle_trl.setups import Setup
from envpickle_trl.supported import runs_the_kernel
from envpickle_trl.trainers import given


@pytest.fixture(autouse=True)
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_KERNELS", "kernels-community/flash-attn3=/nowhere")


class Wet(Quay):
    def dive(self, depth: int, /) -> str:
        """Dive.

        Args:
            depth: In metres.
        """
        return "deep"


class Odd(Quay):
    def call(self, back: "NoSuchType") -> str:  # noqa: F821  # the fault
        """Call.

        Args:
            back: Whom.
        """
        return "called"


class Still:
    def get_reward(self) -> float:
        return 0.0


class Mute(Quay):
    get_reward = None  # type: ignore[assignment]


def moor(ship: str) -> str:
    """Moor a ship.

    Args:
        ship: Its name.
    """
    return ship


def score(completions: Any, **columns: Any) -> list[float]:
    return [1.0 for _ in completions]


class Toolless:
    chat_template = "there is one"

    def apply_chat_template(self, messages: Any, **options: Any) -> Any:
        raise ValueError("no tools in this template")


def fails() -> Quay:
    raise RuntimeError("no quay today")


def built(kind: type) -> Any:
    return kind()


def of(arguments: dict[str, Any], **options: Any) -> list[Finding]:
    """What is found, beside a server on which nothing is wrong."""
    with vllm_server(model="m") as url:
        args = {"max_tool_calling_iterations": 8, **arguments.pop("args", {})}
        return list(preflight({"model": "m", "args": args, **arguments}, server=url, script=GOOD, **options))


def names(findings: Any) -> list[str]:
    return [finding.check for finding in findings]


@pytest.mark.parametrize("factory", [Quay, partial(built, Quay), partial(Quay), {"one": Quay, "two": Quay}])
def test_every_kind_of_factory_is_looked_into(factory: Any) -> None:
    assert of({"environment_factory": factory}) == []


@pytest.mark.parametrize(
    ("given", "check"),
    [
        ({"environment_factory": Wet}, "schema.parameter"),
        ({"environment_factory": Odd}, "schema.unreadable"),
        ({"environment_factory": Quay, "tools": [partial(moor, "a")]}, "schema.function"),
        ({"environment_factory": Quay, "reward_funcs": [partial(score), partial(score, [])]}, "rewards.twice"),
        ({"environment_factory": Still}, "environment.reset"),
        ({"environment_factory": fails}, "environment.factory"),
        ({"environment_factory": Mute}, "rewards.none"),
        ({"environment_factory": Quay, "tools": [moor]}, "schema.twice"),
        ({"environment_factory": {"a": Quay, "b": type("Quay", (Quay,), {})}}, "rewards.twice"),
        (
            {"environment_factory": {"a": Quay}, "train_dataset": [{"environment": "a"}, {"environment": "b"}]},
            "data.environment",
        ),
        ({"environment_factory": Quay, "train_dataset": [{"prompt": "Go."}]}, "data.prompt"),
        ({"environment_factory": Quay, "processing_class": Toolless()}, "context.template"),
        ({"environment_factory": Quay, "args": {"max_tool_calling_iterations": None}}, "context.no-limit"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_of_the_arguments_is_found(given: dict[str, Any], check: str) -> None:
    """One made at run time does not cross either, which is found beside it."""
    assert [name for name in names(of(given)) if name != "crossing" or check == "crossing"] == [check]


def test_an_environment_server_that_is_gone() -> None:
    """The tools are known, so making the class asks nobody; the first reset would."""
    from envpickle_openenv import Toolset

    tools = Toolset.from_listing(
        [{"name": "moor", "description": "Moor.", "inputSchema": {"type": "object", "properties": {}}}]
    )
    with vllm_server() as url:
        pass  # an address at which nobody listens any more
    with AgentEnv(url, name="Gone", toolset=tools, max_result_chars=100) as env:
        found = of({"environment_factory": env.factory})
        assert names(found) == ["environment.unreachable"]
        assert of({"environment_factory": env.factory}, probe_sessions=False) == []


def test_a_real_async_trainer(port: Port, tiny_model: Path) -> None:
    """What it was given is found through it; prompt and tools are measured as it writes them."""
    from scripted.trainer import make_trainer

    with AgentEnv(port.dock_url, name="Dock", max_result_chars=100) as env:
        with vllm_server(model=str(tiny_model), max_model_len=2048) as url:
            trainer = make_trainer(tiny_model, url, env.factory)
            report = preflight(trainer, server=url, script=GOOD)
            assert report.findings == ()
            assert set(report.skipped) == {"device"}
            prompt = context.measured(Setup(given(trainer), asynchronous=True), 2048).prompt
        with vllm_server(model=str(tiny_model), max_model_len=prompt + 5 * 128) as url:
            assert "context.conversation" not in names(preflight(trainer, server=url, script=GOOD))
        with vllm_server(model=str(tiny_model), max_model_len=prompt + 4 * 128) as url:
            assert names(preflight(trainer, server=url, script=GOOD)) == ["context.conversation"]


def test_a_real_grpo_trainer_plays_in_process(tiny_model: Path, tmp_path: Path) -> None:
    """So nothing has to cross, and no server or kernel is asked for; what both trainers share is found."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    class Local(Quay):
        def close(self) -> None: ...

    trainer = GRPOTrainer(
        model=str(tiny_model),
        args=GRPOConfig(str(tmp_path), use_cpu=True, bf16=False, report_to=[], per_device_train_batch_size=8),
        train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": "Go."}]}]),
        environment_factory=Local,
    )
    report = preflight(trainer)
    assert names(report) == ["schema.close"]
    assert report.checked == ("versions", "environment", "schema", "rewards", "data")


def test_how_many_are_played_at_once() -> None:
    """As each trainer reckons it where nobody says."""
    of_config = {"args": {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "max_staleness": 3}}
    assert Setup(of_config, asynchronous=True).inflight == 24
    assert Setup(of_config, asynchronous=False).inflight == 8
    assert Setup({"args": {"generation_batch_size": 16}}, asynchronous=False).inflight == 16
    assert Setup({"args": {"max_inflight_tasks": 5}}, asynchronous=True).inflight == 5


def test_what_is_neither_a_trainer_nor_a_dict_is_refused() -> None:
    with pytest.raises(WiringError, match=r"preflight\(\) takes .* or a dict of the keyword arguments .*, not the class Quay"):
        preflight(Quay)


GPUS = {
    "NVIDIA A100-SXM4-80GB": ((8, 0), True),
    "NVIDIA A10G": ((8, 6), True),
    "NVIDIA L4": ((8, 9), True),
    "NVIDIA L40S": ((8, 9), True),
    "NVIDIA H100 80GB HBM3": ((9, 0), True),
    "NVIDIA B200": ((10, 0), False),
    "NVIDIA RTX PRO 6000 Blackwell": ((12, 0), False),
    "Tesla T4": ((7, 5), False),
}


@pytest.mark.parametrize("gpu", GPUS)
def test_each_gpu_against_the_kernel(monkeypatch: pytest.MonkeyPatch, gpu: str) -> None:
    capability, runs = GPUS[gpu]
    assert runs_the_kernel(capability) is runs
    monkeypatch.delenv("LOCAL_KERNELS")
    monkeypatch.setattr(devices, "cuda_devices", lambda: [("NVIDIA A100", (8, 0)), (gpu, capability)])
    found = of({"environment_factory": Quay})
    assert names(found) == ([] if runs else ["device.kernel"])
    assert runs or (gpu in found[0].message and found[0].subject == "GPU 1")


def test_the_known_good_context_length() -> None:
    """32768 with answers of 2048 and 8 tool calls leaves 1600 tokens and more for each result."""
    budget = Budget(max_model_len=32768, answer=2048, rounds=8, prompt=900, result=1600, observation=200)
    assert budget.room == 30720
    assert budget.answers == 900 + 9 * 2048
    assert budget.whole <= 32768
    assert budget.rounds_that_fit == 8
    assert budget.left_for_a_result >= 1600


def test_a_conversation_whose_length_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"environment_factory": Quay, "args": {"max_completion_length": 2048, "max_tool_calling_iterations": None}}
    assert of(dict(given), longest_conversation=32768 - 2048) == []
    (finding,) = of(dict(given), longest_conversation=32768 - 2047)
    assert finding.check == "context.conversation"
    assert "--max-model-len 32769" in finding.remedy


def test_other_versions_and_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    from envpickle_trl.checks import versions

    monkeypatch.setattr(versions, "installed", lambda package: {"trl": "1.15.2", "transformers": "5.18.0"}.get(package.package))
    monkeypatch.setattr(versions, "find_spec", lambda name: None)
    found = {finding.subject: (finding.check, finding.severity) for finding in of({"environment_factory": Quay})}
    assert found == {
        "trl": ("versions.untested", "error"),
        "transformers": ("versions.untested", "warning"),
        "vllm": ("versions.missing", "error"),
        "kernels": ("versions.missing", "error"),
    }
