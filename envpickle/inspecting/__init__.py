"""What a pickle, a torch checkpoint or a descriptor holds, without running any of it.

A pickle is followed opcode by opcode with its stack and memo, as the unpickler would, and nothing is looked up, called or
made. What cannot be told so is said to be unknown.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable

from .findings import DescriptorFound, GlobalFound, Inspection, PickleFound

__all__ = ["DescriptorFound", "GlobalFound", "Inspection", "PickleFound", "inspect"]


def inspect(data_or_path: bytes | str | os.PathLike[str], *, allow: Iterable[str] | None = None) -> Inspection:
    """Tell what a pickle, a torch checkpoint or a descriptor holds, without running any of it.

    Args:
        data_or_path: The bytes, or the path of a file. Pickles of every protocol, several one after the other too; torch
            checkpoints, zip or legacy; what :meth:`envpickle.Spec.to_bytes` or ``to_json`` gave.
        allow: Names (``module:qualname``) to check it against, by the rules of :class:`envpickle.Unpickler`; an empty list
            allows only plain data. With None nothing is checked.

    Returns:
        What was found; if the bytes are broken, what was found up to that point, and the error.

    Raises:
        OSError: The file cannot be read.
        ValueError: An entry of the list is not an exact name, or is one that no list can allow.
    """
    from .containers import look_into
    from .judging import allowed_names

    allowed = None if allow is None else allowed_names(allow)
    listed = None if allowed is None else sorted(allowed)
    if isinstance(data_or_path, bytes | bytearray | memoryview):
        data = bytes(data_or_path)
        found = Inspection("<bytes>", size=len(data), allow=listed)
        look_into(io.BytesIO(data), found, allowed)
        return found
    with open(data_or_path, "rb") as file:
        found = Inspection(os.fspath(data_or_path), size=file.seek(0, io.SEEK_END), allow=listed)
        file.seek(0)
        look_into(file, found, allowed)
    return found
