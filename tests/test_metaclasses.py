"""Metaclasses: one with ideas of its own does not stand in the way; one made while the builder runs is refused by name."""

import copy
import gc
import pickle
from typing import Any

import cloudpickle
import pytest
from harbour import metas
from voyage.fresh import run

import envpickle
from envpickle import errors

LOCKED = ("Locked",)
NO_INSTANCES = ("Calling",)
UNHASHABLE = ("Equal", "Unhashable")  # neither cloudpickle nor pickle's own look-up of an instance's class takes these


@pytest.mark.parametrize("meta", metas.METAS)
def test_a_class_of_any_importable_metaclass_pickles_to_itself(meta: str) -> None:
    """Its comparison, hash, call, attribute setting and look are its own affair: the class travels, and stays one."""
    cls: Any = metas.of(meta, 1)

    for protocol in range(6):
        assert pickle.loads(pickle.dumps(cls, protocol)) is cls
    assert meta in UNHASHABLE or cloudpickle.loads(cloudpickle.dumps(cls)) is cls
    assert copy.deepcopy([cls])[0] is cls
    assert metas.of(meta, 1) is cls
    assert metas.of(meta, 2) is not cls
    assert type(cls) is metas.METAS[meta]


@pytest.mark.parametrize("meta", metas.METAS)
def test_it_is_left_what_it_was(meta: str) -> None:
    """Building sets its attributes past the metaclass, and leaves behaviour and keyword arguments what they were."""
    metas.RECORDED.clear()
    cls: Any = metas.of(meta, 3)
    pickle.dumps(cls)
    assert metas.RECORDED == []
    plain: Any = metas.of.fn(meta, 3)

    added = set(vars(cls)) - set(vars(plain))
    assert {name for name in added if not name.startswith("__envpickle")} == set()
    assert vars(cls).get("flag") == vars(plain).get("flag")
    assert cls.__name__ == "Built"
    if meta in NO_INSTANCES:
        assert cls(1, a=2) == ("called", (1,), {"a": 2})
    else:
        assert cls().go() == 3
        assert meta in UNHASHABLE or pickle.loads(pickle.dumps(cls())).go() == 3


@pytest.mark.parametrize("meta", [meta for meta in metas.METAS if meta not in LOCKED])
def test_a_change_is_seen_whatever_the_metaclass_says(meta: str) -> None:
    """Equal is not the same: a replaced and an added attribute refuse the class."""
    cls: Any = metas.of(meta, 4)
    pickle.dumps(cls)
    cls.late = 1
    with pytest.raises(errors.ClassChanged, match="late was added"):
        pickle.dumps(cls)

    other: Any = metas.of(meta, 5)
    other.value = True  # equal to what was there
    with pytest.raises(errors.ClassChanged, match="value was replaced"):
        pickle.dumps(other)


SUBCLASSED = [meta for meta in metas.METAS if meta not in ("Silent", "OwnOrder")]


@pytest.mark.parametrize("meta", SUBCLASSED)
def test_a_subclass_is_refused_whatever_the_metaclass_says(meta: str) -> None:
    """A run-time subclass does not pass for its base, not even where the metaclass says that they are equal."""
    cls: Any = metas.of(meta, 6)
    sub = type(cls)("Sub", (cls,), {"go": lambda self: "other"})

    with pytest.raises(errors.UnknownClass, match="Sub"):
        pickle.dumps(sub)


@pytest.mark.parametrize("meta", metas.METAS)
def test_a_nested_class_of_any_importable_metaclass_travels(meta: str) -> None:
    """The same for a class nested in a built one."""
    cls: Any = metas.around(meta)

    assert pickle.loads(pickle.dumps(cls)) is cls
    assert pickle.loads(pickle.dumps([cls.Built]))[0] is cls.Built


@pytest.mark.parametrize("meta", metas.METAS)
def test_a_class_with_a_metaclass_is_forgotten(meta: str) -> None:
    """Nobody keeps a class of an importable metaclass, however often it was pickled."""
    data = envpickle.describe(metas.of(meta, 7)).to_bytes()
    for _ in range(3):
        pickle.dumps(envpickle.rebuild(data))
    gc.collect()

    assert not [kind for kind in type.__subclasses__(object) if kind.__qualname__.startswith("of.Built@") and kind.go(0) == 7]


CROSSING = """
import multiprocessing, pickle
from harbour import metas
from voyage.fresh import report

def look(classes):
    assert all(type(cls) is metas.METAS[meta] for meta, cls in classes.items())
    return {meta: cls.go(None) for meta, cls in classes.items()}, classes

if __name__ == "__main__":
    sent = {meta: metas.of(meta, 8) for meta in metas.METAS}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seen, back = pool.apply(look, (sent,))
    pool.join()
    report([seen, [meta for meta in sent if back[meta] is not sent[meta]]])
"""


def test_classes_of_all_of_them_cross() -> None:
    """A spawned child rebuilds each with its metaclass, and each comes home as itself."""
    assert run(CROSSING) == [dict.fromkeys(metas.METAS, 8), []]


@pytest.mark.parametrize("base", metas.BASES)
@pytest.mark.parametrize("maker", metas.MAKERS)
def test_a_metaclass_made_at_run_time_is_refused_by_name(maker: str, base: str) -> None:
    """Pickle's table would keep it for ever with all it knows, so the builder says what to do instead."""
    for _ in range(2):
        with pytest.raises(errors.BuilderError, match=r"metaclass .*<locals>.*importable module"):
            metas.of_its_own(maker, base, 1)


@pytest.mark.parametrize("base", metas.BASES)
@pytest.mark.parametrize("maker", metas.MAKERS)
def test_a_refused_metaclass_is_forgotten(maker: str, base: str) -> None:
    """Nothing holds a refused class or its metaclass: a program that tries a hundred times has none of them."""
    metas.LIVING.clear()
    for number in range(20):
        with pytest.raises(errors.BuilderError):
            metas.of_its_own(maker, base, number)
    gc.collect()

    assert len(metas.LIVING) == 0


@pytest.mark.parametrize("registering", [False, True])
def test_a_metaclass_made_at_run_time_is_refused_in_nested_classes_too(registering: bool) -> None:
    """The same where only a nested class has it: refused by name, and forgotten with all it knows."""
    metas.LIVING.clear()
    for number in range(20):
        with pytest.raises(errors.BuilderError, match=r"metaclass .*<locals>.*importable module"):
            metas.around_its_own(number, registering)
    gc.collect()

    assert len(metas.LIVING) == 0
