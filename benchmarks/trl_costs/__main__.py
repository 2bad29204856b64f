"""``python -m benchmarks.trl_costs``: measure, try, end runs, and write the section of the documentation page."""

import json
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import Progress

from ..spawn_roundtrip.results import machine
from ..spawn_roundtrip.written import compile_packages
from .contenders import CONTENDERS
from .endings import endings
from .page import PAGE, section, write
from .rollout import ENDINGS
from .start import start_costs
from .steps import step_costs
from .verdicts import LINES, verdicts

SIZES = (8, 64)


@click.command()
@click.option("--quick", is_flag=True, help="Few rounds: figures to look at, not to quote.")
@click.option("--step-seconds", default=2.5, show_default=True, help="How long a step of 16 rollouts takes.")
@click.option("--write", "write_page", is_flag=True, help=f"Put the result into {PAGE.relative_to(PAGE.parents[2])}.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="Write what was measured as JSON.")
def main(quick: bool, step_seconds: float, write_page: bool, json_file: Path | None) -> None:
    """Measure what envpickle costs a training run, beside the ten-line cloudpickle wrapper."""
    results = run(3 if quick else 15, 6.0 if quick else 12.0, step_seconds)
    Console().print(Markdown(section(results)))
    if json_file is not None:
        json_file.write_text(json.dumps(results, indent=1, default=plain) + "\n", encoding="utf-8")
    if write_page:
        write(results)


def run(rounds: int, patience: float, step_seconds: float) -> dict[str, Any]:
    """Measure everything.

    Args:
        rounds: How often a figure is taken.
        patience: Seconds to wait for sessions that are left open.
        step_seconds: How long a step takes, to set the figures beside.
    """
    compile_packages()
    total = len(SIZES) * rounds * len(CONTENDERS) + len(LINES) + len(ENDINGS) * len(CONTENDERS)
    # drawn between rounds only: a thread that draws would disturb the clock
    with Progress(console=Console(stderr=True), auto_refresh=False, transient=True) as progress:
        task = progress.add_task("start", total=total)

        def tick() -> None:
            progress.update(task, advance=1, refresh=True)

        results: dict[str, Any] = {"machine": machine(), "step_seconds": step_seconds}
        results["start"] = start_costs(SIZES, rounds, tick)
        results["steps"] = step_costs(rounds)
        progress.update(task, description="what arrives", refresh=True)
        results["verdicts"] = verdicts(tick)
        progress.update(task, description="endings", refresh=True)
        results["endings"] = endings(patience, tick)
    return results


def plain(value: Any) -> Any:
    """Return a spread as JSON takes it."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{value!r} is no figure")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.trl_costs")
