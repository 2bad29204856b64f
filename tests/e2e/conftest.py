"""The parts a training check stands on, each made once: the port, the tiny model, the vLLM server that serves it."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from benchmarks.portsim.launch import Port, running

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SUPPORT = HERE / "support"
CACHE = HERE / ".cache"
for place in (SUPPORT, HERE / "scripts"):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

from no_gpu import lay_out  # noqa: E402 -- they lie on the path since a moment ago
from workshop.runs import Run, run_script  # noqa: E402
from workshop.sessions import tail  # noqa: E402
from workshop.transcripts import DOCK_TASK, PANTRY_TASK  # noqa: E402
from workshop.vllm_server import Server, serving  # noqa: E402

MODEL_SECONDS, RUN_SECONDS = 600.0, 900.0

MAKES_THE_MODEL = [
    *(SUPPORT / "workshop" / name for name in ("tiny_model.py", "transcripts.py")),
    *(ROOT / "benchmarks" / "portsim" / name for name in ("dock.py", "pantry.py", "served.py")),
    *sorted((ROOT / "plugins" / "envpickle-openenv" / "envpickle_openenv").glob("*.py")),
]

Say = Callable[[str], None]
Train = Callable[..., Run]


@pytest.fixture(scope="session")
def say(pytestconfig: pytest.Config) -> Say:
    """Writes a line on the terminal, past pytest's capture: a check of minutes must show that it lives."""
    reporter = pytestconfig.pluginmanager.getplugin("terminalreporter")

    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def say(text: str) -> None:
        with capture.global_and_fixture_disabled():
            reporter.ensure_newline()
            reporter.write_line(f"    {text}")
            reporter.flush()

    return say


@pytest.fixture(scope="session")
def port() -> Iterator[Port]:
    with running() as port:
        yield port


@pytest.fixture(scope="session")
def model(port: Port, say: Say, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model's directory; made once for each state of what makes it."""
    parts = [path.read_bytes() for path in MAKES_THE_MODEL]
    parts += [f"{name} {version(name)}".encode() for name in ("torch", "transformers", "tokenizers", "trl")]
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    place = CACHE / f"tiny-model-{key}"
    if not place.exists():
        say("making the tiny model")
        CACHE.mkdir(exist_ok=True)
        shutil.rmtree(making := CACHE / f"{key}-{os.getpid()}", ignore_errors=True)
        log = tmp_path_factory.mktemp("model") / "model.log"
        with log.open("wb") as sink:
            done = subprocess.run(
                [sys.executable, "-m", "workshop.tiny_model", str(making), port.dock_url, port.pantry_url],
                env={**os.environ, "PYTHONPATH": f"{SUPPORT}:{ROOT}", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                timeout=MODEL_SECONDS,
            )
        assert done.returncode == 0, f"the tiny model could not be made; the log is {log} and ends:\n{tail(log)}"
        making.rename(place)
    return place


@pytest.fixture(scope="session")
def server(model: Path, say: Say, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(model, tmp_path_factory.mktemp("vllm") / "vllm.log", say) as server:
        yield server


@pytest.fixture(scope="session")
def train(port: Port, model: Path, say: Say, tmp_path_factory: pytest.TempPathFactory) -> Train:
    """Runs a training script: ``train("async_dock.py", steps=5)``; a server for it to ask is handed in as ``server``."""
    surroundings = {
        **lay_out(tmp_path_factory.mktemp("kernel")),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",  # the server needs the other core
        "TRL_EXPERIMENTAL_SILENCE": "1",
    }

    def train(script: str, *, server: Server | None = None, seed: int = 0, **plan: Any) -> Run:
        if server is not None:
            server.forget_adapters()
            plan["server"] = server.url
        urls = {"dock": port.dock_url, "pantry": port.pantry_url, "status": f"{port.url}/portsim/status"}
        tasks = {"task": DOCK_TASK, "pantry_task": PANTRY_TASK}
        directory = tmp_path_factory.mktemp(script.removesuffix(".py"))
        say(f"{script}, seed {seed}, in {directory}")
        whole = {**urls, **tasks, "model": str(model), "seed": seed, **plan}
        run = run_script(script, whole, directory, surroundings=surroundings, seconds=RUN_SECONDS, say=say)
        say(f"{script} ended after {run.seconds:.0f} s with status {run.status}")
        return run

    return train


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every check here may take as long as its script; the processes it waits for have bounds of their own."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.timeout(1500))
