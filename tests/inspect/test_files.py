"""Files of other kinds: torch checkpoints (made by hand, as torch writes them), archives, descriptors."""

import io
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from harbour import docks
from voyage.fresh import run

import envpickle

TENSOR = (
    b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000"
    b"X\x03\x00\x00\x00cpuK\x02tQK\x00K\x02\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR."
)
LEGACY = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2) + pickle.dumps({"little_endian": True}, 2)


def archive(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        for name, data in files.items():
            opened.writestr(name.replace("__", "/").replace("_pkl", ".pkl"), data)
    return made.getvalue()


def test_a_torch_checkpoint() -> None:
    """The zip that torch.save writes: its data.pkl is looked into, its storages are named with their sizes."""
    found = envpickle.inspect(archive(model__data_pkl=TENSOR, model__data__0=bytes(8), model__version=b"3\n"))

    assert (found.kind, found.complete) == ("torch checkpoint", True)
    assert found.names == ["collections:OrderedDict", "torch._utils:_rebuild_tensor_v2", "torch:FloatStorage"]
    assert found.pickles[0].persistent == 1
    assert found.files == {"model/data/0": 8, "model/version": 2}


def test_a_torch_checkpoint_against_a_list() -> None:
    """Its storages lie outside of the pickle by its nature, and do not speak against it."""
    data = archive(model__data_pkl=TENSOR)
    names = ["torch._utils:_rebuild_tensor_v2", "torch:FloatStorage"]

    assert envpickle.inspect(data, allow=names).allowed
    assert envpickle.inspect(data, allow=names[:1]).allowed is False


def test_a_legacy_torch_checkpoint() -> None:
    """Five pickles one after the other, and raw numbers behind them."""
    data = LEGACY + TENSOR + pickle.dumps(["0"], 2) + struct.pack("<q2f", 2, 1, 2)
    found = envpickle.inspect(data)

    assert (found.kind, found.complete, found.rest) == ("torch checkpoint (legacy)", True, 16)
    assert "torch:FloatStorage" in found.names


def test_a_file_by_its_path_and_one_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "classes.pkl"
    path.write_bytes(pickle.dumps(docks.dock(["lift"])))

    assert envpickle.inspect(path).source == str(path)
    assert envpickle.inspect(str(path)).names == envpickle.inspect(path.read_bytes()).names
    with pytest.raises(FileNotFoundError):
        envpickle.inspect(tmp_path / "nothing")


@pytest.mark.parametrize("form", ["bytes", "json"])
def test_a_descriptor(form: str) -> None:
    spec = envpickle.describe(docks.dock(["lift"]))
    found = envpickle.inspect(
        spec.to_bytes() if form == "bytes" else spec.to_json(indent=2).encode(), allow=["harbour.docks:dock"]
    )

    assert (found.kind, found.allowed, found.names) == ("descriptor", True, ["harbour.docks:dock"])
    assert found.descriptor is not None
    assert found.descriptor.kwargs == {"tools": ["lift"], "server": "sea", "size": 1}


@pytest.mark.parametrize("place", [3, 10, 30, -1])
def test_a_broken_descriptor_says_what_is_wrong(place: int) -> None:
    data = bytearray(envpickle.describe(docks.dock(["lift"])).to_bytes())
    data[place] ^= 1
    found = envpickle.inspect(bytes(data))

    assert not found.complete
    assert "no descriptor" in str(found) or "ERROR" in str(found)


BOMB = """
import io, zipfile
from voyage import watched
from voyage.fresh import report
import envpickle
from envpickle.inspecting import containers

def archive(count, size):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for number in range(count):
            with opened.open(f"{number}/data.pkl", "w") as file:
                file.write(b"\\x80\\x02")
                for _ in range(size):
                    file.write(b"\\x8e" + (1 << 20).to_bytes(8, "little") + bytes(1 << 20) + b"0")
                file.write(b"N.")
    return made.getvalue()

data = archive(4, 60)
envpickle.inspect(b"N.")
containers._ALL_ARCHIVED = 100 << 20
watched.limit_memory(300 << 20)
found = envpickle.inspect(data)
many = io.BytesIO()
with zipfile.ZipFile(many, "w") as opened:
    for number in range(10_001):
        opened.writestr(str(number), b"")
report([len(data), [pickle.size for pickle in found.pickles], [pickle.error for pickle in found.pickles],
        envpickle.inspect(many.getvalue()).error])
"""


def test_archives_that_unpack_to_very_much() -> None:
    """No more is unpacked than a limit, all together, and not into memory; an archive of very many files is not walked."""
    size, sizes, said, many = run(BOMB, seconds=100)

    assert size < 1 << 20
    assert sum(sizes) <= 101 << 20
    assert any(said)
    assert "10001 files" in many


def test_two_files_of_one_name() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        opened.writestr("model/data.pkl", pickle.dumps(1))
        opened.writestr("model/./data.pkl", b"cos\nsystem\n.")
    found = envpickle.inspect(made.getvalue(), allow=[])

    assert "one name" in str(found.error)
    assert found.names == ["os:system"]


@pytest.mark.parametrize("damage", [10, 60, 200, -30, -3])
def test_broken_archives(damage: int) -> None:
    data = bytearray(archive(model__data_pkl=pickle.dumps(list(range(200)))))
    data[damage] ^= 0xFF
    found: Any = envpickle.inspect(bytes(data))
    assert found.kind in ("archive", "torch checkpoint", "pickle")
    assert str(found)


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\x7fELF", b"{not json", b"PK\x03\x04", b"\x92\xc4\x03EP\x01\xc4\x00"])
def test_other_bytes(data: bytes) -> None:
    found = envpickle.inspect(data, allow=[])
    assert not found.complete
    assert found.allowed is False
