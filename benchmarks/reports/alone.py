"""The reports that are about something else than one trip, each as a small program: ``... alone NUMBER WAY``.

It prints one word: ``crosses``, ``refused`` (by the sender), ``late`` (accepted, and fails in the worker), ``wrong`` (accepted,
and not the same thing) or ``hangs``.
"""

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voyage import picklers

from .ways import WAYS, Way

MODULE = "harbour.reports_alone"
PATIENCE = 8.0
"""Seconds after which an answer that does not come is called a hang."""


def refused(way: Way, make: Callable[[], Any]) -> tuple[Any, bytes | None]:
    """What is made and its bytes; no bytes where either was refused."""
    made = None
    try:
        made = make()
        return made, picklers.dumps(way.tool, made)
    except Exception:  # noqa: BLE001 -- whatever the tool says, it says no
        return made, None


def at_home(way: Way, make: Callable[[], Any], holds: Callable[[Any, Any], bool]) -> str:
    """The verdict on a trip that begins and ends in this process."""
    made, data = refused(way, make)
    if data is None:
        return "refused"
    return "crosses" if holds(made, picklers.loads(way.tool, data)) else "wrong"


def in_a_child(way: Way, data: bytes, work: Callable[..., None]) -> Any:
    """What a spawned child answers."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=work, args=(way.name, data, theirs), daemon=True)
    child.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(30) else "hangs"
    except EOFError:
        return "late"
    finally:
        child.kill()
        child.join()


def report_05(way: Way) -> str:
    """Loading at home must leave the original's functions and what they close over alone."""
    alone = way.prepared(MODULE)
    cls = alone.logging_05("x")
    step = vars(cls)["step"]

    def untouched(made: Any, got: Any) -> bool:
        made().step("right")
        return alone.LOG == ["right"] and vars(made)["step"] is step

    return at_home(way, lambda: cls, untouched)


def report_21(way: Way) -> str:
    """An environment comes back with its own argument, not with the default."""
    reach = way.prepared(MODULE).reach_21
    return at_home(way, lambda: reach(0.01)(distance=1e-6), lambda made, got: bool(got.distance == made.distance))


def report_28(way: Way) -> str:
    """A factory whose class holds a connection."""
    alone = way.prepared(MODULE)
    with alone.Client() as client:
        return at_home(way, lambda: alone.shop_28(["buy"], {"client": client}), lambda made, got: got is made)


def load_often(name: str, data: bytes, conn: Any) -> None:
    """Load the same bytes a hundred times, as a worker would, one for each task."""
    way = WAYS[name]
    kinds = {type(picklers.loads(way.tool, data)) for _ in range(100)}
    conn.send("crosses" if len(kinds) == len(way.prepared(MODULE).Seen.kinds) == 1 else "wrong")


def report_29(way: Way) -> str:
    """A long-lived worker has one class, however often it is loaded."""
    alone = way.prepared(MODULE)
    _, data = refused(way, lambda: alone.seen_29("Shop")())
    return "refused" if data is None else str(in_a_child(way, data, load_often))


def an_error(way: Way) -> Any:
    """An exception with a constructor of its own; without envpickle its class is found by its name."""
    alone = way.prepared(MODULE)
    kind = alone.error_30("ToolError", ["tool", "code"])
    if way.kind == "bare":
        alone.ToolError = kind  # type: ignore[attr-defined]
    return kind("buy", 404)


def fail(name: str, kind: Any) -> None:
    """What the pool's worker does; a class that was registered comes along, the others it makes itself."""
    raise an_error(WAYS[name]) if kind is None else kind("buy", 404)


def load_error(name: str, data: bytes, conn: Any) -> None:
    """Load an exception and look at it."""
    got = picklers.loads(WAYS[name].tool, data)
    conn.send("crosses" if (got.tool, got.code, str(got)) == ("buy", 404, "buy: 404") else "wrong")


def report_30(way: Way) -> str:
    """A pool whose worker raises it answers; other tools than pickle have no pool, and send the exception."""
    if way.tool != "pickle":
        _, data = refused(way, lambda: an_error(way))
        return "refused" if data is None else str(in_a_child(way, data, load_error))
    kind = type(an_error(way))
    pool = multiprocessing.get_context("spawn").Pool(1)
    workers = multiprocessing.active_children()
    try:
        pool.apply_async(fail, (way.name, kind if way.kind == "registered" else None)).get(timeout=PATIENCE)
    except kind as caught:
        return "crosses" if (caught.tool, caught.code) == ("buy", 404) else "wrong"
    except multiprocessing.TimeoutError:
        return "hangs"
    except Exception:  # noqa: BLE001 -- the pool says that it could not send it
        return "refused"
    finally:
        for worker in workers:  # the pool's own end waits for the thread that died
            worker.kill()
    return "wrong"


def play(name: str, data: bytes, conn: Any) -> None:
    """Begin three episodes, say so, and return when told to."""
    episodes = [picklers.loads(WAYS[name].tool, data)() for _ in range(3)]
    conn.send(len(episodes))
    conn.recv()


def report_25(way: Way) -> str:
    """Episodes of a worker that is told to stop, or is terminated, are closed: what an owner is for."""
    if way.kind == "registered":
        return "-"
    from envpickle import Owner

    alone = way.prepared(MODULE)
    left = 0
    for told_to_stop in (True, False):
        with tempfile.TemporaryDirectory() as home:
            built = Owner().build(alone.episodes_25, home) if way.kind == "reports" else None
            _, data = refused(way, lambda cls=built, home=home: cls or alone.episodes_25(home))
            if data is None:
                return "refused"
            ours, theirs = (context := multiprocessing.get_context("spawn")).Pipe()
            worker = context.Process(target=play, args=(way.name, data, theirs))
            worker.start()
            assert ours.poll(30), "the worker does not begin"
            ours.recv()
            ours.send("stop") if told_to_stop else worker.terminate()
            worker.join(15)
            left += len(list(Path(home).iterdir()))
    return "wrong" if left else "crosses"


def main() -> None:
    """Run one report in one way."""
    number, name = sys.argv[1:]
    print(globals()[f"report_{number}"](WAYS[name]), flush=True)
    os._exit(0)  # a pool whose thread died would be waited for


if __name__ == "__main__":
    from benchmarks.reports import alone  # the children's functions are that module's

    alone.main()
