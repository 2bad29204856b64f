"""The directory where owners listen for their lifelines: one for each user of the machine, which nobody else may enter.

No address travels: a path follows from the owner's key, of which the last bytes are those of the process that made it. Every
process that listens holds a locked file while it lives, by which the next one tells what a killed process has left. An owner
that is closed leaves a *word* in its socket's place (a symbolic link that leads nowhere) for those that come too late.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
import time
from contextlib import suppress

from .classes import later

if sys.platform != "win32":  # where there is no lifeline
    import fcntl

TYPE_CHECKING = False  # importing typing would cost a process that makes its first instance 5 ms
if TYPE_CHECKING:
    from typing import Any

CLOSED, LEFT = "closed", "left"  # words
MOST_WORDS = 1_024  # of one process

_HAS_THEM = sys.platform != "win32" and hasattr(socket, "AF_UNIX")
_words: dict[str, None] = {}  # paths, oldest first
_locked: tuple[int, str, int] | None = None  # descriptor, path and inode of the file that says this process lives


def path_of(key: bytes) -> str:
    """Where the owner of a key listens; the same in every process of this user that has the same TMPDIR.

    Raises:
        OSError: The platform has no such thing.
    """
    if not _HAS_THEM:
        raise OSError("this platform has no local sockets")
    base = os.environ.get("TMPDIR", "")
    folder = os.path.join(base if os.path.isabs(base) else "/tmp", f"envpickle-{os.geteuid()}")
    return os.path.join(folder, f"{_stem(key)}-{key[:10].hex()}")


def _stem(key: bytes) -> str:
    return key[10:].hex()


def check(folder: str) -> None:
    """Refuse a directory that somebody else might write in, or put another in the place of.

    Raises:
        OSError: It is such a directory, or there is none.
    """
    found, around = os.lstat(folder), os.stat(os.path.dirname(folder))
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise OSError(f"{folder} is not a directory that is this user's alone")
    if around.st_mode & stat.S_IWOTH and not around.st_mode & stat.S_ISVTX:
        raise OSError(f"anybody may put another directory in the place of {folder}")


def say_alive(path: str, key: bytes) -> None:
    """Hold a locked file beside a path while this process lives, and with the first one sweep away what the dead left.

    Raises:
        OSError: The directory is not ours alone, or there is no writing in it.
    """
    global _locked
    folder = os.path.dirname(path)
    lock = os.path.join(folder, f"{_stem(key)}.lock")
    if _locked is not None and _locked[1] == lock and os.path.exists(lock):
        return
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    check(folder)
    opened = _own_lock(lock)
    before, _locked = _locked, (opened, lock, os.fstat(opened).st_ino)
    if before is not None:  # the directory was removed
        _close(before)
    _sweep(folder, lock)


def _own_lock(lock: str) -> int:
    for _ in range(20):
        with suppress(BlockingIOError, FileNotFoundError):  # somebody is sweeping, and took the new file for a dead process's
            return _flocked(lock, os.O_CREAT)
        time.sleep(0.001)
    raise OSError(f"{lock} is locked by another")


def _flocked(lock: str, create: int = 0) -> int:
    fd = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | create, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(lock).st_ino != os.fstat(fd).st_ino:
            raise FileNotFoundError(f"{lock} was swept away")
    except BaseException:
        os.close(fd)
        raise
    return fd


def _sweep(folder: str, own: str) -> None:
    """Remove what killed processes left. Nobody is connected to: whether one lives, its locked file says."""
    for lock in [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".lock")]:
        if lock == own:
            continue
        try:
            fd = _flocked(lock)
        except OSError:  # its process lives
            continue
        stem = os.path.basename(lock).removesuffix(".lock") + "-"
        for path in [*(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(stem)), lock]:
            with suppress(OSError):
                os.unlink(path)
        os.close(fd)


def leave_word(path: str, word: str | None) -> None:
    """Put a word, or nothing, in a socket's place.

    Raises:
        OSError: There is no writing.
    """
    if word is None:
        os.unlink(path)
        return
    os.symlink(word, f"{path}+")
    os.replace(f"{path}+", path)
    _words[path] = None
    for old in list(_words)[: max(0, len(_words) - MOST_WORDS)]:
        _words.pop(old, None)
        os.unlink(old)


def word_at(path: str) -> str | None:
    """The word that an owner left in its socket's place."""
    try:
        return os.readlink(path)
    except OSError:
        return None


def leave() -> None:
    """Remove what this process left in the directory, but for sockets."""
    global _locked
    if _locked is None:
        return
    locked, _locked = _locked, None
    for path in [*_words, locked[1]]:
        with suppress(OSError):
            os.unlink(path)
    _close(locked)


def _close(locked: tuple[int, str, int]) -> None:
    if is_ours(locked[0], locked[2]):
        os.close(locked[0])


def is_still(held: socket.socket, inode: int) -> bool:
    """Whether a socket still has its descriptor, which it gives up if not."""
    if is_ours(held.fileno(), inode):
        return True
    held.detach()
    return False


def is_ours(fd: int, inode: int) -> bool:
    """Whether a descriptor still is what we opened: some programs close all there are, and the number is another's soon."""
    try:
        return os.fstat(fd).st_ino == inode
    except OSError:
        return False


def say(text: str, key: bytes, *about: Any) -> None:
    """Log something about an owner, where anybody may be listening: importing logging costs 10 ms."""
    if "logging" in sys.modules:
        later("closers").log().debug(text, f"the owner {key.hex()[:12]}", *about)


def _forget() -> None:
    """In a forked child: what lies there is the parent's, and the lock must go with the parent alone."""
    global _locked
    if _locked is not None:
        _close(_locked)
        _locked = None
    _words.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget)
