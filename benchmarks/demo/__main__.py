"""Run the demo; exits with 1 when anything is not as promised."""

import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from rich.console import Console

import envpickle
from benchmarks.portsim.launch import Port, running
from envpickle_openenv import AgentEnv

from . import child
from .stage import Stage

ANSWER_SECONDS = 30
CLOSE_SECONDS = 2.0
LINE = 78


def main() -> int:
    """Play the demo.

    Returns:
        The exit status.
    """
    begun = time.monotonic()
    stage = Stage(Console())
    stage.step("1. A port served by the real OpenEnv, in a process of its own")
    with running() as port:
        stage.say("dock", port.dock_url)
        stage.say("pantry", port.pantry_url)
        dock, pantry = AgentEnv(port.dock_url, name="Dock"), AgentEnv(port.pantry_url, name="Pantry")
        with dock, pantry:
            show_class(stage, dock)
            flight(stage, port, dock, pantry)
    stage.console.print(f"\n{time.monotonic() - begun:.0f} s")
    for promise in stage.broken:
        stage.console.print(f"[bold red]not as promised:[/bold red] {promise}")
    return 1 if stage.broken else 0


def show_class(stage: Stage, dock: AgentEnv) -> None:
    """Show what was listed, and the class made of it."""
    stage.step("2. Its tools, listed once, and the class made of them")
    for tool in dock.toolset:
        stage.say(tool.name, tool.description)
    spec = envpickle.describe(dock.factory)
    stage.say("class", dock.factory)
    stage.say("descriptor", f"{len(spec.to_bytes()):,} bytes; as JSON, in short:")
    stage.say("", shortened(spec.to_json()))


def shortened(text: str) -> str:
    """Return a JSON object's entries, one a line, each cut to fit a terminal."""
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in json.loads(text).items())
    return "\n".join(line if len(line) <= LINE else f"{line[: LINE - 3]}..." for line in lines)


def flight(stage: Stage, port: Port, dock: AgentEnv, pantry: AgentEnv) -> None:
    """Send the classes into a spawned child, watch it play, and close."""
    stage.step("3. The classes in a spawned child")
    classes = {"dock": dock.factory, "pantry": pantry.factory}
    with spawned(classes) as (process, connection):
        for _ in child.EPISODES:
            show_episode(stage, *receive(connection))
        pid, seen, returned = receive(connection)
        same = {name: returned[name] is cls for name, cls in classes.items()}
        stage.say("child", f"process {pid} had {seen}, and sent it back")
        stage.check("what came back are the very classes that were sent", all(same.values()), same)
        show_closing(stage, port, dock, pantry)
        connection.send("end")
        process.join(ANSWER_SECONDS)
        stage.check("the child ended well", process.exitcode == 0, process.exitcode)
        show_live(stage, port, "after the child", {"dock": 0, "pantry": 0})
    listed = {name: status["tools_listed"] for name, status in port.status().items()}
    stage.check("each server was asked for its tools once in all", set(listed.values()) == {1}, listed)


def show_episode(stage: Stage, name: str, seed: int, careful: bool, score: float) -> None:
    """Show how one episode was scored, and insist on what its player can reach."""
    if careful:
        stage.check(f"{name}, seed {seed}, careful player: {score:.3f} (promised: 1)", abs(score - 1.0) < 1e-9)
    else:
        stage.check(f"{name}, seed {seed}, careless player: {score:.3f} (promised: below 1)", 0.0 <= score < 1.0)


def show_closing(stage: Stage, port: Port, dock: AgentEnv, pantry: AgentEnv) -> None:
    """Open a session here too, and show which sessions end with ``AgentEnv.close()``."""
    stage.step("4. Closing")
    here = dock.factory()
    here.reset(seed=0)
    show_live(stage, port, "before close()", {"dock": 2, "pantry": 1}, " (one of the dock's is this process's)")
    dock.close()
    pantry.close()
    show_live(stage, port, "after close()", {"dock": 0, "pantry": 0}, " (the child has closed its own)")
    stage.check("a closed AgentEnv's class makes no environment", refuses(dock.factory))


def refuses(cls: type) -> bool:
    """Tell whether calling a class raises `envpickle.errors.OwnerClosed`."""
    try:
        cls()
    except envpickle.errors.OwnerClosed:
        return True
    return False


def show_live(stage: Stage, port: Port, label: str, wanted: dict[str, int], note: str = "") -> None:
    """Show the live sessions, and insist that they become as many as wanted within two seconds."""
    deadline = time.monotonic() + CLOSE_SECONDS
    while (live := live_sessions(port)) != wanted and time.monotonic() < deadline:
        time.sleep(0.02)
    stage.say(label, f"live sessions: dock {live['dock']}, pantry {live['pantry']}{note}")
    if live != wanted:
        stage.check(f"{label}: live sessions are {wanted}", False, live)


def live_sessions(port: Port) -> dict[str, int]:
    """Return the number of live sessions per environment."""
    return {name: status["sessions"]["live"] for name, status in port.status().items()}


@contextmanager
def spawned(classes: dict[str, type]) -> Iterator[tuple[Any, Connection]]:
    """Run the child for the length of a ``with`` block; a child that hangs is ended."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=child.play, args=(classes, there))
    process.start()
    there.close()
    try:
        yield process, here
    finally:
        here.close()
        process.join(CLOSE_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()


def receive(connection: Connection) -> Any:
    """Return what the child sends next."""
    if not connection.poll(ANSWER_SECONDS):
        raise TimeoutError(f"the child sent nothing for {ANSWER_SECONDS} s")
    try:
        return connection.recv()
    except EOFError:
        raise RuntimeError("the child ended before it had played; its error is above") from None


if __name__ == "__main__":
    sys.exit(main())
