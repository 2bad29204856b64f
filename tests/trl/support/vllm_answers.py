"""A small HTTP server that answers about itself as vLLM 0.29 does; the training check asks the real one the same."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

MODEL = "Qwen/Qwen3-4B"

GOOD: dict[str, Any] = {
    "model": MODEL,
    "max_model_len": 32768,
    "version": "0.29.0",
    "dev_mode": True,
    "lora_config": {"max_lora_rank": 16, "max_loras": 6},
    "dtype": "torch.float32",
    "logprobs_mode": "processed_logprobs",
    "lora_updates": True,
}


def answers(told: dict[str, Any]) -> dict[str, Any]:
    """What each path answers."""
    model = {"id": told["model"], "object": "model", "owned_by": "vllm", "parent": None, "max_model_len": told["max_model_len"]}
    found = {
        "/health": {},
        "/version": {"version": told["version"]},
        "/v1/models": {"object": "list", "data": [model]},
    }
    if told["dev_mode"]:
        found["/server_info"] = {
            "vllm_config": {
                "model_config": {"dtype": told["dtype"], "logprobs_mode": told["logprobs_mode"]},
                "lora_config": told["lora_config"],
            },
            "vllm_env": {"VLLM_ALLOW_RUNTIME_LORA_UPDATING": told["lora_updates"]},
        }
    return found


@contextmanager
def vllm_server(**differences: Any) -> Iterator[str]:
    """Serve for the length of a ``with`` block; gives the address."""
    found = answers(GOOD | differences)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = found.get(urlsplit(self.path).path)
            body = json.dumps(answer if answer is not None else {"detail": "Not Found"}).encode()
            self.send_response(200 if answer is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
