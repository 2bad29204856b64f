"""torch.load(..., weights_only=True): classes and instances that were named load, others are refused and nothing is built."""

import gc
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from harbour import cargo, docks, instances
from voyage.fresh import run

import envpickle
from envpickle import errors


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[Any], Path]:
    def save(value: Any) -> Path:
        path = tmp_path / "checkpoint.pt"
        torch.save(value, path)
        return path

    return save


def load(path: Path, *classes: type) -> Any:
    with torch.serialization.safe_globals(envpickle.torch_safe_globals(*classes)):
        return torch.load(path, weights_only=True)


def test_a_class_and_its_instances_beside_tensors(saved: Callable[[Any], Path]) -> None:
    cls: Any = docks.dock(["lift"])
    path = saved({"weights": torch.ones(2), "class": cls, "instance": cls(3), "point": cargo.Point(1, 2)})

    found = load(path, cls, cargo.Point)
    assert found["class"] is cls
    assert (type(found["instance"]), found["instance"].load) == (cls, 3)
    assert (found["point"], float(found["weights"].sum())) == (cargo.Point(1, 2), 2.0)


def test_without_being_told_torch_refuses(saved: Callable[[Any], Path]) -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"envpickle\.payload\.rebuild_class"):
        torch.load(saved(docks.dock(["lift"])), weights_only=True)


def test_a_class_that_was_not_named_is_refused_and_no_builder_runs(saved: Callable[[Any], Path]) -> None:
    named, other = docks.dock(["lift"]), docks.dock(["other"])
    path = saved([other])
    del other
    gc.collect()
    runs = len(docks.RUNS)

    with pytest.raises(pickle.UnpicklingError, match="not told of"):
        load(path, named)
    assert len(docks.RUNS) == runs


def test_an_instance_of_a_class_that_lives_and_was_not_named_is_refused(saved: Callable[[Any], Path]) -> None:
    """One that was named earlier, for another list: torch itself refuses to make an instance of it."""
    earlier, now = docks.dock(["earlier"]), docks.dock(["now"])
    envpickle.torch_safe_globals(earlier)
    with pytest.raises(pickle.UnpicklingError):
        load(saved(earlier()), now)


def test_exceptions_made_at_run_time(saved: Callable[[Any], Path]) -> None:
    cls: Any = instances.error("Aground", ["where"])
    found = load(saved(cls("reef")), cls)
    assert (type(found), found.where) == (cls, "reef")


def test_what_is_handed_over_names_one_function_and_the_classes() -> None:
    cls = docks.dock(["lift"])
    (function, name), handed = envpickle.torch_safe_globals(cls)  # type: ignore[misc]

    assert (name, handed) == ("envpickle.payload.rebuild_class", cls)
    with pytest.raises(errors.NotAllowed):
        function(b"", b"")
    with pytest.raises(TypeError, match="takes classes"):
        envpickle.torch_safe_globals(5)  # type: ignore[arg-type]


SCRIPT = """
import envpickle
from voyage.fresh import report

@envpickle.builder
def tug(name):
    return type("Tug", (), {"name": name})

if __name__ == "__main__":
    try:
        envpickle.torch_safe_globals(tug("x"))
    except envpickle.errors.ScriptBuilderRefused as error:
        report(str(error))
"""


def test_a_class_of_a_script_is_refused() -> None:
    assert "keeps code out" in run(SCRIPT)


def test_inspect_reads_what_torch_writes(saved: Callable[[Any], Path], tmp_path: Path) -> None:
    """The zip, and the legacy format: names, classes, storages; allowed against the names that torch needs."""
    value = {"weights": torch.ones(3), "class": docks.dock(["lift"])}
    path, legacy = saved(value), tmp_path / "legacy.pt"
    torch.save(value, legacy, _use_new_zipfile_serialization=False)
    names = ["harbour.docks:dock", "torch._utils:_rebuild_tensor_v2", "torch:FloatStorage"]

    for file, kind in ((path, "torch checkpoint"), (legacy, "torch checkpoint (legacy)")):
        found = envpickle.inspect(file, allow=names)
        assert (found.kind, found.complete, found.allowed) == (kind, True, True), str(found)
        assert found.names == sorted(["_codecs:encode", "collections:OrderedDict", "envpickle.payload:rebuild_class", *names])
        assert envpickle.inspect(file, allow=names[1:]).allowed is False
    assert zipfile.is_zipfile(path)
