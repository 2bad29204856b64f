"""The port's server process (runs only where `openenv` is installed).

``python -m benchmarks.portsim.server CONFIG`` with a JSON object: ``port`` (0 chooses a free one),
``watch`` (end when standard input ends or the parent changes), and an object of options per
environment. It prints one JSON line, ``{"port": ..., "pid": ...}``, once it accepts connections.
"""

import asyncio
import html
import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException
from fastapi.responses import HTMLResponse
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import ConcurrencyConfig

from .dock import Dock
from .meter import Meter
from .options import Options
from .pantry import Pantry
from .served import Berth, served_class

__all__ = ["main", "port_app"]

GRACE_SECONDS = 2.0


def environment_app(berth: Berth) -> FastAPI:
    """Make OpenEnv's application for one environment.

    Args:
        berth: The environment's berth.

    Returns:
        The application, to be mounted under the environment's name.
    """
    app: FastAPI = create_app(
        served_class(berth),
        CallToolAction,
        CallToolObservation,
        env_name=berth.rules.name,
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=berth.options.max_sessions,
            session_timeout=berth.options.session_timeout,
        ),
    )
    return app


def port_app(berths: dict[str, Berth]) -> FastAPI:
    """Make the whole port: both environments and the status page.

    Args:
        berths: The berths by name.

    Returns:
        The application.
    """
    apps = {name: environment_app(berth) for name, berth in berths.items()}

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for app in apps.values():  # a mounted application is not started by its host
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    port = FastAPI(title="portsim", lifespan=lifespan)

    @port.get("/portsim/status")
    async def status() -> dict[str, Any]:
        return {name: berth_status(berth) for name, berth in berths.items()}

    @port.get("/portsim", response_class=HTMLResponse)
    async def page() -> str:
        return status_page(await status())

    @port.post("/portsim/{name}/options")
    async def change(name: str, changes: dict[str, Any]) -> dict[str, Any]:
        if name not in berths:
            raise HTTPException(404, f"no environment {name!r}: there are {sorted(berths)}")
        try:
            berths[name].options = berths[name].options.changed(changes)
        except ValueError as error:
            raise HTTPException(400, str(error)) from None
        return berth_status(berths[name])

    for name, app in apps.items():
        port.mount(f"/{name}", Meter(app, berths[name].counts))
    return port


def berth_status(berth: Berth) -> dict[str, Any]:
    """Return one environment's counts and options as plain values."""
    return {**berth.counts.to_dict(), "options": berth.options.to_dict()}


def status_page(status: dict[str, Any]) -> str:
    """Return the status as a page to read in a browser."""
    names = ["made", "live", "closed", "peak", "refused"]
    asked = ["tools_listed", "resets", "tool_calls"]
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ["environment", *names, *asked])
    rows = ""
    for name, values in status.items():
        cells = [name, *(values["sessions"][n] for n in names), *(values[a] for a in asked)]
        rows += "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>"
    return (
        "<!doctype html><title>portsim</title><meta http-equiv=refresh content=1>"
        "<style>body{font:16px system-ui;margin:2rem}td,th{padding:.3rem .8rem;text-align:right}"
        "td:first-child,th:first-child{text-align:left}</style>"
        f"<h1>portsim</h1><table><tr>{head}</tr>{rows}</table>"
    )


def end_with_parent(server: uvicorn.Server) -> None:
    """Stop the server when its standard input ends or its parent is gone.

    Standard input is a pipe nobody writes to. A child that the parent forked holds it open too,
    hence the look at the parent's process id.
    """
    parent = os.getppid()
    ended = threading.Event()

    def read() -> None:
        while sys.stdin.buffer.read(4096):
            pass
        ended.set()

    def watch() -> None:
        while not ended.wait(0.2) and os.getppid() == parent:
            pass
        server.should_exit = True
        threading.Event().wait(GRACE_SECONDS)
        os._exit(0)  # a session that hangs must not keep the process

    threading.Thread(target=read, daemon=True).start()
    threading.Thread(target=watch, daemon=True).start()


def main(config: dict[str, Any]) -> None:
    """Serve until stopped.

    Args:
        config: What the module's docstring says.
    """
    berths = {rules.name: Berth(rules, Options.from_dict(config.get(rules.name, {}))) for rules in (Dock, Pantry)}
    listener = socket.create_server(("127.0.0.1", config.get("port", 0)), backlog=512)
    server = uvicorn.Server(uvicorn.Config(port_app(berths), log_level="warning", timeout_graceful_shutdown=1))
    if config.get("watch"):
        end_with_parent(server)
    print(json.dumps({"port": listener.getsockname()[1], "pid": os.getpid()}), flush=True)
    asyncio.run(server.serve(sockets=[listener]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
