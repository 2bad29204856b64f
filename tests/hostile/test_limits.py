"""The limits, from both sides: at the limit a class travels, beyond it the sender is told, and not only the receiver."""

import gc
import pickle
from typing import Any

import pytest
from harbour import docks

import envpickle
from envpickle import errors


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


WITHIN = {
    "depth": lambda: nested(50),
    "items": lambda: list(range(16_000)),
    "entries": lambda: {str(n): n for n in range(16_000)},
    "nodes": lambda: [list(range(1_000)) for _ in range(150)],
    "bytes": lambda: b"x" * 1_000_000,
    "text": lambda: "x" * 1_000_000,
}
BEYOND = {
    "depth": lambda: nested(70),
    "deep dicts": lambda: {"a": nested(70)},
    "very deep": lambda: nested(50_000),
    "items": lambda: list(range(17_000)),
    "entries": lambda: {str(n): n for n in range(17_000)},
    "set": lambda: set(range(17_000)),
    "tuple": lambda: tuple(range(17_000)),
    "nodes": lambda: [list(range(10_000)) for _ in range(21)],
    "bytes": lambda: b"x" * 1_100_000,
    "text": lambda: "\u20ac" * 400_000,
    "many small": lambda: ["x" * 100] * 12_000,
}


@pytest.mark.parametrize("what", WITHIN)
def test_within_the_limits_a_class_travels(what: str) -> None:
    """Near the limits a class is sent and built again with the same value."""
    value = WITHIN[what]()
    payload = pickle.dumps(docks.lighthouse(value))
    gc.collect()

    assert pickle.loads(payload).value() == value


@pytest.mark.parametrize("what", BEYOND)
def test_beyond_the_limits_the_sender_is_told(what: str) -> None:
    """The class works at home; pickling it is refused and says which argument is too large, before any receiver is."""
    value = BEYOND[what]()
    cls: Any = docks.lighthouse(value)
    assert cls.value() is value

    with pytest.raises(errors.PickleRefused, match="lighthouse") as caught:
        pickle.dumps(cls)
    assert len(str(caught.value)) < 2000
    with pytest.raises(errors.EnvpickleError):
        envpickle.describe(cls).to_bytes()


def test_many_arguments_together() -> None:
    """Arguments that are within the limits alone and not together are refused when dumped too."""
    cls = docks.fleet(*["x" * 300_000 + str(n) for n in range(4)])

    with pytest.raises(errors.PickleRefused, match="fleet"):
        pickle.dumps(cls)
