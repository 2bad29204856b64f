"""The page beside the neighbours shows what was kept; the ways that this environment has are measured."""

import json
from pathlib import Path

import pytest

from benchmarks.peers import __main__ as peers
from benchmarks.peers.closing import closed_elsewhere
from benchmarks.peers.measure import Figure, measured
from benchmarks.peers.report import draw, markdown
from benchmarks.peers.ways import WAYS, installed


def kept() -> list[Figure]:
    return [Figure(**figure) for figure in json.loads(peers.KEPT.read_text(encoding="utf-8"))["figures"]]


def test_the_page_shows_what_was_kept_of_every_way() -> None:
    figures = kept()
    assert {figure.way for figure in figures} == {way.name for way in WAYS}
    where = json.loads(peers.KEPT.read_text(encoding="utf-8"))["machine"]
    assert markdown(figures, where) in peers.PAGE.read_text(encoding="utf-8")


def test_the_ways_that_are_here_are_measured_and_drawn(tmp_path: Path) -> None:
    figures = measured(8, 3, 0.001)
    found = {figure.way: figure for figure in figures}
    assert set(found) == {way.name for way in installed()}
    own, other = found["envpickle, by pickle"], found["cloudpickle wrapper"]
    assert (own.home, own.one, own.overrides, own.closes) == (True, True, "refused", True)
    assert (other.overrides, other.closes) == ("copied", False)
    assert own.bytes < other.bytes
    draw(figures, tmp_path / "peers.svg")
    assert "envpickle, by pickle" in (tmp_path / "peers.svg").read_text(encoding="utf-8")


def test_an_instance_that_nobody_closes_is_found_open(monkeypatch: pytest.MonkeyPatch) -> None:
    import envpickle

    monkeypatch.setattr(envpickle.Owner, "close", lambda self, timeout=0.0: None)
    monkeypatch.setattr(envpickle.Owner, "__exit__", lambda self, *exception: None)
    assert not closed_elsewhere(next(way for way in WAYS if way.name == "envpickle, by pickle"), patience=2.0)
