"""Everything that today costs a run to find out, looked at before there is one."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from . import checks
from .mainscript import Script, from_standard_input, read_main, read_script
from .report import Finding, Report
from .setups import NotChecked, Setup

__all__ = ["preflight", "preflight_script"]

# GRPOTrainer plays in process, so what is about the rollout process and its server has no part in it.
_ASYNCHRONOUS = ("script", "crossing", "device", "server", "context")


def preflight(
    trainer_or_kwargs: Any,
    *,
    server: str | None = None,
    longest_conversation: int | None = None,
    script: str | Path | Script | None = None,
    probe_sessions: bool = True,
) -> Report:
    """Check a training run before it is started.

    Args:
        trainer_or_kwargs: An AsyncGRPOTrainer or GRPOTrainer, or a dict of the keyword arguments one would be made with.
        server: The vLLM server's address; ``vllm_server_base_url`` of the training arguments when left out.
        longest_conversation: Length of the longest conversation before its last turn, in tokens, if you know better than
            the sum of the longest possible prompt, answers and tool results.
        script: The training script; the one this process runs when left out.
        probe_sessions: Whether to open as many sessions on the environments' OpenEnv servers as will be played at once.
            They are dropped again at once and never reset. There is no other way to learn a server's capacity.

    Returns:
        What was found; an empty report if nothing stands in the way of the run, as far as that can be known beforehand.

    Raises:
        WiringError: If it was given something that is neither a trainer nor a dict.
        OSError: If the script cannot be read.
        SyntaxError: If the script is no Python.
    """
    given, asynchronous = _given(trainer_or_kwargs)
    setup = Setup(
        given=given,
        asynchronous=asynchronous,
        script=_script(script),
        server=server,
        longest_conversation=longest_conversation,
        probe_sessions=probe_sessions,
    )
    return _run(setup, [check for check in checks.ALL if asynchronous or check.NAME not in _ASYNCHRONOUS])


def preflight_script(path: str | Path, *, server: str | None = None) -> Report:
    """Check what can be read from a training script's source alone, without running it.

    Args:
        path: The script; ``-`` for one that Python reads from standard input.
        server: The vLLM server's address; its flags are checked too if it is given.

    Returns:
        What was found.

    Raises:
        OSError: If the script cannot be read.
        SyntaxError: If the script is no Python.
    """
    setup = Setup(given={}, asynchronous=True, script=_script(path), server=server)
    wanted = ("versions", "script", "server") if server is not None else ("versions", "script")
    return _run(setup, [check for check in checks.ALL if check.NAME in wanted])


def _run(setup: Setup, wanted: list[ModuleType]) -> Report:
    findings: list[Finding] = []
    ran, skipped = [], {}
    for check in wanted:
        try:
            findings += check.check(setup)
            ran.append(check.NAME)
        except NotChecked as why:
            skipped[check.NAME] = str(why)
    return Report(findings, checked=ran, skipped=skipped)


def _script(script: str | Path | Script | None) -> Script:
    if isinstance(script, Script):
        return script
    if script is None:
        return read_main()
    return from_standard_input() if str(script) == "-" else read_script(script)


def _given(trainer_or_kwargs: Any) -> tuple[Mapping[str, Any], bool]:
    if isinstance(trainer_or_kwargs, Mapping):
        args = type(trainer_or_kwargs.get("args")).__name__
        return trainer_or_kwargs, args != "GRPOConfig"
    from .trainers import given

    found = given(trainer_or_kwargs)
    return found, bool(found["asynchronous"])
