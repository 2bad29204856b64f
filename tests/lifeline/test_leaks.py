"""Many owners leave no sockets, threads or files behind: where they were made, and where their classes were held."""

import os
from pathlib import Path

import pytest
from voyage.fresh import run

MANY = int(os.environ.get("ENVPICKLE_TEST_OWNERS", "1200"))

MAKING = """
import gc, os, pickle, sys
from voyage.fresh import report
from harbour import latched, moored
import envpickle
from envpickle import lifeline

def counts():
    gc.collect()
    return [len(os.listdir("/proc/self/fd")), len(moored.threads()), len(os.listdir(folder))]

how, many = sys.argv[1], int(sys.argv[2])
folder = os.path.join(os.environ["TMPDIR"], f"envpickle-{os.geteuid()}")
first = envpickle.Owner()
pickle.dumps(first.build(latched.plain, -1))
before = counts()
kept, most = [], 0
for number in range(many):
    owner = envpickle.Owner()
    pickle.dumps(owner.build(latched.plain, number))
    if how == "closed":
        owner.close()
    elif how == "kept":
        kept.append(owner)
    if number % 500 == 0:
        most = max(most, len(os.listdir("/proc/self/fd")))
owner = None
report(dict(before=before, after=counts(), most=most, limits=[lifeline.MOST, lifeline.MOST_LEFT]))
"""


@pytest.mark.parametrize("how", ["closed", "dropped", "kept"])
def test_many_owners_that_are_made(places: Path, how: str) -> None:
    """Closed ones leave nothing but some words, dropped and living ones a bounded number of sockets; all goes at the end."""
    seen = run(MAKING, how, str(MANY), seconds=600, TMPDIR=str(places.parent))
    sockets, threads, files = (after - before for after, before in zip(seen["after"], seen["before"], strict=True))
    most, most_left = seen["limits"]

    assert threads == 0
    assert sockets <= {"closed": 0, "dropped": most_left, "kept": most}[how]
    assert seen["most"] - seen["before"][0] <= most + 10  # some wait for the collector
    assert files <= 1_100
    assert not list(places.iterdir())


HOLDING = """
import gc, json, os, pickle, struct, sys
from harbour import latched, moored
from envpickle import lines

def counts():
    latched.wait_until(lambda: [gc.collect()] and lined() <= 1)   # closing an instance that was dropped takes a moment
    return [len(os.listdir("/proc/self/fd")), len(moored.threads())]

def lined():
    return sum(len(watch.lines) for watch in lines._watches)

source = sys.stdin.buffer
first = source.read(struct.unpack("<I", source.read(4))[0])
kept = pickle.loads(first)()
before, count = [], 0
while True:
    (length,) = struct.unpack("<I", source.read(4))
    if not length:
        break
    one = pickle.loads(source.read(length))()
    del one
    if count == 100:
        before = counts()
    count += 1
    print("seen", flush=True)
print(json.dumps([before, counts(), lined()]), flush=True)
"""


SENDING = """
import json, os, pickle, struct, subprocess, sys
from voyage.fresh import report
from harbour import latched
import envpickle

holding, many = sys.argv[1], int(sys.argv[2])
child = subprocess.Popen([sys.executable, "-c", holding], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def send(payload):
    child.stdin.write(struct.pack("<I", len(payload)) + payload)
    child.stdin.flush()

first = envpickle.Owner()
send(pickle.dumps(first.build(latched.plain, -1)))
for number in range(0, many, 50):
    owners = [envpickle.Owner() for _ in range(50)]
    for owner in owners:
        send(pickle.dumps(owner.build(latched.plain, number)))
    assert [child.stdout.readline() for _ in owners] == [b"seen\\n"] * 50
send(b"")
answer = child.stdout.readline()
child.stdin.close()
child.stdout.close()
child.wait(30)
report(json.loads(answer))
"""


def test_many_owners_whose_classes_are_held(places: Path) -> None:
    """A process that held an instance of each has as many sockets and threads afterwards as it had before."""
    before, after, lines = run(SENDING, HOLDING, str(MANY // 2), seconds=600, TMPDIR=str(places.parent))

    assert after[0] <= before[0]
    assert after[1] == before[1]
    assert lines == 1
