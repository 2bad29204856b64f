"""A cluster: `Fleet`, whose nodes are `Ship`s. Nothing of Ray is imported here."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import psutil
from voyage import fresh

ROOT = Path(__file__).resolve().parents[4]
SUPPORT = Path(__file__).resolve().parents[1]
STARTED = "Ray runtime started"
STORE = 80_000_000  # the least that Ray takes is 75 MB
QUIET = {
    "RAY_AUTH_MODE": "disabled",  # else a token is written to the home directory
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # the behaviour to come; else a warning
    "RAY_worker_register_timeout_seconds": "180",  # a loaded machine takes its time
}


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def family(pid: int) -> list[psutil.Process]:
    """A process and all that descend from it."""
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def alive(process: psutil.Process) -> bool:
    """Whether it runs, and is not just a dead child that nobody has waited for."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def end(processes: "list[psutil.Process]", seconds: float = 60) -> None:
    """Kill these very processes (psutil compares the time they were made) and wait until they are gone."""
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=seconds)
    left = [process for process in processes if alive(process)]
    assert not left, f"killed, and still there: {left}"


class Ship:
    """One node: the process of ``ray start --block``, and what descends from it.

    Attributes:
        name: The node's resource, of which it has 100.
        process: The process of ``ray start``.
        log: The file that it prints to.
    """

    def __init__(self, name: str, home: Path, where: list[str], **surroundings: str) -> None:
        """Start it; `await_start` waits until it runs.

        Args:
            name: The node's resource.
            home: The cluster's directory.
            where: What makes it the head or joins it to one.
            **surroundings: Environment variables of the node and of its workers.
        """
        self.name = name
        self.log = home / f"{name}.log"
        self._met: dict[int, psutil.Process] = {}
        command = [
            *(str(Path(sys.executable).with_name("ray")), "start", "--block", *where, "--num-cpus=2", "--num-gpus=0"),
            *(f"--object-store-memory={STORE}", f"--resources={json.dumps({name: 100})}", "--disable-usage-stats"),
            *("--include-log-monitor=false", f"--dashboard-agent-listen-port={free_port()}"),
        ]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command,
                env=surrounded(**surroundings),
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def await_start(self, seconds: float = 120) -> Self:
        """Wait until Ray says that the node runs."""
        deadline = time.monotonic() + seconds
        while STARTED not in (text := self.log.read_text()):
            assert self.process.poll() is None, f"the node {self.name} ended:\n{text}"
            assert time.monotonic() < deadline, f"the node {self.name} did not start in {seconds} s:\n{text}"
            time.sleep(0.05)
        self.processes()
        return self

    def processes(self) -> list[psutil.Process]:
        """All of its processes that are or were met so far, its workers included."""
        for one in family(self.process.pid):
            self._met.setdefault(one.pid, one)
        return list(self._met.values())

    def raylet(self) -> psutil.Process:
        """The process without which the node is lost."""
        return next(one for one in self.processes() if alive(one) and one.name() == "raylet")

    def workers(self) -> list[psutil.Process]:
        """The worker processes that live, but not Ray's two agents."""
        with contextlib.suppress(psutil.NoSuchProcess, StopIteration):
            return [one for one in self.raylet().children() if one.name().startswith("ray::") and "Agent" not in one.name()]
        return []

    def lose(self) -> None:
        """Kill the raylet, as a lost machine would: Ray ends the rest of the node."""
        self.processes()
        self.raylet().kill()

    def kill(self) -> None:
        """Kill every process of the node, and wait for them."""
        end(self.processes())
        self.process.wait()


class Fleet:
    """A cluster whose head runs on 127.0.0.1; ends all its processes and removes its directory in the end."""

    def __init__(self, **surroundings: str) -> None:
        """Start the head and wait for it; the environment variables given are the head's and its workers'."""
        self.home = Path(tempfile.mkdtemp(prefix="rf", dir="/tmp"))  # sockets lie in it, and their paths are limited
        self.port = free_port()
        self.ships: dict[str, Ship] = {}
        where = [
            *("--head", "--node-ip-address=127.0.0.1", f"--port={self.port}", f"--temp-dir={self.home}"),
            "--include-dashboard=false",
        ]
        self._launch("head", where, surroundings)

    @property
    def address(self) -> str:
        """What ``ray.init`` takes, and ``RAY_ADDRESS``."""
        return f"127.0.0.1:{self.port}"

    def add(self, name: str, **surroundings: str) -> Ship:
        """Start another node and wait for it.

        Args:
            name: Its resource, of which it has 100.
            **surroundings: Environment variables of the node and of its workers, e.g. another ``TMPDIR``.
        """
        where = [f"--address={self.address}", f"--node-ip-address=127.0.0.{len(self.ships) + 1}", f"--temp-dir={self.home}"]
        return self._launch(name, where, surroundings)

    def start(self, program: str, *args: str, **surroundings: str) -> "subprocess.Popen[str]":
        """Start a driver in a fresh interpreter, as the leader of its own process group.

        The caller ends it with `voyage.fresh.end_group`; what it still holds then, ends with the cluster.
        """
        folder = Path(tempfile.mkdtemp(prefix="driver", dir=self.home))
        (folder / "main.py").write_text(program)
        extra = surrounded(RAY_ADDRESS=self.address, **surroundings)
        return fresh.start(folder / "main.py", *args, cwd=folder, **extra)

    def run(self, program: str, *args: str, seconds: float = 90, **surroundings: str) -> Any:
        """Run a driver to its end, and return what it gave to `voyage.fresh.report`.

        Args:
            program: The text of its script.
            *args: Its arguments.
            seconds: How long it may take before it is ended, and the test fails with its stacks.
            **surroundings: Its environment variables.
        """
        handle, answer = tempfile.mkstemp(prefix="answer", dir=self.home)
        os.close(handle)
        process = self.start(program, *args, **{fresh.REPORT: answer}, **surroundings)
        out, err = fresh.finish(process, seconds)
        assert process.returncode == 0, f"exit status {process.returncode}\n{out}\n{err}"
        text = Path(answer).read_text()
        assert text, f"nothing was reported\n{out}\n{err}"
        return json.loads(text)

    def close(self) -> None:
        """End every process of every node; may be called again."""
        for ship in reversed(self.ships.values()):
            ship.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def _launch(self, name: str, where: list[str], surroundings: dict[str, str]) -> Ship:
        ship = self.ships[name] = Ship(name, self.home, where, **surroundings)
        try:
            return ship.await_start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """The cluster itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """As `close`."""
        self.close()


def surrounded(**extra: str) -> dict[str, str]:
    """The environment of nodes and drivers: the helpers and the repository importable, Ray quiet."""
    path = os.pathsep.join([str(SUPPORT), str(fresh.SUPPORT), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, **QUIET, "PYTHONPATH": path, "PYTHONWARNINGS": "default", **extra}
