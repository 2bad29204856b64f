"""What is claimed about growth, beside what a run measured."""

from collections.abc import Callable
from dataclasses import dataclass

from .curves import OWN, PEER, Curve

__all__ = ["CLAIMS", "Claim", "Verdict", "judged"]


@dataclass(frozen=True)
class Claim:
    """One claim about one curve.

    Attributes:
        curve: Name of the curve.
        text: The claim.
        most: The greatest value that keeps it.
        value: What is compared, of the curves by name.
    """

    curve: str
    text: str
    most: float
    value: Callable[[dict[str, Curve]], float]


@dataclass(frozen=True)
class Verdict:
    """What became of a claim.

    Attributes:
        text: The claim.
        most: The greatest value that keeps it.
        measured: The value.
        kept: Whether it is kept.
    """

    text: str
    most: float
    measured: float
    kept: bool


def last_over_reference(name: str) -> Callable[[dict[str, Curve]], float]:
    """The figure at the greatest number over the one at the reference."""
    return lambda curves: curves[name].ratio[-1]


def share_of_peer(name: str) -> Callable[[dict[str, Curve]], float]:
    """The greatest share of the peer's figure, over all numbers."""

    def share(curves: dict[str, Curve]) -> float:
        points = curves[name].points
        return max(a / b for a, b in zip(points[OWN], points[PEER], strict=True) if a is not None and b is not None)

    return share


def bytes_of_one_more(curves: dict[str, Curve]) -> float:
    """What one more class on the same toolset adds, over the whole curve."""
    curve = curves["bytes_by_classes"]
    first, last = curve.points[OWN][0], curve.points[OWN][-1]
    assert first is not None
    assert last is not None
    return (last - first) / (curve.at[-1] - curve.at[0])


def bend_of_bytes(curves: dict[str, Curve]) -> float:
    """How far the bytes are from a straight line in the number of toolsets: the greatest deviation, as a share."""
    curve = curves["bytes_by_toolsets"]
    points = [point for point in curve.points[OWN] if point is not None]
    slope = (points[-1] - points[0]) / (curve.at[-1] - curve.at[0])
    return max(abs(point - points[0] - slope * (at - curve.at[0])) / point for at, point in zip(curve.at, points, strict=True))


def memory_growth(curves: dict[str, Curve]) -> float:
    """Memory per class at the greatest number over that at the least."""
    points = [point for point in curves["memory_by_classes"].points[OWN] if point is not None]
    return points[-1] / points[0]


CLAIMS = (
    Claim(
        "dumps_by_live",
        "dumps of a class does not depend on how many live: the most over 10",
        1.2,
        last_over_reference("dumps_by_live"),
    ),
    Claim("loads_by_live", "loads of a class that is there does not either", 1.2, last_over_reference("loads_by_live")),
    Claim("found_by_live", "nor does finding one by its address", 1.2, last_over_reference("found_by_live")),
    Claim("called_by_live", "nor does calling the builder again", 1.2, last_over_reference("called_by_live")),
    Claim(
        "dumps_by_tools", "dumps, pickled before, of cloudpickle's at any number of tools", 0.1, share_of_peer("dumps_by_tools")
    ),
    Claim(
        "loads_by_tools",
        "loads, the class is there, of cloudpickle's at any number of tools",
        0.1,
        share_of_peer("loads_by_tools"),
    ),
    Claim("bytes_by_classes", "bytes that one more class on a toolset adds", 150.0, bytes_of_one_more),
    Claim("bytes_by_toolsets", "bytes grow in a straight line with the toolsets: deviation", 0.02, bend_of_bytes),
    Claim("memory_by_classes", "memory per class does not grow with their number: most over fewest", 1.05, memory_growth),
    Claim(
        "trips_by_flight",
        "the whole trip over an importable class's, the most in flight",
        1.25,
        last_over_reference("trips_by_flight"),
    ),
)


def judged(curves: dict[str, Curve]) -> list[Verdict]:
    """Judge every claim whose curve was measured.

    Args:
        curves: The curves by name.
    """
    verdicts = []
    for claim in CLAIMS:
        if claim.curve in curves:
            measured = claim.value(curves)
            verdicts.append(Verdict(claim.text, claim.most, measured, measured <= claim.most))
    return verdicts
