"""What holds of every class that a maker of another library makes: subclasses, threads, and a class that came before."""

import gc
import pickle
import threading
from collections.abc import Callable
from typing import Any

import attrs
import marshmallow
import msgspec
import pydantic
import pytest
from harbour import made_pydantic

import envpickle
from envpickle import errors

MAKE: dict[str, Callable[[str], Any]] = {
    "pydantic": lambda name: pydantic.create_model(name, x=(int, 1)),
    "a parametrised model": lambda name: made_pydantic.Pair[int, bytes],
    "msgspec": lambda name: msgspec.defstruct(name, [("x", int, 1)]),
    "attrs": lambda name: attrs.make_class(name, {"x": attrs.field(default=1)}),
    "marshmallow": lambda name: marshmallow.Schema.from_dict({"x": marshmallow.fields.Int()}, name=name),
}


@pytest.mark.parametrize("made_by", MAKE)
def test_a_subclass_is_not_taken_for_its_base(made_by: str) -> None:
    """It is refused by name, and so are its instances' classes; nothing of it is sent as the base."""
    base: Any = envpickle.register(MAKE[made_by]("Base"))
    sub: Any = type(base)("Sub", (base,), {"__module__": __name__, "extra": lambda self: 1})

    with pytest.raises(errors.UnknownClass, match="Sub"):
        pickle.dumps(sub)
    assert pickle.loads(pickle.dumps(base)) is base


@pytest.mark.parametrize("made_by", MAKE)
def test_many_threads_get_one_class(made_by: str) -> None:
    """Sixteen threads that load the same bytes at once get one class, made once."""
    cls = envpickle.register(MAKE[made_by]("Threaded"))
    payload = pickle.dumps(cls)
    del cls
    gc.collect()
    start, got = threading.Barrier(16), []

    def load() -> None:
        start.wait(30)
        got.append(pickle.loads(payload))

    threads = [threading.Thread(target=load) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(got) == 16
    assert len(set(map(id, got))) == 1


@pytest.mark.parametrize("made_by", MAKE)
def test_an_equal_class_is_the_one_that_lives(made_by: str) -> None:
    """A second class made by the same call is given up for the first: one class per call."""
    first = envpickle.register(MAKE[made_by]("Equal"))

    assert envpickle.register(MAKE[made_by]("Equal")) is first


def test_a_model_of_a_registered_model() -> None:
    """A model derived from one that was made at run time travels once both are registered."""
    base = envpickle.register(pydantic.create_model("Lower", x=(int, 1)))
    derived: Any = envpickle.register(pydantic.create_model("Upper", __base__=base, y=(int, 2)))
    payload = pickle.dumps([derived, base])
    sent = derived().model_dump()
    del base, derived
    gc.collect()
    upper, lower = pickle.loads(payload)

    assert issubclass(upper, lower)
    assert upper().model_dump() == sent
