"""The first instance of an owned class, made in a child, costs little: what closing needs is loaded when closing."""

import subprocess
import sys

from voyage.fresh import surroundings

SENDER = """
import pickle, sys
import envpickle
from harbour import light
owner = envpickle.Owner()
sys.stdout.buffer.write(pickle.dumps(owner.build(light.light, ["lift"])))
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
    sent = subprocess.run([sys.executable, "-c", SENDER], env=surroundings(), capture_output=True, check=True, timeout=60)
    child = subprocess.run(
        [sys.executable, "-c", CHILD], env=surroundings(), input=sent.stdout, capture_output=True, check=True, timeout=60
    )
    loaded = set(child.stdout.decode().split())

    assert {"envpickle.closing", "queue"} <= loaded
    assert not loaded & {"asyncio", "inspect", "logging", "pluggy", "importlib.metadata", "typing", "dataclasses"}
