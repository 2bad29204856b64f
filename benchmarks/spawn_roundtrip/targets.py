"""What was promised, beside what a run measured."""

from collections.abc import Iterator
from typing import Any

from .results import Results

__all__ = ["targets"]

TOOLS = 64
BEYOND_MS = 8.0
MODULES = 3


def targets(results: Results) -> list[dict[str, Any]]:
    """Compare a run with the targets of the plain shape at 64 tools; the server shape is shown beside it.

    Args:
        results: The run.

    Returns:
        Rows of ``shape``, ``what``, ``target``, ``measured`` and ``kept``; ``kept`` is None where nothing was promised.
    """
    return [row for shape in results.settings["shapes"] for row in rows(results, shape)]


def rows(results: Results, shape: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of one shape."""
    yield from codec_rows(results, shape)
    yield from many_rows(results, shape)
    yield from trip_rows(results, shape)
    if shape in results.imports:
        yield from import_rows(results.imports[shape], shape)


def codec_rows(results: Results, shape: str) -> Iterator[dict[str, Any]]:
    """Yield what the codec was promised to cost beside cloudpickle."""
    for metric, what, most in (
        ("dumps", "dumps / cloudpickle's", 1 / 100),
        ("loads", "loads, class there / cloudpickle's", 1 / 20),
        ("loads_cold", "loads, cold / cloudpickle's", 1.0),
    ):
        line = results.find(shape, TOOLS, "envpickle", metric)
        if line is not None:
            ratio = line.ratios["cloudpickle"].median
            yield row(shape, what, f"≤ {most:g}", f"{ratio:.4f}", ratio <= most)


def many_rows(results: Results, shape: str) -> Iterator[dict[str, Any]]:
    """Yield what many classes on one toolset were promised to weigh."""
    one = results.find(shape, TOOLS, "envpickle", "bytes")
    for count in (100, 1000):
        line = results.find(shape, TOOLS, "envpickle", f"many_{count}_bytes")
        if one is None or line is None:
            continue
        most = 1.5 * one.spread.median + 150 * count
        size = line.spread.median
        yield row(shape, f"{count:,} classes on one toolset", f"≤ {most:,.0f} B", f"{size:,.0f} B", size <= most)


def trip_rows(results: Results, shape: str) -> Iterator[dict[str, Any]]:
    """Yield the whole trip's ratio to an importable class, which is reported only; under fork nothing travels."""
    for method in results.settings["methods"]:
        ours, peer = (results.find(shape, TOOLS, name, f"trip_{method}") for name in ("envpickle", "cloudpickle"))
        if method != "fork" and ours is not None and peer is not None:
            ratio, other = (line.ratios["importable"].median for line in (ours, peer))
            measured = f"{ratio:.2f} (cloudpickle {other:.2f})"
            yield row(shape, f"whole trip by {method} / importable's", "1.10 is good", measured, None)


def import_rows(imports: dict[str, Any], shape: str) -> Iterator[dict[str, Any]]:
    """Yield what a fresh child was promised to pay."""
    beyond, cpu, ours, forbidden = (imports[key] for key in ("beyond_ms", "beyond_cpu_ms", "ours", "forbidden"))
    least = f"minimum of {imports['rounds']}"
    what = f"child's load beyond its module, {least}"
    yield row(shape, what, f"≤ {BEYOND_MS:g} ms", f"{beyond:.2f} ms (CPU {cpu:.2f})", beyond <= BEYOND_MS)
    modules = [name for name in ours if name != "envpickle"]  # the package itself is a page of contents
    said = f"{len(modules)}: {', '.join(modules)}"
    yield row(shape, "modules of ours in the child, beside the package", f"≤ {MODULES}", said, len(modules) <= MODULES)
    yield row(shape, "heavy modules for us in the child", "none", ", ".join(forbidden) or "none", not forbidden)


def row(shape: str, what: str, target: str, measured: str, kept: bool | None) -> dict[str, Any]:
    """Make one row; only the plain shape carries promises."""
    return {
        "shape": shape,
        "what": what,
        "target": target,
        "measured": measured,
        "kept": kept if shape == "plain" else None,
    }
