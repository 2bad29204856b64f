"""describe, rebuild, register and unregister: the four calls on a class that is not just built."""

import dataclasses
import functools
import gc
import pickle
from typing import Any

import pytest
from harbour import docks, handmade, instances

import envpickle
from envpickle import errors


def test_describe_shows_how_a_class_is_made() -> None:
    """A spec names builder, class, arguments, owner and surface, and is equal to the spec of the same call."""
    spec = envpickle.describe(docks.dock(["lift"], size=2))

    assert (spec.builder, spec.name, spec.owner, spec.script) == ("harbour.docks:dock", "Dock", None, None)
    assert isinstance(spec.key, bytes)
    assert len(spec.key) == 16
    assert spec == envpickle.describe(docks.dock(["lift"], "sea", size=2))
    assert hash(spec) == hash(envpickle.describe(docks.dock(["lift"], size=2)))
    assert spec != envpickle.describe(docks.dock(["lift"], size=3))
    assert spec != "something else"
    assert "harbour.docks:dock" in repr(spec)


def test_a_spec_is_a_value() -> None:
    """A spec cannot be changed, pickles, and goes through bytes and JSON as itself."""
    spec = envpickle.describe(docks.dock(["value"]))

    with pytest.raises((AttributeError, TypeError)):
        spec.name = "Other"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert envpickle.Spec.from_bytes(spec.to_bytes()) == spec
    assert envpickle.Spec.from_json(spec.to_json()) == spec
    spec.arguments["tools"].append("more")
    assert envpickle.describe(docks.dock(["value"])).arguments["tools"] == ["value"]


def test_the_key_is_in_the_address() -> None:
    """The key shown in the class's name is the beginning of the spec's key."""
    cls = docks.dock(["keyed"])

    assert envpickle.describe(cls).key.hex().startswith(cls.__qualname__.rpartition("@")[2])


def test_describing_takes_nothing_away() -> None:
    """A spec does not keep its class alive, and outlives it."""
    spec = envpickle.describe(docks.dock(["outlived"]))
    gc.collect()
    docks.reset_runs()

    assert envpickle.rebuild(spec)().outlived() == "outlived crate at sea"  # type: ignore[attr-defined]
    assert docks.RUNS == ["dock"]


def test_rebuild_takes_bytes_and_specs() -> None:
    """Bytes, bytearray and a spec all lead to the class that lives."""
    cls = docks.dock(["rebuilt"])
    spec = envpickle.describe(cls)

    assert envpickle.rebuild(spec) is envpickle.rebuild(spec.to_bytes()) is cls


def test_register_gives_a_plain_class_its_call() -> None:
    """A class made outside its builder's call becomes the class of that call: it pickles, and the builder returns it."""
    made = handmade.make(["lift"])
    cls: Any = envpickle.register(made, handmade.handmade, ["lift"])

    assert handmade.handmade(["lift"]) is cls
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert cls().lift() == "lift"
    assert envpickle.describe(cls).builder == "harbour.handmade:handmade"
    payload = pickle.dumps(cls)
    del cls, made
    gc.collect()
    assert pickle.loads(payload)().lift() == "lift"


def test_register_refuses_a_call_that_is_taken() -> None:
    """While a class lives, its call is not given to another class, and the message names both."""
    taken = handmade.handmade(["taken"])
    with pytest.raises(errors.RegistrationError, match="handmade"):
        envpickle.register(handmade.make(["taken"]), handmade.handmade, ["taken"])

    assert handmade.handmade(["taken"]) is taken


def test_registering_twice_is_once() -> None:
    """A class that has a call already is not given one again, and keeps the one it has."""
    cls = handmade.handmade(["twice"])
    with pytest.raises(errors.RegistrationError, match="unregister"):
        envpickle.register(cls, handmade.handmade, ["twice"])

    assert pickle.loads(pickle.dumps(cls)) is cls
    with pytest.raises(errors.RegistrationError):
        envpickle.register(cls, handmade.handmade, ["another call"])


def test_register_notices_a_class_the_builder_does_not_make() -> None:
    """A class registered under a call that makes something else is refused somewhere, and never sent as the other thing."""
    other = type("Handmade", (), {"drop": lambda self: "dropped"})
    try:
        cls = envpickle.register(other, handmade.handmade, ["lift it"])
        payload = pickle.dumps(cls)
    except errors.EnvpickleError:
        return
    del cls, other
    gc.collect()
    with pytest.raises(errors.RebuildMismatch):
        pickle.loads(payload)


def test_unregister_takes_the_call_away() -> None:
    """An unregistered class no longer travels, and its call is free again."""
    cls = handmade.handmade(["unregistered"])
    envpickle.unregister(cls)

    with pytest.raises(errors.PickleRefused):
        pickle.dumps(cls)
    assert handmade.handmade(["unregistered"]) is not cls
    with pytest.raises(errors.EnvpickleError):
        envpickle.describe(cls)


def test_register_without_a_builder_refuses_with_reasons() -> None:
    """A class nobody knows how to make is refused with what to do; a built class is itself."""
    cls = docks.dock(["known"])

    assert envpickle.register(cls) is cls
    with pytest.raises(errors.RegistrationError, match="builder"):
        envpickle.register(type("Unknown", (), {"lift": lambda self: 1}), by_value=False)


def test_foreign_classes_register_in_place() -> None:
    """A class of another metaclass keeps its object when it is registered."""
    cls = instances.actions.fn(["up", "down"])

    assert envpickle.register(cls, instances.actions, ["up", "down"]) is cls
    assert pickle.loads(pickle.dumps(cls.up)) is cls.up


def test_a_named_class_can_be_registered() -> None:
    """A module-level class found by its name still goes by its name when nobody registered it."""
    assert pickle.loads(pickle.dumps(handmade.Named)) is handmade.Named
    assert type(handmade.Named) is envpickle.RuntimeType


HANDED_ON: dict[str, Any] = {
    "with keywords": lambda made, **words: envpickle.register(made(), **words),
    "by a function that takes anything": lambda made, **words: _hand_on(made(), **words),
    "with a builder": lambda made: _hand_on(made(), handmade.handmade, ["handed"]),
    "by a partial": lambda made: functools.partial(envpickle.register, by_value=None)(made()),
}


def _hand_on(*args: Any, **kwargs: Any) -> Any:
    return envpickle.register(*args, **kwargs)


@pytest.mark.parametrize("way", HANDED_ON)
def test_the_arguments_of_the_registering_call_hold_nothing(way: str) -> None:
    """Python keeps them in a tuple where they are handed on, which is nobody's; a container of the caller's own is."""
    cls: Any = HANDED_ON[way](lambda: dataclasses.make_dataclass("Handed", [("a", int, 1)]))
    assert pickle.loads(pickle.dumps(cls)) is cls
    envpickle.unregister(cls)

    kept = [dataclasses.make_dataclass("Handed", [("a", int, 1)])]
    with pytest.raises(errors.AdoptionError):
        HANDED_ON[way](lambda: kept[0])


def test_what_was_done_to_a_registered_class_is_to_be_done_before() -> None:
    """A maker's call is nobody's to write into: the refusal says what helps, and it does."""
    cls: Any = envpickle.register(dataclasses.make_dataclass("Patched", [("a", int, 1)]))
    cls.more = 5

    with pytest.raises(errors.ClassChanged, match=r"more was added\. Do it before .*envpickle\.unregister"):
        pickle.dumps(cls)
    envpickle.unregister(cls)
    cls = envpickle.register(cls)
    assert pickle.loads(pickle.dumps(cls)).more == 5
