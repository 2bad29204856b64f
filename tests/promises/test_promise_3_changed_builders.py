"""Promise 3: a builder that was edited, reloaded or replaced never lends its name to the class of the old one."""

import gc
import importlib
import itertools
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from envpickle import errors

TEXT = """
import envpickle

@envpickle.builder
def quay(name: str) -> type:
    class Quay:
        def version(self):
            return (name, {version!r})
    return Quay
"""
NAMES = map("quay_module_{}".format, itertools.count())


def write(module: str, folder: Path, version: str) -> None:
    """Write the module's source with that version in it, and let Python notice."""
    (folder / f"{module}.py").write_text(TEXT.format(version=version))
    for cached in folder.glob("__pycache__/*"):
        cached.unlink()
    importlib.invalidate_caches()


@pytest.fixture
def quays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An importable module with one builder, and a function that edits and reloads it."""
    name = next(NAMES)
    monkeypatch.syspath_prepend(str(tmp_path))
    write(name, tmp_path, "old")
    module = importlib.import_module(name)

    def edit(version: str = "new") -> ModuleType:
        write(name, tmp_path, version)
        return importlib.reload(module)

    yield module, edit
    sys.modules.pop(name, None)


def test_promise_3_a_reloaded_builder_refuses_its_old_classes(quays: Any) -> None:
    """After a reload the old class is refused, and the message says that the builder changed."""
    module, edit = quays
    old = module.quay("x")
    edit()

    with pytest.raises(errors.BuilderChanged, match="quay") as caught:
        pickle.dumps(old)
    assert module.__name__ in str(caught.value)


def test_promise_3_a_reloaded_builder_makes_new_classes(quays: Any) -> None:
    """The same call after a reload runs the new code though the old class still lives, and its class travels."""
    module, edit = quays
    old = module.quay("x")
    edit()
    new = module.quay("x")

    assert new is not old
    assert new().version() == ("x", "new")
    assert old().version() == ("x", "old")
    assert pickle.loads(pickle.dumps(new)) is new
    with pytest.raises(errors.BuilderChanged):
        pickle.dumps(old)


def test_promise_3_bytes_from_before_a_reload_meet_the_new_builder(quays: Any) -> None:
    """When the class is gone, bytes from before the reload are rebuilt by the builder that is there now."""
    module, edit = quays
    payload = pickle.dumps(module.quay("x"))
    edit()
    gc.collect()

    assert pickle.loads(payload)().version() == ("x", "new")


def test_promise_3_reloading_twice(quays: Any) -> None:
    """Each reload is noticed, also one that changed nothing in the text."""
    module, edit = quays
    edit("second")
    second = module.quay("x")
    edit("third")
    third = module.quay("x")

    assert second().version() == ("x", "second")
    assert pickle.loads(pickle.dumps(third)) is third
    with pytest.raises(errors.BuilderChanged):
        pickle.dumps(second)


REPLACEMENTS = {
    "deleted": lambda module: delattr(module, "quay"),
    "a plain function": lambda module: setattr(module, "quay", lambda name: None),
    "its raw function": lambda module: setattr(module, "quay", module.quay.fn),
    "a wrapper": lambda module: setattr(module, "quay", wrap(module.quay)),
    "None": lambda module: setattr(module, "quay", None),
}


def wrap(builder: Any) -> Any:
    """What a decorator or a mock puts in the builder's place."""
    return lambda *args: builder(*args)


@pytest.mark.parametrize("how", REPLACEMENTS)
def test_promise_3_a_builder_that_its_name_no_longer_finds(quays: Any, how: str) -> None:
    """A class whose builder's name leads elsewhere is refused when dumped, not when loaded."""
    module, _ = quays
    cls = module.quay("x")
    REPLACEMENTS[how](module)

    with pytest.raises(errors.PickleRefused, match="quay"):
        pickle.dumps(cls)


def test_promise_3_a_module_taken_out_and_imported_anew(quays: Any) -> None:
    """A module imported a second time under its name has other builders than the first."""
    module, _ = quays
    old = module.quay("x")
    del sys.modules[module.__name__]
    again = importlib.import_module(module.__name__)

    assert again.quay is not module.quay
    with pytest.raises(errors.PickleRefused):
        pickle.dumps(old)
    new = again.quay("x")
    assert pickle.loads(pickle.dumps(new)) is new
    assert new is not old
