"""Feed bad bytes to the loader and watch that nothing is imported, opened, run or connected, and memory stays bounded.

Run in a fresh interpreter by the hostile tests; the payloads come in a file, so the builder's module is not here yet.
"""

import contextlib
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import envpickle
from envpickle import errors

WATCHED = ("import", "open", "exec", "compile", "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "pickle.", "marshal.")
events: list[str] = []
armed = [False]


def _hook(event: str, args: Any) -> None:
    if armed[0] and event.startswith(WATCHED) and not _allowed(event, args):
        events.append(f"{event} {str(args)[:100]}")


def _allowed(event: str, args: Any) -> bool:
    """Modules that are here already may be asked for again, and pickle may look up our own two names."""
    if event == "import":
        return args[0] in sys.modules
    return event == "pickle.find_class" and args[0] == "envpickle.payload"


@contextlib.contextmanager
def watching() -> Iterator[None]:
    """Record what happens inside."""
    armed[0] = True
    try:
        yield
    finally:
        armed[0] = False


def attempt(call: Callable[[], Any]) -> str:
    """One bad input: "" when it was refused as it should be, else what happened instead."""
    with watching():
        try:
            got = call()
        except errors.EnvpickleError:
            return ""
        except BaseException as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
    return f"loaded {str(got)[:100]}"


def warm_up() -> None:
    """Import what refusing needs: a good load of another builder's class, and a refusal of each way in."""
    import pickle

    from harbour import light

    from envpickle.payload import rebuild_class

    pickle.loads(pickle.dumps(light.light(["warm"])))
    good = envpickle.describe(light.light(["warm"])).to_bytes()
    envpickle.Spec.from_bytes(good)
    for call in (lambda: rebuild_class(b""), lambda: rebuild_class(b"x" * 40), lambda: envpickle.rebuild(b"bad")):
        with contextlib.suppress(errors.EnvpickleError):
            call()
    for data in (good[:-1], good[:20], bytes([good[0] ^ 1]) + good[1:], good[:-1] + bytes([good[-1] ^ 1])):
        with contextlib.suppress(errors.EnvpickleError):
            envpickle.rebuild(data)


def bits(data: bytes) -> Iterator[bytes]:
    """The data with each single bit flipped."""
    for index in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[index] ^= 1 << bit
            yield bytes(flipped)


def truncations(data: bytes) -> Iterator[bytes]:
    """Every beginning of the data but the whole, and the data with more behind it."""
    yield from (data[:length] for length in range(len(data)))
    yield from (data + more for more in (b"\x00", b"\xc0", data))


def limit_memory(bytes_more: int) -> None:
    """Let this process have at most so much more address space than it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + bytes_more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def survey(inputs: dict[str, Iterator[bytes]], call: Callable[[bytes], Any]) -> dict[str, Any]:
    """Try all inputs; say how many there were, what went wrong, and how long the slowest took against the median."""
    wrong: list[str] = []
    count, slowest = 0, 0.0
    for name, stream in inputs.items():
        for number, data in enumerate(stream):
            begun = time.perf_counter()
            verdict = attempt(lambda data=data: call(data))  # type: ignore[misc]
            slowest = max(slowest, time.perf_counter() - begun)
            count += 1
            if verdict:
                wrong.append(f"{name} {number}: {verdict}")
    return {"count": count, "wrong": wrong[:20], "events": events[:20], "slowest": slowest}


def payloads(path: str) -> Any:
    """The good payloads that the test left in a file: `{"spec": hex, "head": hex, "parts": [hex, ...]}`."""
    found = json.loads(Path(path).read_text())
    return bytes.fromhex(found["spec"]), bytes.fromhex(found["head"]), [bytes.fromhex(part) for part in found["parts"]]


def install() -> None:
    """Warm up, then watch from now on."""
    warm_up()
    sys.addaudithook(_hook)
