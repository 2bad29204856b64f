"""What a run does while the environment server has no room, or goes away and comes back: it waits, and goes on."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted.endings import Run, Table, live_on
from scripted.server import ScriptedServer
from scripted.watching import wait_until

from benchmarks.portsim.launch import Port, start
from envpickle_openenv import AgentEnv

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOM = 4


@pytest.fixture(scope="module")
def narrow() -> Iterator[list[Port]]:
    """A port with little room, in a list because a test exchanges it."""
    ports = [start(dock={"max_sessions": ROOM})]
    yield ports
    for port in ports:
        port.stop()
        port.log.unlink(missing_ok=True)


def test_at_capacity_and_then_freed(tiny_model: Path, model: ScriptedServer, narrow: list[Port], endings: Table) -> None:
    """Others hold every session when the run begins; its resets wait for them."""
    (port,) = narrow
    with AgentEnv(port.dock_url, name="Others") as others:
        guests = [others.factory() for _ in range(ROOM)]
        for guest in guests:
            guest.reset()
        one = Run(tiny_model, model.url, port, at=2, max_steps=2, max_inflight_tasks=ROOM)

        def leave() -> None:
            wait_until(lambda: port.status()["dock"]["sessions"]["refused"] > 0, "a refusal")
            others.close()

        leaving = threading.Thread(target=leave)
        leaving.start()
        assert one.train() is None
        leaving.join()
    assert one.left_nothing_unread()
    endings.add("the server at capacity, then freed", one.watch, one.seconds, "the run's result; its resets waited")


def test_restarted_mid_run(tiny_model: Path, model: ScriptedServer, narrow: list[Port], endings: Table) -> None:
    """Episodes that were played then are not scored; the next resets find the new server, and the run goes on."""
    wait_until(lambda: live_on(narrow[0]) == 0, "an empty port")

    def restart(one: Run) -> None:
        narrow[-1].stop()
        number = int(narrow[-1].url.rpartition(":")[2])
        one.port = start(dock={"max_sessions": ROOM}, number=number)
        narrow.append(one.port)

    one = Run(tiny_model, model.url, narrow[0], at=6, max_steps=6, meanwhile=restart, max_inflight_tasks=ROOM, queue_maxsize=4)
    assert one.train() is None
    assert one.left_nothing_unread()
    assert one.port is not narrow[0]
    assert one.port.status()["dock"]["resets"] > 0
    endings.add("the environment server restarted mid-run", one.watch, one.seconds, "the run's result; lost episodes unscored")
