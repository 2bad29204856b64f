"""Two nodes: a script's class plays in actors on both and comes home as itself; nothing stays open of what is killed."""

import ast
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ships.fleet import Fleet, alive
from ships.playing import PROGRAM
from voyage.closing import await_word
from voyage.fresh import end_group

from benchmarks.portsim.launch import Port, running

LISTED = """
from ships import driving
from voyage.fresh import report

import ray

driving.connect()
report(ray.util.list_named_actors(all_namespaces=True))
"""
SECONDS = 60  # for what Ray does about the loss of a node or of a driver


@pytest.fixture(scope="module")
def port() -> Iterator[Port]:
    """The real server."""
    with running(dock={"max_sessions": 8}, pantry={"max_sessions": 8}) as port:
        yield port


def _said(home: Path, word: str, driver: Any) -> Any:
    try:
        await_word(str(home), word, seconds=90)
    except AssertionError:
        driver.kill()
        raise AssertionError(f"no word of {word!r}: {driver.communicate()}") from None
    return ast.literal_eval((home / word).read_text())


def _at_work(fleet: Fleet) -> list[str]:
    return [one.name() for ship in fleet.ships.values() for one in ship.processes() if alive(one) and "Crew" in one.name()]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_script_class_plays_on_two_nodes_and_what_is_killed_leaves_nothing_open(port: Port, tmp_path: Path) -> None:
    """Dock and pantry on both nodes; the far node is lost, the head goes on; the driver is killed, nothing remains."""
    with Fleet() as fleet:
        far = fleet.add("far")
        driver = fleet.start(PROGRAM, str(tmp_path), port.dock_url, port.pantry_url)
        try:
            scores, nodes, different, same = _said(tmp_path, "ready", driver)
            assert scores == [1.0] * 8
            assert (nodes, different) == ([1, 1], 2), "the actors are not where they were asked for"
            assert same == [True] * 4
            assert {name: status["sessions"]["live"] for name, status in port.status().items()} == {"dock": 2, "pantry": 2}

            far.lose()
            for name in ("dock", "pantry"):
                port.wait_live(name, 1, SECONDS)
            lost, went_on = _said(tmp_path, "lost", driver)
            assert lost == [("dock", "far"), ("pantry", "far")]
            assert went_on == [1.0] * 6
            assert len(_at_work(fleet)) == 2

            os.kill(driver.pid, signal.SIGKILL)
            for name in ("dock", "pantry"):
                port.wait_live(name, 0, SECONDS)
        finally:
            end_group(driver)
        assert fleet.run(LISTED) == []
        assert _at_work(fleet) == []
