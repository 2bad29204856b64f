"""One run from beginning to end, with a progress bar."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .contenders import SHAPES
from .imports import import_costs
from .many import many
from .measure import METHODS, codec, cold, trips
from .results import Results, machine
from .targets import TOOLS, targets
from .written import compile_packages, written_tools

__all__ = ["FULL", "QUICK", "Extent", "run"]


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        sizes: Numbers of tools.
        methods: Start methods.
        many: Numbers of classes on one toolset, and how often each list is pickled.
        rounds: Rounds of dumps and of loads.
        least: Seconds a batch of them takes at least.
        patience: Seconds that pickling many classes may take one contender.
        cold_rounds: Rounds of cold loads.
        trip_rounds: Rounds of whole trips.
        import_rounds: Fresh children of each kind.
        shapes: Shapes of classes.
    """

    sizes: tuple[int, ...] = (8, 64, 512)
    methods: tuple[str, ...] = METHODS
    many: tuple[tuple[int, int], ...] = ((100, 5), (1000, 1))
    rounds: int = 15
    least: float = 0.005
    patience: float = 30.0
    cold_rounds: int = 40
    trip_rounds: int = 15
    import_rounds: int = 15
    shapes: tuple[str, ...] = SHAPES

    def narrowed(self, shapes: Sequence[str], sizes: Sequence[int]) -> "Extent":
        """Return the extent with only some shapes and sizes, when any are named."""
        return replace(self, shapes=tuple(shapes) or self.shapes, sizes=tuple(sizes) or self.sizes)


FULL = Extent()
QUICK = Extent(
    sizes=(8, 64),
    many=((100, 1),),
    rounds=3,
    least=0.001,
    patience=8.0,
    cold_rounds=5,
    trip_rounds=3,
    import_rounds=3,
)


def run(extent: Extent, console: Console) -> Results:
    """Measure everything in an extent.

    Args:
        extent: How much.
        console: Where the progress bar is drawn.

    Returns:
        What was measured.

    Raises:
        RuntimeError: If a class does not arrive as it left, or a child fails.
    """
    settings: dict[str, Any] = {**asdict(extent), "many": [count for count, _ in extent.many]}
    results = Results(machine(), settings)
    compile_packages()
    # The bar is drawn between rounds only: a thread that draws would disturb the clock, and forks.
    with Progress(
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        auto_refresh=False,
        transient=True,
    ) as progress:
        task = progress.add_task("", total=steps(extent))

        def tick() -> None:
            progress.update(task, advance=1, refresh=True)

        def say(text: str) -> None:
            progress.update(task, description=text, refresh=True)

        with written_tools(extent.sizes):
            for shape in extent.shapes:
                measure_shape(results, extent, shape, tick, say)
    results.targets = targets(results)
    return results


def measure_shape(results: Results, extent: Extent, shape: str, tick: Callable[[], None], say: Callable[[str], None]) -> None:
    """Measure one shape into the results."""
    for size in extent.sizes:
        say(f"{shape}, {size} tools: codec")
        results.lines += codec(shape, size, extent.rounds, extent.least, tick)
        say(f"{shape}, {size} tools: cold")
        results.lines += cold(shape, size, extent.cold_rounds, tick)
        for method in extent.methods:
            say(f"{shape}, {size} tools: {method}")
            results.lines += trips(shape, size, method, extent.trip_rounds, tick)
    if TOOLS in extent.sizes:
        for count, rounds in extent.many:
            say(f"{shape}, {count} classes")
            results.lines += many(shape, count, rounds, extent.patience, tick)
    say(f"{shape}: imports")
    results.imports[shape] = import_costs(shape, extent.import_rounds, tick)


def steps(extent: Extent) -> int:
    """Return how often `run` ticks."""
    return sum(shape_steps(extent)) * len(extent.shapes)


def shape_steps(extent: Extent) -> Iterator[int]:
    """Yield the ticks of each part of one shape."""
    yield len(extent.sizes) * (2 * extent.rounds + 1 + len(extent.methods) * extent.trip_rounds)
    if TOOLS in extent.sizes:
        yield 3 * len(extent.many)
    yield extent.import_rounds
