"""The parent of the closing tests: makes an owner and a class, starts a child by one method, and ends as it is told to.

Run as `python closing_program METHOD ENDING HOME [URL]`; it leaves word in HOME as files (see `harbour.berths.told`).
"""

import concurrent.futures
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from harbour import berths

PROGRAM = """
import sys
from voyage import closing

if __name__ == "__main__":
    closing.main(*sys.argv[1:])
"""


def main(method: str, ending: str, home: str, url: str = "") -> None:
    """The parent's life: on the stand-in, or with sessions of the server at a URL."""
    cls = class_of_server(url) if url else class_of_stand_in(home, ending)
    context = multiprocessing.get_context(method)
    ROLES.get(ending, child)(context, cls, home, ending)


def class_of_stand_in(home: str, ending: str) -> Any:
    """An owned class whose sessions are files, or whose closing hangs."""
    import envpickle

    owner = envpickle.Owner()
    return owner.build(berths.stuck, home) if ending.startswith("stuck") else owner.build(berths.berth, home, ["lift"])


def class_of_server(url: str) -> Any:
    """An owned class made from the tools that a server lists."""
    from envpickle_openenv import AgentEnv

    berths.HELD.append(owner := AgentEnv(url))
    return owner.factory


def child(context: Any, cls: Any, home: str, ending: str) -> None:
    """Start one child and wait for its end, or for ours."""
    queue = context.Queue()
    daemon = ending in ("daemon", "parent", "killed")
    process = context.Process(target=berths.play, args=(cls, home, ending, queue), daemon=daemon)
    process.start()
    berths.told(home, "child", process.pid)
    await_word(home, "ready")
    if ending == "daemon":
        return
    if "call" in ending:
        time.sleep(0.3)  # by now the call is under way
    if ending in ("call", "unread", "sigterm", "main call", "own handler", "stuck sigterm"):
        process.terminate()
    if ending == "interrupt":
        os.kill(process.pid, signal.SIGINT)
    if ending == "parent":
        berths.told(home, "up")
        berths.wait_for_ever()
    if ending == "killed":
        process.kill()
    if ending in ("return", "raise", "exit", "stuck return"):
        berths.told(home, "go")
    process.join(20)
    report_code(home, process)
    queue.cancel_join_thread()


def report_code(home: str, process: Any) -> None:
    """Say how the child ended, and end it where it did not."""
    code = process.exitcode
    if code is None:
        process.kill()
        process.join()
    Path(home, ".code").write_text(str(code))
    Path(home, ".code").rename(Path(home, "code"))


def await_word(home: str, word: str, seconds: float = 30) -> None:
    """Wait until a process left that word."""
    deadline = time.monotonic() + seconds
    while not Path(home, word).exists():
        assert time.monotonic() < deadline, f"no word of {word!r} in {home}: {list(Path(home).iterdir())}"
        time.sleep(0.01)


def in_threads(context: Any, cls: Any, home: str, ending: str) -> None:
    """The child makes its instances in a thread; it is terminated."""
    process = context.Process(target=berths.play_in_threads, args=(cls, home))
    process.start()
    await_word(home, "ready")
    process.terminate()
    process.join(20)
    report_code(home, process)


def grandchild(context: Any, cls: Any, home: str, ending: str) -> None:
    """The child's own child has the sessions; we wait to be killed."""
    process = context.Process(target=berths.play_through_a_child, args=(cls, home, context.get_start_method()))
    process.start()
    berths.told(home, "child", process.pid)
    await_word(home, "ready")
    berths.told(home, "up")
    berths.wait_for_ever()


def executor(context: Any, cls: Any, home: str, ending: str) -> None:
    """Workers of an executor keep instances; the executor shuts down."""
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        pids = [pool.submit(berths.hold, cls).result(30) for _ in range(4)]
    berths.told(home, "code", int(os.getpid() in pids))


def pool(context: Any, cls: Any, home: str, ending: str) -> None:
    """Workers of a multiprocessing pool keep instances; the pool is terminated, as its context manager does."""
    with context.Pool(2) as workers:
        workers.map(berths.hold, [cls] * 4)
    workers.join()
    berths.told(home, "code", 0)


def inherited(context: Any, cls: Any, home: str, ending: str) -> None:
    """The parent has sessions when the child is forked: the child's end must not close them."""
    mine = [cls() for _ in range(2)]
    process = context.Process(target=berths.play, args=(cls, home, "return", None))
    process.start()
    await_word(home, "ready")
    berths.told(home, "go")
    process.join(20)
    if not all(one.file.exists() for one in mine):
        berths.told(home, "the child closed its parent's sessions")
    report_code(home, process)


def raw_fork(context: Any, cls: Any, home: str, ending: str) -> None:
    """A raw fork runs the parent's exit hooks in the child: they must leave the parent's sessions alone."""
    mine = [cls() for _ in range(2)]
    pid = os.fork()
    if not pid:
        sys.exit(0)
    os.waitpid(pid, 0)
    if not all(one.file.exists() for one in mine):
        berths.told(home, "the child closed its parent's sessions")
    berths.told(home, "code", 0)


def main_process(context: Any, cls: Any, home: str, ending: str) -> None:
    """The main process itself has sessions and ends in one of the usual ways."""
    held = [cls() for _ in range(3)]
    berths.HELD.extend(held)
    berths.told(home, "code", 0)
    if ending == "main raises":
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - the traceback is expected
        raise RuntimeError("as the test asked")
    if ending == "main exits":
        sys.exit(3)


ROLES = {
    "threads": in_threads,
    "grandchild": grandchild,
    "executor": executor,
    "pool": pool,
    "inherited": inherited,
    "raw fork": raw_fork,
    "main returns": main_process,
    "main raises": main_process,
    "main exits": main_process,
}
