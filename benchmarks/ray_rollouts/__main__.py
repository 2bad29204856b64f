"""``python -m benchmarks.ray_rollouts``: count, show, and keep what was counted."""

import json
import statistics
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ..spawn_roundtrip.results import installed, machine
from .measure import IN_FLIGHT, RESET_SECONDS, TRLS, parts, rollouts_per_minute

CONTENDERS = (TRLS, 1, 2, 4)
NAMES = {TRLS: "TRL's own process", 1: "1 actor", 2: "2 actors", 4: "4 actors"}
AIMS = {2: 1.8, 4: 3.4}
"""How many times one actor's rollouts there are to be."""


@click.command()
@click.option("--quick", is_flag=True, help="One short round: figures to look at, not to quote.")
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(1), help="How often each is counted.")
@click.option(
    "--json",
    "json_file",
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Write what was measured as JSON, to standard output when no file is named (the table then goes to stderr).",
)
def main(quick: bool, rounds: int, json_file: str | None) -> None:
    """Count AsyncGRPO's rollouts in one process and in 1, 2 and 4 Ray actors."""
    results = run(1 if quick else rounds, 15.0 if quick else 30.0)
    Console(stderr=json_file == "-").print(table(results))
    if json_file is not None:
        text = json.dumps(results, indent=1) + "\n"
        if json_file == "-":
            sys.stdout.write(text)
        else:
            Path(json_file).write_text(text, encoding="utf-8")
    if missed := [NAMES[number] for number, aim in AIMS.items() if results["ratios"][NAMES[number]] < aim]:
        raise click.ClickException(f"fewer rollouts than aimed at: {', '.join(missed)}")


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """Count everything; contenders take turns.

    Args:
        rounds: How often.
        seconds: How long each time.
    """
    counts: dict[int, list[float]] = {contender: [] for contender in CONTENDERS}
    with parts() as (tokenizer, url), Progress(console=Console(stderr=True), auto_refresh=False, transient=True) as progress:
        task = progress.add_task("rollouts", total=rounds * len(CONTENDERS))
        for number in range(rounds):
            for contender in CONTENDERS[:: 1 if number % 2 == 0 else -1]:
                counts[contender].append(rollouts_per_minute(contender, tokenizer, url, seconds))
                progress.update(task, advance=1, refresh=True)
    medians = {contender: statistics.median(found) for contender, found in counts.items()}
    return {
        "machine": {**machine(), "ray": installed("ray"), "trl": installed("trl")},
        "reset_seconds": RESET_SECONDS,
        "in_flight": IN_FLIGHT,
        "rounds": rounds,
        "seconds": seconds,
        "per_minute": {NAMES[contender]: [round(count, 1) for count in found] for contender, found in counts.items()},
        "ratios": {NAMES[contender]: round(median / medians[1], 2) for contender, median in medians.items()},
    }


def table(results: dict[str, Any]) -> Table:
    """Show what was counted.

    Args:
        results: What `run` returned.
    """
    where = results["machine"]
    shown = Table(
        title=f"Rollouts a minute, a reset taking {results['reset_seconds']} s, {results['in_flight']} in flight in all",
        caption=f"{where['cores']} cores, {where['date']}, Ray {where['ray']}, TRL {where['trl']}",
    )
    for head in ("played by", "rollouts a minute", "over 1 actor's", "aim"):
        shown.add_column(head, justify="left" if head == "played by" else "right")
    for contender in CONTENDERS:
        name = NAMES[contender]
        counts = results["per_minute"][name]
        spread = f"{statistics.median(counts):.0f}" + (f" ({min(counts):.0f} to {max(counts):.0f})" if len(counts) > 1 else "")
        aim = f"{AIMS[contender]}" if contender in AIMS else ""
        shown.add_row(name, spread, f"{results['ratios'][name]:.2f}", aim)
    return shown


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.ray_rollouts")
