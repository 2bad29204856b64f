"""Processes in flight: so many started at once, each with the class, until the last has answered."""

import multiprocessing
import statistics
import time
from typing import Any

from benchmarks.spawn_roundtrip import child
from benchmarks.spawn_roundtrip.contenders import CONTENDERS, Contender, first_method
from benchmarks.spawn_roundtrip.measure import finish, receive
from benchmarks.spawn_roundtrip.written import compile_packages, written_tools

from .curves import OWN, PEER, TOOLS, Curve, Extent

__all__ = ["trips_by_flight"]

FLOOR = "importable"


def trips_by_flight(extent: Extent) -> Curve:
    """Seconds until spawned children that were started at once have all called a method of the class, for each child."""
    curve = Curve("trips_by_flight", "whole trip by spawn, for each child", "processes in flight", "s", list(extent.flights))
    compile_packages()
    contenders = [contender for contender in CONTENDERS if contender.name in (FLOOR, OWN, PEER)]
    samples: dict[str, dict[int, list[float]]] = {c.name: {n: [] for n in extent.flights} for c in contenders}
    with written_tools((TOOLS,)):
        made = [(contender, contender.make("plain", TOOLS, "Env")) for contender in contenders]
        for number in range(4):
            for count in extent.flights:
                for contender, cls in made:
                    spent = one_flight(contender, cls, count) / count
                    if number:  # the first round fills the file cache
                        samples[contender.name][count].append(spent)
    for name, by_count in samples.items():
        curve.points[name] = [statistics.median(by_count[count]) for count in curve.at]
    for count in curve.at:  # here over the importable class, as what a process costs is not ours
        pairs = zip(samples[OWN][count], samples[FLOOR][count], strict=True)
        curve.ratio.append(statistics.median(own / floor for own, floor in pairs))
    return curve


def one_flight(contender: Contender, cls: type, count: int) -> float:
    """Start so many children with a class and return the seconds until all have answered."""
    context = multiprocessing.get_context("spawn")
    flying: list[tuple[Any, Any]] = []
    begun = time.perf_counter()
    for _ in range(count):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=child.answer, args=(contender.carry(cls), first_method("plain"), sender))
        process.start()
        sender.close()
        flying.append((process, receiver))
    for _, receiver in flying:
        receive(receiver, "spawn")
    spent = time.perf_counter() - begun
    for process, receiver in flying:
        finish(process, receiver)
    return spent
