"""The first instance of an owned class, made in a child, costs little: what closing needs is loaded when closing."""

import subprocess
import sys

from voyage.fresh import surroundings

SENDER = """
import os, pickle, sys
import envpickle
from harbour import light
owner = envpickle.Owner()
os.write(1, pickle.dumps(owner.build(light.light, ["lift"])))
os.close(1)
sys.stdin.read()
"""
CHILD = """
import pickle, sys
cls = pickle.load(sys.stdin.buffer)
before = set(sys.modules)
one = cls()
print(*sorted(set(sys.modules) - before))
"""


def test_the_first_instance_is_light() -> None:
    """It loads the closer and its queue, but no event loop, no plugins, and nothing that inspects."""
    owner = subprocess.Popen(
        [sys.executable, "-c", SENDER], env=surroundings(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )  # it lives: who does not reach its owner asks plugins whether one of them does
    with owner:
        assert owner.stdout is not None
        child = subprocess.run(
            [sys.executable, "-c", CHILD],
            env=surroundings(),
            input=owner.stdout.read(),
            capture_output=True,
            check=True,
            timeout=60,
        )
    loaded = set(child.stdout.decode().split())

    assert {"envpickle.closing", "envpickle.lines", "queue"} <= loaded
    assert not loaded & {"asyncio", "inspect", "logging", "pluggy", "importlib.metadata", "typing", "dataclasses"}
