"""A server that answers completion requests as a vLLM server does, with what a script says instead of a model.

Only the standard library is imported. It runs in threads of the process that starts it, so that a trainer may be killed
beneath it.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOOL_RESPONSE = "\n<tool_response>\n"
END = "<|im_end|>"

Script = Callable[[int, str], str]
"""What is said in a turn, given its number (0, 1, ...) and the whole prompt as text."""


def calls(tool: str, **arguments: Any) -> str:
    """A turn in which the model calls a tool."""
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>{END}"


def says(text: str = "Done.") -> str:
    """A turn in which it calls none, which ends the episode."""
    return f"{text}{END}"


def plays(*turns: str) -> Script:
    """A script that goes through its turns, the last one over and over."""
    return lambda turn, prompt: turns[min(turn, len(turns) - 1)]


class ScriptedServer(ThreadingHTTPServer):
    """The server.

    Attributes:
        script: What is said; may be exchanged while it runs.
        served: How many completions were asked for.
        gate: Answers from turn `hold_from` on wait while it is not set.
        hold_from: See `gate`.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, tokenizer: Any, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.script = script
        self.served = 0
        self.gate = threading.Event()
        self.gate.set()
        self.hold_from = 0
        self._tokenizer = tokenizer
        self._lock = threading.Lock()  # a fast tokenizer is not made for many threads

    def complete(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self.served += 1
            prompt = self._tokenizer.decode(request["prompt"])
        turn = prompt.count(TOOL_RESPONSE)
        if turn >= self.hold_from:
            self.gate.wait()
        with self._lock:
            tokens = self._tokenizer.encode(self.script(turn, prompt), add_special_tokens=False)[: request["max_tokens"]]
        choice = {"token_ids": tokens, "logprobs": {"token_logprobs": [-0.5] * len(tokens)}}
        return {"choices": [choice]}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_GET(self) -> None:
        self._answer({"data": [{"id": "scripted", "max_model_len": 32768}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        self._answer(self.server.complete(asked) if self.path == "/v1/completions" else {})

    def _answer(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing to the terminal."""


@contextlib.contextmanager
def serving(tokenizer: Any, script: Script) -> Iterator[ScriptedServer]:
    """Run a scripted server for the length of a ``with`` block."""
    server = ScriptedServer(tokenizer, script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.gate.set()
        server.shutdown()
        server.server_close()
        thread.join(10)
