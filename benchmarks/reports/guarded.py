"""Report 36: what makes the class stands under the main guard of the script that is run, so no worker has it."""

import copyreg
import multiprocessing
import sys
from typing import Any

import envpickle


class EnvMeta(type):
    """Its classes say how they are made: what people write without envpickle."""


def work(tool: str, conn: Any) -> None:
    """Load the class and use it."""
    from voyage import picklers

    try:
        conn.send("crosses" if picklers.loads(tool, conn.recv_bytes())().buy() == "buy" else "wrong")
    except Exception:  # noqa: BLE001 -- it was accepted, and cannot be loaded
        conn.send("late")


def main() -> None:
    """Send one class in one way, and print the verdict."""
    from voyage import picklers

    from benchmarks.reports.ways import WAYS

    way = WAYS[sys.argv[1]]
    make = {"bare": make_env, "reports": build_env, "registered": register_env}[way.kind]
    try:
        data = picklers.dumps(way.tool, make("Shop"))
    except Exception:  # noqa: BLE001 -- whatever it is, the sender is told
        print("refused")
        return
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=work, args=(way.tool, theirs))
    child.start()
    ours.send_bytes(data)
    print(ours.recv() if ours.poll(30) else "hangs")
    child.join(10)


if __name__ == "__main__":

    def make_env(name: str) -> Any:
        """Make the class."""
        cls = EnvMeta(name, (), {"buy": lambda self: "buy"})
        cls.spec = name  # type: ignore[attr-defined]
        return cls

    copyreg.pickle(EnvMeta, lambda cls: (make_env, (cls.spec,)))  # type: ignore[arg-type, attr-defined]

    @envpickle.builder
    def build_env(name: str) -> type:
        """The same with envpickle."""
        return type(name, (), {"buy": lambda self: "buy"})

    def register_env(name: str) -> Any:
        """The same, registered when it is made."""
        return envpickle.register(type(name, (), {"buy": lambda self: "buy"}))

    main()
