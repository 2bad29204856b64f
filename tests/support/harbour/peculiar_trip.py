"""The peculiar instances that come back whole, as one piece of cargo."""

from typing import Any

from harbour import peculiar
from harbour.reports_first import held

REFUSED = ("deque of another constructor", "ordered dict of another constructor", "announced of another constructor",
           "swapped pair", "random", "serializable that tells nothing", "slotted that adds a slot", "partly",
           "picking, with more to pick")  # fmt: skip


def make_whole() -> Any:
    return {kind: make(held(peculiar.made(kind))) for kind, make in peculiar.KINDS.items() if kind not in REFUSED}


def check_whole(got: Any) -> None:
    for kind, one in got.items():
        assert type(one) is peculiar.made(kind), kind
        assert peculiar.shown(one) == peculiar.shown(peculiar.KINDS[kind](peculiar.made(kind))), kind
