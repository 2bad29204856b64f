"""The benchmark runs, and says what it measured in a form a program can read."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks.spawn_roundtrip import plot, report
from benchmarks.spawn_roundtrip.contenders import CONTENDERS, SHAPES, for_shape
from benchmarks.spawn_roundtrip.measure import lines
from benchmarks.spawn_roundtrip.results import FORMAT, Line, Results, Spread
from benchmarks.spawn_roundtrip.targets import targets
from benchmarks.spawn_roundtrip.written import written_tools

ROOT = Path(__file__).resolve().parents[2]
NAMES = [contender.name for contender in CONTENDERS]
METRICS = ["bytes", "dumps", "loads", "loads_cold", "trip_spawn", "trip_forkserver", "trip_fork"]


def bench(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "benchmarks.spawn_roundtrip", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str, Path]:
    picture = tmp_path_factory.mktemp("plot") / "figures.svg"
    done = bench("--quick", "--tools", "64", "--shape", "plain", "--json", "--plot", str(picture))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr, picture


def test_the_json_has_every_figure_of_every_contender(quick: Any) -> None:
    found = quick[0]
    assert found["format"] == FORMAT
    measured = {(line["contender"], line["metric"]) for line in found["lines"]}
    single = {(name, metric) for name in NAMES for metric in METRICS}
    many = {(name, f"many_100_{what}") for name in NAMES[1:] for what in ("bytes", "dumps")}
    assert measured <= single | many
    assert measured >= single | {("envpickle", "many_100_bytes"), ("envpickle", "many_100_dumps")}  # the slow may miss it
    for line in found["lines"]:
        assert (line["shape"], line["tools"]) == ("plain", 64)
        spread = line["spread"]
        assert 0 < spread["least"] <= spread["q1"] <= spread["median"] <= spread["q3"]
        assert line["unit"] == ("B" if line["metric"].endswith("bytes") else "s")


def test_ratios_are_of_one_run(quick: Any) -> None:
    by_key = {(line["contender"], line["metric"]): line for line in quick[0]["lines"]}
    for metric in METRICS:
        assert by_key["importable", metric]["ratios"]["importable"]["median"] == 1.0
        assert by_key["cloudpickle", metric]["ratios"]["cloudpickle"]["median"] == 1.0
    ratio = by_key["dill", "bytes"]["ratios"]["cloudpickle"]["median"]
    assert math.isclose(ratio, by_key["dill", "bytes"]["spread"]["median"] / by_key["cloudpickle", "bytes"]["spread"]["median"])


def test_the_machine_and_the_settings_are_part_of_it(quick: Any) -> None:
    found = quick[0]
    assert {"cpu", "cores", "python", "date", "envpickle", "cloudpickle", "dill", "msgpack"} <= found["machine"].keys()
    assert found["settings"]["sizes"] == [64]
    assert found["settings"]["methods"] == ["spawn", "forkserver", "fork"]


def test_the_child_s_imports_are_listed(quick: Any) -> None:
    imports = quick[0]["imports"]["plain"]
    assert "envpickle" in imports["ours"]
    assert set(imports["ours"]) <= set(imports["brought"])
    assert set(imports["forbidden"]) <= set(imports["brought"])
    assert math.isclose(imports["beyond_ms"], imports["load_ms"] - imports["own_ms"])


def test_every_target_stands_beside_what_was_measured(quick: Any) -> None:
    rows = quick[0]["targets"]
    promised = [row["what"] for row in rows if row["kept"] is not None]
    assert len(promised) == 7
    assert "dumps / cloudpickle's" in promised
    assert all(row["target"] and row["measured"] for row in rows)


def test_the_terminal_shows_the_same_run(quick: Any) -> None:
    shown = quick[1]
    for words in ("to bytes and back", "the whole trip", "many classes on one toolset", "targets, at 64 tools", *NAMES):
        assert words in shown


def test_the_plot_is_a_picture_of_every_contender(quick: Any) -> None:
    picture = quick[2].read_text()
    assert picture.startswith("<?xml")
    assert "<svg" in picture


@pytest.mark.parametrize("shape", SHAPES)
def test_every_contender_s_class_arrives_and_works(shape: str) -> None:
    with written_tools([8]):
        assert [contender.name for contender, _ in for_shape(shape, 8)] == NAMES


def test_a_class_that_arrives_changed_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        def move_0(self) -> str:
            return "something else"

    def arrive(wrapper: Any, state: bytes) -> None:
        wrapper.value = Other

    monkeypatch.setattr("benchmarks.spawn_roundtrip.wrappers.CloudpickleWrapper.__setstate__", arrive)
    with pytest.raises(RuntimeError, match="cloudpickle lost"):
        for_shape("plain", 8)


def test_ratios_are_taken_round_by_round() -> None:
    samples = {"importable": [1.0, 10.0, 100.0], "envpickle": [2.0, 20.0, 200.0]}
    floor, ours = lines("plain", 8, "dumps", samples)
    assert floor.ratios["importable"] == Spread(1.0, 1.0, 1.0, 1.0, 3)
    assert ours.ratios["importable"] == Spread(2.0, 2.0, 2.0, 2.0, 3)
    assert ours.spread == Spread(20.0, 11.0, 110.0, 2.0, 3)


@pytest.mark.parametrize(("dumps", "kept"), [(0.009, True), (0.011, False)])
def test_a_missed_target_is_said_to_be_missed(dumps: float, kept: bool) -> None:
    ratio = {"cloudpickle": Spread.of([dumps])}
    results = Results({}, {"shapes": ["plain"], "sizes": [64], "methods": [], "many": []})
    results.lines.append(Line("plain", 64, "envpickle", "dumps", "s", Spread.of([1e-6]), ratio))
    results.targets = targets(results)
    assert [row["kept"] for row in results.targets] == [kept]
    console = Console(width=100)
    with console.capture() as capture:
        report.show(results, console)
    assert ("kept" if kept else "missed") in capture.get()


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.5, "1.50 s"), (0.0123, "12.3 ms"), (1.239e-6, "1.24 µs"), (9.999e-4, "1000 µs"), (4.2e-8, "42 ns")],
)
def test_durations_are_readable(value: float, text: str) -> None:
    assert report.seconds(value) == text


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(plot.PlotError, match="pip install matplotlib"):
        plot.plot(Results({}, {"shapes": [], "methods": []}), tmp_path / "x.svg")


def test_an_unknown_option_is_refused() -> None:
    done = bench("--quik")
    assert done.returncode == 2
    assert "--quick" in done.stderr
