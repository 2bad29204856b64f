"""The growth benchmark runs, judges its claims, and the page shows the figures that were kept."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.growth import __main__ as growth
from benchmarks.growth.claims import CLAIMS, Verdict, judged
from benchmarks.growth.curves import CURVES, Curve
from benchmarks.growth.flights import trips_by_flight
from benchmarks.growth.report import markdown

ROOT = Path(__file__).resolve().parents[2]
NAMES = {one.__name__ for one in (*CURVES, trips_by_flight)}


def kept() -> dict[str, Curve]:
    found = json.loads(growth.KEPT.read_text(encoding="utf-8"))
    return {curve["name"]: Curve(**curve) for curve in found["curves"]}


@pytest.mark.slow
def test_a_quick_run_measures_every_curve_and_draws_them(tmp_path: Path) -> None:
    picture = tmp_path / "curves.svg"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", "--quick", "--json", "-", "--plot", str(picture)],
        cwd=ROOT, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {curve["name"] for curve in found["curves"]} == NAMES
    for curve in found["curves"]:
        for points in curve["points"].values():
            assert len(points) == len(curve["at"])
            assert all(point is None or point > 0 for point in points)
    assert len(found["claims"]) == len(CLAIMS)
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    sizes = next(curve for curve in found["curves"] if curve["name"] == "bytes_by_classes")["points"]
    assert sizes["envpickle"][1] < sizes["cloudpickle"][1]  # bytes do not depend on the machine


def test_what_was_kept_has_every_curve_and_the_verdicts_follow_from_it() -> None:
    curves = kept()
    assert set(curves) == NAMES
    found = json.loads(growth.KEPT.read_text(encoding="utf-8"))
    assert [Verdict(**verdict) for verdict in found["claims"]] == judged(curves)


def test_the_page_shows_what_was_kept() -> None:
    found = json.loads(growth.KEPT.read_text(encoding="utf-8"))
    text = markdown(list(kept().values()), [Verdict(**verdict) for verdict in found["claims"]], found["machine"])
    assert text in growth.PAGE.read_text(encoding="utf-8")


def test_a_missed_claim_is_called_so() -> None:
    curves = kept()
    curves["loads_by_live"].ratio[-1] = 1.3
    missed = [verdict for verdict in judged(curves) if not verdict.kept]
    assert "loads of a class that is there does not either" in [verdict.text for verdict in missed]
    assert "**missed**" in markdown([], missed, {})
