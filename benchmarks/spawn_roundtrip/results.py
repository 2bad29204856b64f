"""What was measured, in plain values."""

import os
import platform
import statistics
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["FORMAT", "Line", "Results", "Spread", "machine"]

FORMAT = 1
"""Raised when a key of the JSON output is renamed or changes its meaning."""


@dataclass(frozen=True)
class Spread:
    """Median and quartiles of some samples.

    Attributes:
        median: The median.
        q1: First quartile.
        q3: Third quartile.
        least: The minimum.
        count: How many samples.
    """

    median: float
    q1: float
    q3: float
    least: float
    count: int

    @classmethod
    def of(cls, samples: list[float]) -> "Spread":
        """Summarize samples.

        Args:
            samples: At least one.
        """
        if len(samples) == 1:
            return cls(samples[0], samples[0], samples[0], samples[0], 1)
        q1, median, q3 = statistics.quantiles(samples, n=4, method="inclusive")
        return cls(median, q1, q3, min(samples), len(samples))


@dataclass(frozen=True)
class Line:
    """One contender's figure for one thing.

    Attributes:
        shape: The shape of the class.
        tools: How many tools it has.
        contender: Whose figure.
        metric: ``bytes``, ``dumps``, ``loads``, ``loads_cold``, ``trip_spawn``, ``trip_forkserver``, ``trip_fork``,
            ``many_100_bytes``, ``many_100_dumps`` and the like for 1,000.
        unit: ``B`` or ``s``.
        spread: The figure.
        ratios: The figure over another contender's, taken round by round, by that contender's name.
    """

    shape: str
    tools: int
    contender: str
    metric: str
    unit: str
    spread: Spread
    ratios: dict[str, Spread] = field(default_factory=dict)


@dataclass
class Results:
    """Everything one run measured.

    Attributes:
        machine: Where and with what.
        settings: How much was measured.
        lines: The figures.
        imports: What a fresh child pays to load a class, per shape.
        targets: What was promised, what was measured, and whether it was kept.
    """

    machine: dict[str, str]
    settings: dict[str, Any]
    lines: list[Line] = field(default_factory=list)
    imports: dict[str, dict[str, Any]] = field(default_factory=dict)
    targets: list[dict[str, Any]] = field(default_factory=list)

    def find(self, shape: str, tools: int, contender: str, metric: str) -> Line | None:
        """Return one figure, None if it was not measured."""
        key = (shape, tools, contender, metric)
        found = (line for line in self.lines if (line.shape, line.tools, line.contender, line.metric) == key)
        return next(found, None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, fit for JSON."""
        return {"format": FORMAT, **asdict(self)}


def machine() -> dict[str, str]:
    """Say where and with what a run was made."""
    packages = ("envpickle", "envpickle-openenv", "msgpack", "cloudpickle", "dill")
    return {
        "cpu": cpu(),
        "cores": str(os.cpu_count()),
        "system": platform.platform(terse=True),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        **{name: installed(name) for name in packages},
    }


def installed(name: str) -> str:
    """Return a distribution's version."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def cpu() -> str:
    """Return the processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
