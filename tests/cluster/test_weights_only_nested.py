"""``torch.load(..., weights_only=True)`` and classes nested in others: found through the outer class, and nothing else is."""

import gc
import io
import pickle
import pickletools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from harbour import docks

import envpickle
from envpickle import errors


def saved(value: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer, _use_new_zipfile_serialization=False)
    return buffer.getvalue()


def load(payload: bytes, *classes: type) -> Any:
    with torch.serialization.safe_globals(envpickle.torch_safe_globals(*classes)):
        return torch.load(io.BytesIO(payload), weights_only=True)


def stand_in(*classes: type) -> Callable[..., Any]:
    """What torch is given under the name of ``getattr``."""
    (found,) = (item[0] for item in envpickle.torch_safe_globals(*classes) if isinstance(item, tuple) and "getattr" in item[1])
    return found


def test_a_nested_class_and_its_instances() -> None:
    cls: Any = docks.yard(2)
    payload = saved([cls.Slot, cls.Slot(4), cls.Slot.Label])

    slot, instance, label = load(payload, cls.Slot, cls.Slot.Label)
    assert (slot, label) == (cls.Slot, cls.Slot.Label)
    assert (type(instance), instance.number) == (cls.Slot, 4)


def test_named_apart_from_its_outer_class() -> None:
    """The outer classes come as values; an instance of one is torch's to refuse."""
    cls: Any = docks.yard(3)
    assert load(saved([cls.Slot.Label, cls, cls.Slot]), cls.Slot.Label) == [cls.Slot.Label, cls, cls.Slot]
    for outer in (cls(), cls.Slot(1)):
        with pytest.raises(pickle.UnpicklingError, match="Can only create new object"):
            load(saved([cls.Slot.Label, outer]), cls.Slot.Label)


def test_one_that_was_not_named_is_refused_and_no_builder_runs() -> None:
    named: Any = docks.yard(4)
    other: Any = docks.yard(5)
    payloads = saved(other.Slot), saved(named.Slot.Label)
    del other
    gc.collect()

    with pytest.raises(pickle.UnpicklingError, match="not told of"):
        load(payloads[0], named.Slot)
    with pytest.raises(pickle.UnpicklingError, match="none named"):
        load(payloads[1], named.Slot)
    with pytest.raises(pickle.UnpicklingError, match="getattr"):
        load(payloads[1], named)  # torch is told of no getattr where no nested class is named


def test_getattr_gives_nothing_but_nested_classes() -> None:
    """A checkpoint may ask for any attribute of anything: no attribute is looked up but in a class's own dictionary."""
    cls: Any = docks.yard(6)
    get = stand_in(cls.Slot)

    class Trap:
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(name)

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

        __hash__ = None  # type: ignore[assignment]

    hostile = [
        (cls, "count"),
        (cls, "__init__"),
        (cls, "__dict__"),
        (cls, "mro"),
        (cls.Slot, "__init__"),
        (cls, 5),
        (cls, Trap()),
    ]
    hostile += [(Trap(), "Slot"), (torch, "load"), (type, "mro"), (cls(), "Slot"), (dict, "fromkeys"), ("", "format")]
    assert get(cls, "Slot") is cls.Slot
    for outer, name in hostile:
        with pytest.raises(errors.NotAllowed, match="none named"):
            get(outer, name)


def test_one_that_was_replaced_is_refused() -> None:
    cls: Any = docks.yard(7)
    get, was = stand_in(cls.Slot), cls.Slot
    type.__setattr__(cls, "Slot", int)
    with pytest.raises(errors.NotAllowed):
        get(cls, "Slot")
    with pytest.raises(errors.ClassChanged):
        envpickle.torch_safe_globals(was)


def test_what_is_asked_of_torch_is_getattr() -> None:
    """The name that the stand-in goes by is the one that stands in checkpoints."""
    cls: Any = docks.yard(8)
    names = [name for opcode, name, _ in pickletools.genops(pickle.dumps(cls.Slot, 2)) if opcode.name == "GLOBAL"]
    assert names[0] == "__builtin__ getattr"


@pytest.mark.parametrize("attribute", ["count", "__init__", "mro"])
def test_a_forged_checkpoint_is_refused(attribute: str) -> None:
    """One that asks for other attributes of a class that is named."""
    cls: Any = docks.yard(9)

    class Forged:
        def __reduce__(self) -> Any:
            return getattr, (cls, attribute)

    with pytest.raises(pickle.UnpicklingError, match="none named"):
        load(saved(Forged()), cls, cls.Slot)
