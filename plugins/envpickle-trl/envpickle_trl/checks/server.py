"""The flags that the vLLM server was started with."""

from collections.abc import Iterator
from typing import Any

from ..report import Finding
from ..served import Unreachable
from ..setups import Setup
from ..supported import LOGPROBS_MODE, LORA_RANKS, PACKAGES
from .versions import untested

NAME = "server"
FINDINGS = {
    "server.unreachable": "No vLLM server answers at the address.",
    "server.model": "The server serves another model than the one that is trained.",
    "server.dev-mode": "The server was not started with `VLLM_SERVER_DEV_MODE=1`, which weight syncs need.",
    "server.lora-off": "An adapter is trained, and the server was started without `--enable-lora`.",
    "server.lora-updates": "The server was not started with `VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`, which adapter syncs need.",
    "server.max-loras": "The server holds fewer adapters than are needed at once: `max_staleness` + 2.",
    "server.max-lora-rank": "The adapter's rank is above the server's `--max-lora-rank`.",
    "server.logprobs-mode": "The server's log-probabilities are not of the distribution that was sampled from.",
    "server.dtype": "The server holds its weights in another dtype than the trainer.",
}


def check(setup: Setup) -> Iterator[Finding]:
    """Ask the server for its models, its version and its configuration."""
    served = setup.served
    try:
        models, version, info = served.models, served.version, served.info
    except Unreachable as error:
        yield Finding(
            "server.unreachable",
            served.url,
            "error",
            f"No usable answer from the vLLM server ({error}).",
            "Start it, or name its address (server=, --server, vllm_server_base_url).",
        )
        return
    yield from _model(setup, models)
    if version is not None:
        yield from untested(PACKAGES["vllm"], f"vllm at {served.url}", version)
    if info is None:
        yield Finding(
            "server.dev-mode",
            served.url,
            "error",
            "The server has no /server_info, so it is not in development mode; the trainer's weight syncs need /pause and "
            "/resume, which that mode adds. Its other flags could not be checked.",
            "Start it with VLLM_SERVER_DEV_MODE=1 in its environment (and keep it off public networks).",
        )
        return
    config = info["vllm_config"]
    yield from _lora(setup, config, info.get("vllm_env") or {})
    yield from _numbers(setup, config.get("model_config") or {})


def _model(setup: Setup, models: list[dict[str, Any]]) -> Iterator[Finding]:
    served = [str(model.get("id")) for model in models if not model.get("parent")]
    if setup.model is not None and setup.model not in served:
        yield Finding(
            "server.model",
            setup.served.url,
            "error",
            f"The rollout process asks for the model {setup.model!r}; the server serves {', '.join(map(repr, served))}.",
            f"Start it with --model {setup.model}, or with --served-model-name {setup.model}.",
        )


def _lora(setup: Setup, config: dict[str, Any], environment: dict[str, Any]) -> Iterator[Finding]:
    peft = setup.given.get("peft_config")
    if peft is None:
        return
    url = setup.served.url
    ranks = [getattr(peft, "r", 0), *(getattr(peft, "rank_pattern", None) or {}).values()]
    lora, rank, slots = config.get("lora_config"), max(ranks), setup.setting("max_staleness") + 2
    if lora is None:
        yield Finding(
            "server.lora-off",
            url,
            "warning",
            "An adapter is trained, and the server was started without --enable-lora: every sync merges it and sends the full "
            "weights.",
            f"Start it with --enable-lora --max-lora-rank {_served_rank(rank)} --max-loras {slots} and "
            "VLLM_ALLOW_RUNTIME_LORA_UPDATING=1.",
        )
        return
    yield from _adapters(url, lora, environment, rank, slots)


def _adapters(url: str, lora: dict[str, Any], environment: dict[str, Any], rank: int, slots: int) -> Iterator[Finding]:
    if not environment.get("VLLM_ALLOW_RUNTIME_LORA_UPDATING", True):
        yield Finding(
            "server.lora-updates",
            url,
            "error",
            "The server loads no adapters while it runs, so the first sync fails.",
            "Start it with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 in its environment.",
        )
    if lora.get("max_loras", slots) < slots:
        yield Finding(
            "server.max-loras",
            url,
            "error",
            f"With max_staleness {slots - 2}, {slots} adapters are there at once; the server holds {lora['max_loras']}.",
            f"Start it with --max-loras {slots}, or lower max_staleness.",
        )
    if lora.get("max_lora_rank", rank) < rank:
        yield Finding(
            "server.max-lora-rank",
            url,
            "error",
            f"The adapter has rank {rank}; the server takes {lora['max_lora_rank']} at most.",
            f"Start it with --max-lora-rank {_served_rank(rank)}.",
        )


def _served_rank(rank: int) -> int:
    """The smallest ``--max-lora-rank`` that vLLM takes and that holds an adapter of this rank."""
    return next((known for known in LORA_RANKS if known >= rank), rank)


def _numbers(setup: Setup, model: dict[str, Any]) -> Iterator[Finding]:
    mode = model.get("logprobs_mode")
    if mode is not None and mode != LOGPROBS_MODE:
        plain = _samples_plainly(setup)
        yield Finding(
            "server.logprobs-mode",
            setup.served.url,
            "warning" if plain else "error",
            f"The server gives {mode}: the log-probabilities before temperature and filters. The trainer computes its own "
            "after temperature, and compares" + (", which differs as soon as one is set." if plain else " them."),
            f"Start it with --logprobs-mode {LOGPROBS_MODE}.",
        )
    init = setup.setting("model_init_kwargs")
    mine = str((init if isinstance(init, dict) else {}).get("dtype") or setup.setting("dtype")).removeprefix("torch.")
    theirs = str(model.get("dtype", "auto")).removeprefix("torch.")
    if "auto" not in (mine, theirs) and mine != theirs:
        yield Finding(
            "server.dtype",
            setup.served.url,
            "warning",
            f"The trainer computes in {mine}, the server in {theirs}, so their log-probabilities of one answer differ.",
            f"Start the server with --dtype {mine}, or set dtype={theirs!r} in the training arguments.",
        )


def _samples_plainly(setup: Setup) -> bool:
    """Whether sampling changes nothing about the model's distribution."""
    plain = {"temperature": (1.0,), "top_p": (1.0,), "top_k": (0, -1), "min_p": (None, 0.0), "repetition_penalty": (1.0,)}
    return all(setup.setting(name) in values for name, values in plain.items())
