"""Preflight on prepared scripts and servers: each has one fault planted, which is found, and no other is.

Every script is checked by the command, with the real OpenEnv server; what the vLLM server tells comes from a small server
here that answers as vLLM does. Where a process of its own matters the command has one; elsewhere it runs in this process, which
imports transformers once and not for every script.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from vllm_answers import vllm_server

from benchmarks.portsim.launch import Port, running
from envpickle.cli import group

SCRIPTS = Path(__file__).parent / "support" / "prepared"
COMMAND = ("-m", "envpickle", "preflight")


@pytest.fixture(scope="module")
def narrow() -> Iterator[Port]:
    """A dock with room for as many sessions as the good script plays at once, and not one more."""
    with running(dock={"max_sessions": 8}) as port:
        yield port


@pytest.fixture
def shell(narrow: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user's shell would have, on a machine without a GPU, where LOCAL_KERNELS puts another kernel in."""
    narrow.wait_live("dock", 0)  # the sessions of the command before are gone, or its fault would be found here
    monkeypatch.chdir(SCRIPTS)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("DOCK_URL", narrow.dock_url)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("LOCAL_KERNELS", "kernels-community/flash-attn3=/nowhere")


@pytest.fixture
def here(shell: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command runs a script as a spawned process does, as the main module; this process gets its own back."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setitem(sys.modules, "__mp_main__", sys.modules["__main__"])
    monkeypatch.delitem(sys.modules, "good", raising=False)


def checked(*arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit status and report of the command, here."""
    done = CliRunner().invoke(group(), ["preflight", *arguments, "--json"])
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return done.exit_code, report


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own."""
    done = subprocess.run([sys.executable, *words], cwd=SCRIPTS, capture_output=True, text=True, timeout=100)
    assert done.stdout, done.stderr
    return done


def names(report: dict[str, Any]) -> list[str]:
    return [finding["check"] for finding in report["findings"]]


def test_nothing_is_found_on_the_good_one(narrow: Port, shell: None) -> None:
    with vllm_server() as url:
        done = run(*COMMAND, "good.py:kwargs", "--json", "--server", url)
    report = json.loads(done.stdout)
    assert (done.returncode, report["findings"]) == (0, [])
    assert report["skipped"] == {"device": "LOCAL_KERNELS puts another kernel in the place of kernels-community/flash-attn3"}
    assert len(report["checked"]) == 9
    sessions = narrow.wait_live("dock", 0)["sessions"]
    assert (sessions["peak"], sessions["live"]) == (8, 0), "the sessions it opened to count them are gone"


SCRIPT_FAULTS = {
    "lock.py:kwargs": ("crossing", "lock"),
    "undocumented.py:kwargs": ("schema.docstring", "no docstring"),
    "unannotated.py:kwargs": ("schema.annotation", "hour"),
    "closing.py:kwargs": ("schema.close", "in the middle of an episode"),
    "columns.py:kwargs": ("rewards.twice", "rewards/Dock"),
    "names.py:kwargs": ("schema.name", "tide at the quay"),
    "crowded.py:kwargs": ("environment.capacity", "room for 8 (its max_concurrent_envs is 8)"),
}


@pytest.mark.parametrize("target", SCRIPT_FAULTS)
def test_the_fault_of_a_script_is_found_and_no_other(here: None, target: str) -> None:
    check, told = SCRIPT_FAULTS[target]
    with vllm_server() as url:
        status, report = checked(target, "--server", url)
    assert (status, names(report)) == (1, [check])
    assert told in report["findings"][0]["message"]
    assert report["findings"][0]["remedy"]


SERVER_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "context.conversation": ({"max_model_len": 16384}, "--max-model-len"),
    "context.first-turn": ({"max_model_len": 2100}, "--max-model-len"),
    "context.results": ({"max_model_len": 22000}, "--max-model-len"),
    "server.dev-mode": ({"dev_mode": False}, "VLLM_SERVER_DEV_MODE=1"),
    "server.lora-off": ({"lora_config": None}, "--enable-lora --max-lora-rank 8 --max-loras 6"),
    "server.lora-updates": ({"lora_updates": False}, "VLLM_ALLOW_RUNTIME_LORA_UPDATING=1"),
    "server.max-loras": ({"lora_config": {"max_lora_rank": 16, "max_loras": 5}}, "--max-loras 6"),
    "server.max-lora-rank": ({"lora_config": {"max_lora_rank": 4, "max_loras": 6}}, "--max-lora-rank 8"),
    "server.logprobs-mode": ({"logprobs_mode": "raw_logprobs"}, "--logprobs-mode processed_logprobs"),
    "server.dtype": ({"dtype": "torch.bfloat16"}, "--dtype float32"),
    "server.model": ({"model": "another"}, "--served-model-name Qwen/Qwen3-4B"),
    "versions.untested": ({"version": "0.28.1"}, "vllm>=0.29,<0.30"),
}
WARNINGS = {"context.results", "server.lora-off", "server.dtype"}


@pytest.mark.parametrize("check", SERVER_FAULTS)
def test_the_fault_of_a_server_is_found_and_no_other(here: None, check: str) -> None:
    told, remedy = SERVER_FAULTS[check]
    with vllm_server(**told) as url:
        status, report = checked("good.py:kwargs", "--server", url)
    assert (status, names(report)) == (0 if check in WARNINGS else 1, [check])
    assert remedy in report["findings"][0]["remedy"]


def test_a_script_without_a_main_guard(shell: None) -> None:
    """It is read and not run: run, it would train."""
    done = run(*COMMAND, "unguarded.py", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, names(report)) == (1, ["script.no-guard"])
    assert report["findings"][0]["subject"] == "unguarded.py:12"


def test_a_script_with_one(here: None) -> None:
    assert checked("good.py") == (0, {"ok": True, "findings": [], "checked": ["versions", "script"], "skipped": {}})


def test_a_script_from_standard_input(here: None) -> None:
    status, report = checked("-")
    assert (status, names(report)) == (1, ["script.no-file"])


def test_what_stands_under_the_guard_is_not_found(shell: None) -> None:
    """The script is run, and checks itself."""
    with vllm_server() as url:
        done = run("guarded.py", url)
    report = json.loads(done.stdout)
    assert names(report) == ["crossing"]
    assert "late is defined under the main guard of guarded.py" in report["findings"][0]["message"]


def test_no_gpu(here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_KERNELS")
    with vllm_server() as url:
        status, report = checked("good.py:kwargs", "--server", url)
    assert (status, names(report)) == (1, ["device.none"])


def test_no_vllm_server(here: None) -> None:
    with vllm_server() as url:
        pass  # it is gone, and its address is free
    status, report = checked("good.py:kwargs", "--server", url)
    assert (status, names(report)) == (1, ["server.unreachable"])
    assert set(report["skipped"]) == {"context", "device"}


def test_the_readable_table(shell: None) -> None:
    """The whole text of each finding stands in it, however it is folded."""
    done = run(*COMMAND, "unguarded.py")
    assert done.returncode == 1
    column = " ".join(word for line in done.stdout.splitlines() if "│" in line for word in line.split("│")[3].split())
    assert column.startswith("main() runs at the top level, so it runs again in the rollout process")
    assert column.endswith('call that under if __name__ == "__main__":.')
    assert "1 error(s), 0 warning(s)" in done.stdout


def test_a_script_that_ends_by_itself_is_not_taken_for_checked(here: None, tmp_path: Path) -> None:
    """Its exit status 0 would read as a run without faults."""
    script = tmp_path / "ends.py"
    script.write_text("import sys\nkwargs = {}\nsys.exit(0)\n")
    done = CliRunner().invoke(group(), ["preflight", f"{script}:kwargs"])
    assert done.exit_code == 2, done.stdout
    assert "ended by sys.exit(0) before there was anything to check" in " ".join(done.stderr.split())


@pytest.mark.parametrize("words", ["nosuch.py", "nosuch", "good.py:nosuch", "good:kwargs.x", "", "good.py:speed", "good.py:"])
def test_wrong_use_is_told_from_a_fault(here: None, words: str) -> None:
    done = CliRunner().invoke(group(), ["preflight", *words.split()])
    assert done.exit_code == 2, done.stdout
    assert "Error: " in done.stderr
