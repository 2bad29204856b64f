"""A real MCP server with one tool, in a process of its own."""

import json
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.portsim.environment import prepare

START_SECONDS = 60
MCP_SERVER = """
import json, socket, sys, uvicorn
from fastmcp import FastMCP
mcp = FastMCP("quay")
@mcp.tool
def move(bay: int, side: str = "port") -> str:
    "Move a container."
    return "moved"
app = mcp.http_app(path="/mcp", json_response=JSON, stateless_http=False)
listener = socket.create_server(("127.0.0.1", 0))
print(json.dumps(listener.getsockname()[1]), flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
"""


@contextmanager
def serving(json_response: bool = True) -> Iterator[str]:
    """Run one; yields its address. It answers plainly, or by a stream of events."""
    process = subprocess.Popen(
        [prepare(), "-c", MCP_SERVER.replace("JSON", str(json_response))],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"FASTMCP_ENABLE_RICH_LOGGING": "false", "FASTMCP_CHECK_FOR_UPDATES": "off"},
    )
    assert process.stdout is not None
    try:
        assert select.select([process.stdout], [], [], START_SECONDS)[0], "the MCP server did not start"
        yield f"http://127.0.0.1:{json.loads(process.stdout.readline())}/mcp"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
