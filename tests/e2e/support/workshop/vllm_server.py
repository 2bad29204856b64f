"""A vLLM server on the CPU, serving the tiny model with LoRA, as a process that ends with its caller."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from .sessions import begin_session, end_session, tail

__all__ = ["FLAGS", "Server", "serving"]

START_SECONDS, STOP_SECONDS = 300.0, 20.0

FLAGS = (
    "--dtype=float32",
    "--max-model-len=1024",
    "--enable-lora",
    "--max-lora-rank=8",
    "--max-loras=6",  # TRL's max_staleness (4) and two
    "--logprobs-mode=processed_logprobs",
    "--enforce-eager",
    "--no-enable-chunked-prefill",  # chunked prefill with seeded requests kills the CPU engine
    "--max-num-batched-tokens=8192",
)

SURROUNDINGS = {
    "VLLM_SERVER_DEV_MODE": "1",  # TRL asks /server_info and pauses the engine
    "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",  # GiB
    "VLLM_CPU_OMP_THREADS_BIND": "0",  # one thread: more of them fight for few cores, and a step takes 16 s, not 2.5 s
    "OMP_NUM_THREADS": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
}


class Server:
    """A server that answers.

    Attributes:
        url: Its base address.
        model: What it calls the model, which is the model's directory.
        log: The file it writes its log to.
    """

    def __init__(self, url: str, model: Path, log: Path) -> None:
        self.url = url
        self.model = str(model)
        self.log = log

    def adapters(self) -> list[str]:
        """The names of the LoRA adapters it holds."""
        return [model["id"] for model in self._models() if model["id"] != self.model]

    def forget_adapters(self) -> None:
        """Unload every adapter: TRL calls them ``trl-policy-v1`` and so on in every run, and one name is loaded once."""
        for name in self.adapters():
            httpx.post(
                f"{self.url}/v1/unload_lora_adapter", json={"lora_name": name}, timeout=30, trust_env=False
            ).raise_for_status()

    def _models(self) -> list[dict[str, Any]]:
        answer = httpx.get(f"{self.url}/v1/models", timeout=30, trust_env=False)
        answer.raise_for_status()
        models: list[dict[str, Any]] = answer.json()["data"]
        return models


@contextlib.contextmanager
def serving(model: Path, log: Path, say: Callable[[str], None]) -> Iterator[Server]:
    """Serve a model for the length of a ``with`` block.

    Args:
        model: The model's directory.
        log: Where the server writes its log.
        say: Is told now and then what is waited for.

    Yields:
        The server, which answers.

    Raises:
        RuntimeError: If it ended early or did not answer in time; the text shows the end of its log.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", f"--model={model}", f"--port={port}"]
    command += ["--host=127.0.0.1", *FLAGS]
    process = begin_session(command, log.parent, {**os.environ, **SURROUNDINGS}, log)
    try:
        server = Server(f"http://127.0.0.1:{port}", model, log)
        _wait(process, server, say)
        yield server
    finally:
        _end(process)


def _wait(process: "subprocess.Popen[bytes]", server: Server, say: Callable[[str], None]) -> None:
    began = time.monotonic()
    said = began
    while not _answers(server.url):
        now = time.monotonic()
        if process.poll() is not None or now - began > START_SECONDS:
            what = "ended" if process.poll() is not None else "did not answer"
            raise RuntimeError(
                f"the vLLM server {what} after {now - began:.0f} s; its log is {server.log} and ends:\n{tail(server.log)}"
            )
        if now - said > 10:
            said = now
            say(f"waiting for the vLLM server, {now - began:.0f} s")
        time.sleep(0.5)
    say(f"the vLLM server answers after {time.monotonic() - began:.0f} s")


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=5, trust_env=False).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the server, and its engine with it: the engine is a process of the server's own session."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    end_session(process)
