"""What lies between an instance and its server: certificates and proxies."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from quay.helpers import HANG_SECONDS, dock_class, running, toolset
from quay.plain_http import tls, trusted_file
from quay.scripted import observed, scripted

from envpickle_openenv.errors import EnvironmentClosed, ServerRefused

TOOLS = toolset("move")


HELLO = observed({"text": "hello"}, 0.5)


@contextmanager
def proxy(status: str) -> Iterator[str]:
    """A proxy that answers everybody so."""

    def answer(listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                asking, _ = listener.accept()
                with asking:
                    asking.recv(65536)
                    asking.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer, args=[listener], daemon=True).start()
        yield f"http://port:swordfish@127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def test_an_episode_behind_a_certificate(monkeypatch: pytest.MonkeyPatch, made: list[Any], tmp_path: Path) -> None:
    with scripted(HELLO, context=tls()) as url:
        env = dock_class(url, TOOLS, retry_for=60)()
        made.append(env)
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
        began = time.monotonic()
        with pytest.raises(ServerRefused, match=r"its certificate is not trusted here; .* in SSL_CERT_FILE"):
            env.reset()
        assert time.monotonic() - began < HANG_SECONDS
        monkeypatch.setenv("SSL_CERT_FILE", trusted_file(tmp_path))
        assert (env.reset(), env.move(), env.get_reward()) == ("hello", "hello", 0.5)


def test_closing_during_a_call_behind_a_certificate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", trusted_file(tmp_path))
    called, enough = threading.Event(), threading.Event()

    def slow(message: dict[str, Any]) -> str:
        called.set()
        assert enough.wait(2 * HANG_SECONDS)
        return HELLO

    with scripted(HELLO, slow, context=tls()) as url:
        env = dock_class(url, TOOLS)()
        env.reset()
        with running(env.move) as call:
            assert called.wait(HANG_SECONDS)
            env._close()
        enough.set()
        assert isinstance(call.error, EnvironmentClosed)


@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "403 Forbidden"])
def test_a_proxy_that_refuses_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, made: list[Any], status: str) -> None:
    with proxy(status) as url:
        monkeypatch.setenv("HTTP_PROXY", url)
        monkeypatch.setenv("NO_PROXY", "")
        env = dock_class("http://quay.invalid", TOOLS, retry_for=3600)()
        made.append(env)
        with pytest.raises(ServerRefused, match=f"the proxy before http://quay.invalid answered HTTP {status[:3]}") as caught:
            env.reset()
    assert "swordfish" not in str(caught.value)


@pytest.mark.parametrize("value", ["127.0.0.1:9", "htp://port:swordfish@127.0.0.1"])
def test_a_proxy_that_is_none(monkeypatch: pytest.MonkeyPatch, made: list[Any], value: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", value)
    monkeypatch.setenv("NO_PROXY", "")
    env = dock_class("http://quay.invalid", TOOLS, retry_for=3600)()
    made.append(env)
    with pytest.raises(ServerRefused, match=r"a variable for proxies \(HTTP_PROXY, HTTPS_PROXY\) holds no address") as caught:
        env.reset()
    assert "swordfish" not in str(caught.value)
