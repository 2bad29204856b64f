"""What a file is, and the pickles in it: several one after the other, an archive of a torch checkpoint, a descriptor."""

from __future__ import annotations

import os
import zipfile
import zlib
from typing import IO

from ..payload import MAX_BYTES
from .collecting import describe_bytes, look_through
from .findings import Inspection, PickleFound
from .reading import Malformed, Source

__all__ = ["PICKLE_LIMIT", "look_into"]

PICKLE_LIMIT = 1 << 30
"""Bytes of one pickle that are read."""
_MOST_PICKLES, _MOST_FILES = 10_000, 10_000
_ALL_ARCHIVED = 1 << 30  # bytes of pickles that are unpacked from one archive
_ZIP = b"PK\x03\x04"
_LEGACY = 0x1950A86A20F9469CFC6C  # the number that a torch checkpoint before the zip format begins with
_LEGACY_PICKLES = 5  # magic number, version, system, the object, the names of the storages
_PICKLED = (".pkl", ".pickle", ".p")
_UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError)


def look_into(file: IO[bytes], found: Inspection, allow: frozenset[str] | None) -> None:
    """Look into a file that is opened for reading and can be sought in.

    Args:
        file: The file.
        found: Where it is written down what there is; its size is known.
        allow: The names that are allowed, or None.
    """
    begin = file.read(16)
    file.seek(0)
    if begin[:4] == _ZIP:
        _archive(file, found, allow)
    elif _looks_described(begin):
        found.kind = "descriptor"
        found.descriptor = describe_bytes(file.read(MAX_BYTES * 4), allow)
    elif begin:
        _pickles(file, found, allow)
    else:
        found.error = "it is empty"


def _looks_described(begin: bytes) -> bool:
    """Whether it begins as a list of bytes does of which the first is a head, or as a descriptor in JSON."""
    is_list = begin[:1] != b"" and (0x92 <= begin[0] <= 0x9F or begin[0] in (0xDC, 0xDD))
    return begin[:1] == b"{" or (is_list and b"EP" in begin[1:10])


def _pickles(file: IO[bytes], found: Inspection, allow: frozenset[str] | None) -> None:
    found.kind, at, legacy = "pickle", 0, False
    while at < found.size:
        if legacy and len(found.pickles) == _LEGACY_PICKLES:
            found.rest = found.size - at
            return
        if len(found.pickles) == _MOST_PICKLES:
            found.error = f"it holds more than {_MOST_PICKLES} pickles; those after them were not looked into"
            return
        file.seek(at)
        pickle = PickleFound(f"pickle {len(found.pickles) + 1}", at)
        found.pickles.append(pickle)
        made = look_through(Source(file, PICKLE_LIMIT), pickle, allow, outside=legacy)
        if pickle.error is not None:
            return
        if not legacy and len(found.pickles) == 1 and made is not None and (made.kind, made.said) == ("number", _LEGACY):
            found.kind, legacy = "torch checkpoint (legacy)", True
        at += pickle.size


def _archive(file: IO[bytes], found: Inspection, allow: frozenset[str] | None) -> None:
    found.kind, left = "archive", _ALL_ARCHIVED
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_FILES:
                found.error = f"it is an archive of {len(entries)} files, and at most {_MOST_FILES} are looked at"
                return
            if len({os.path.normpath(entry.filename) for entry in entries}) < len(entries):
                found.error = "two files in it have one name: which one is read depends on the reader"
            for entry in entries:
                if not entry.filename.endswith(_PICKLED):
                    found.files[entry.filename] = entry.file_size
                    continue
                if os.path.basename(entry.filename) == "data.pkl":
                    found.kind = "torch checkpoint"
                left -= _entry(archive, entry, found, allow, left)
    except _UNREADABLE as error:
        found.error = f"it cannot be read as an archive: {type(error).__name__}: {error}"


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, found: Inspection, allow: frozenset[str] | None, left: int) -> int:
    pickle = PickleFound(entry.filename, entry.header_offset)
    found.pickles.append(pickle)
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1:
        pickle.error = "it is encrypted, or compressed in a way that is not read here"
        return 0
    try:
        with archive.open(entry) as opened:
            source = Source(opened, min(PICKLE_LIMIT, max(left, 0)))
            look_through(source, pickle, allow, outside=True)
            if pickle.error is None and opened.read(1):
                pickle.error = "it has more after its end mark"
    except Malformed as error:
        pickle.error = f"it {error}"
    except _UNREADABLE as error:
        pickle.error = f"it cannot be read: {type(error).__name__}: {error}"
    return pickle.size
