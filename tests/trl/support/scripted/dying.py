"""Processes that die at the worst moment. Nothing heavy is imported, since they are spawned."""

import os
import struct
from typing import Any


def holding_locks(*values: Any) -> None:
    """Die while holding the locks of shared values, as a process does that is killed in the middle of writing one."""
    for value in values:
        value.get_lock().acquire()
    os._exit(1)


def in_the_middle_of_a_message(writer: Any) -> None:
    """Die after the first bytes of a long message."""
    os.write(writer.fileno(), struct.pack("!i", 1_000_000) + b"so far")
    os._exit(1)
