"""The port, and a client for it that knows nothing but the wire."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from benchmarks.portsim.launch import Port, running

ANSWER_SECONDS = 20


class Client:
    """One session over a WebSocket; tools are its methods, as players want them."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.reward: float | None = None
        self.done = False

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.socket.send(json.dumps(message))
        answer: dict[str, Any] = json.loads(self.socket.recv(ANSWER_SECONDS))
        return answer

    def reset(self, **task: Any) -> dict[str, Any]:
        return self.ask({"type": "reset", "data": task})

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        action = {"type": "call_tool", "tool_name": tool, "arguments": arguments}
        data: dict[str, Any] = self.ask({"type": "step", "data": action})["data"]
        self.reward, self.done = data["reward"], data["done"]
        observation: dict[str, Any] = data["observation"]
        return observation

    def __getattr__(self, tool: str) -> Callable[..., str]:
        return lambda **arguments: self.call(tool, **arguments)["result"]["data"]


@pytest.fixture(scope="session")
def port() -> Iterator[Port]:
    with running() as port:
        yield port


@pytest.fixture
def join() -> Iterator[Callable[[str], Client]]:
    with contextlib.ExitStack() as stack:

        def join(url: str) -> Client:
            socket = connect(url.replace("http:", "ws:") + "/ws", proxy=None)
            return Client(stack.enter_context(socket))

        yield join
