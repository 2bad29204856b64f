"""The port's own virtual environment: ``python -m benchmarks.portsim.environment`` makes it.

OpenEnv pins other versions of shared libraries than we and our users have, so the real server never
shares an environment with them. It lies in ``.venv-openenv`` beside the package `benchmarks`, or
where the environment variable ``PORTSIM_VENV`` says.
"""

import fcntl
import os
import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["ROOT", "prepare"]

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = Path(__file__).with_name("requirements.txt")


def prepare() -> Path:
    """Return the environment's Python, making the environment if it is missing or outdated.

    Safe to call from several processes at once: one makes it, the others wait.

    Returns:
        Path of the interpreter.

    Raises:
        RuntimeError: If the packages could not be installed.
    """
    place = Path(os.environ.get("PORTSIM_VENV", ROOT / ".venv-openenv"))
    done = place / "portsim-requirements.txt"
    with REQUIREMENTS.open("rb") as requirements:
        fcntl.flock(requirements, fcntl.LOCK_EX)
        wanted = requirements.read()
        if not done.exists() or done.read_bytes() != wanted:
            make(place)
            done.write_bytes(wanted)
    return interpreter(place)


def interpreter(place: Path) -> Path:
    """Return the path of an environment's Python."""
    return place / "bin" / "python"


def make(place: Path) -> None:
    """Make the environment afresh, with the newest pip.

    Args:
        place: Its directory.

    Raises:
        RuntimeError: If the packages could not be installed.
    """
    print(f"portsim: making {place} (once, about a minute)", file=sys.stderr, flush=True)
    venv.create(place, clear=True, symlinks=True, with_pip=True, upgrade_deps=True)
    install = [str(interpreter(place)), "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS)]
    result = subprocess.run(install, stdout=sys.stderr, check=False)
    if result.returncode != 0:
        raise RuntimeError(
            f"pip could not install {REQUIREMENTS} into {place} (exit {result.returncode}); "
            "its output is above. Check the network and run "
            "`python -m benchmarks.portsim.environment` again."
        )


if __name__ == "__main__":
    print(prepare())
