"""The interpreter shuts down while instances live and threads are at work: no hang, no noise, nothing left open."""

import pickle
from pathlib import Path

import pytest
from harbour import berths
from voyage.fresh import run

import envpickle

HEAD = """
import atexit, gc, os, pickle, sys, threading, time
from voyage.fresh import report
from harbour import berths, forking, moored
import envpickle
home, payload = sys.argv[1], bytes.fromhex(sys.argv[2])
owner = envpickle.Owner()
own = owner.build(berths.berth, home, ["own"])
foreign = pickle.loads(payload)
"""

WAYS = {
    "globals hold instances": "held = [own(), foreign()]",
    "a cycle holds them": "one = own(); one.me = one; two = foreign(); two.me = two; del one, two",
    "builtins hold them": "import builtins; builtins.held = [own(), foreign()]",
    "an exit hook makes them": "atexit.register(lambda: held.append(own())); held = [own()]",
    "a daemon thread makes and drops them": """
def churn():
    try:
        while True:
            held.append(own())
            del held[:-3]
    except envpickle.errors.OwnerClosed:   # at the end of the process
        pass
held = []
threading.Thread(target=churn, daemon=True).start()
while not held:
    time.sleep(0.001)
""",
    "daemon threads build and load": """
def churn(number):
    while True:
        number += 8
        cls = forking.boat(number)
        pickle.loads(pickle.dumps(cls))(number)
for number in range(8):
    threading.Thread(target=churn, args=(number,), daemon=True).start()
held = [own(), foreign()]
""",
    "a thread waits for a build": """
held = [foreign()]
from harbour import crossed
for _ in range(3):
    threading.Thread(target=crossed.slow, args=(1,), daemon=True).start()
assert crossed.ENTERED.wait(20)
""",
    "a dropped instance is being closed": """
from harbour import latched
slow = owner.build(latched.slow, 1)
slow()
gc.collect()
assert latched.BEGUN.wait(20)
held = [foreign()]
threading.Timer(0.1, latched.WORD.set).start()
""",
    "plugins are being loaded ahead": """
at = threading.Event()
def stay():
    at.set()
    time.sleep(0.3)
point = forking.Point("envpickle.manager:manager", stay)
threading.settrace(point.trace)
held = [foreign()]
assert at.wait(20)
""",
}


@pytest.mark.parametrize("interval", [0.005, 1e-6])
@pytest.mark.parametrize("way", WAYS)
def test_the_interpreter_shuts_down(home: Path, way: str, interval: float) -> None:
    """The status is 0, nothing is said on standard error, and no session stays open."""
    with envpickle.Owner() as living:
        payload = pickle.dumps(living.build(berths.berth, str(home), []))
        program = f"{HEAD}\nsys.setswitchinterval({interval})\n{WAYS[way]}\nreport(True)\n"

        assert run(program, str(home), payload.hex()) is True
    assert not list(home.glob("session_*"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where sessions are files."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"
