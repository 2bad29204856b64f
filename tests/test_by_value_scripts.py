"""Registering in scripts and from many threads."""

from voyage.fresh import run

NOTEBOOK = """
import dataclasses, multiprocessing, pickle, typing
import envpickle

def work(conn):
    kinds = pickle.loads(conn.recv_bytes())
    conn.send([kind().me() is kind for kind in kinds] + [typing.get_type_hints(kinds[1])["size"] is int])

if __name__ == "__main__":
    from voyage.fresh import report

    class Named:
        def me(self):
            return Named

    Named = envpickle.register(Named)

    @envpickle.register
    @dataclasses.dataclass
    class Decorated:
        size: "int" = 1
        near: "typing.Optional[Named]" = None
        def me(self):
            return Decorated

    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    worker = context.Process(target=work, args=(theirs,))
    worker.start()
    ours.send_bytes(pickle.dumps([Named, Decorated]))
    hints = typing.get_type_hints(Decorated)
    assert pickle.loads(pickle.dumps(Decorated(2))) == Decorated(2)
    report([ours.recv() if ours.poll(30) else "no answer", hints["near"] == typing.Optional[Named]])
    worker.join(10)
"""


def test_a_class_under_the_main_guard_may_name_itself_and_have_text_for_annotations() -> None:
    """Its name means itself, at home and in the child, also where it is decorated; annotations mean what they meant."""
    assert run(NOTEBOOK) == [[True, True, True], True]


ELSEWHERE = """
import functools, pickle, subprocess, sys, typing
import envpickle
from voyage.fresh import report

Ident = typing.NewType("Ident", int)

class Base:
    def hi(self):
        return "base"

@functools.lru_cache
def doubled(n):
    return 2 * n

def make():
    class Made(Base):
        def go(self, key: Ident = 3):
            return [self.hi(), doubled(key), key]
    return envpickle.register(Made)

OTHER = "import json, pickle, sys; print(json.dumps(pickle.load(sys.stdin.buffer)().go()))"

if __name__ == "__main__":
    sent = pickle.dumps(make())
    done = subprocess.run([sys.executable, "-c", OTHER], input=sent, capture_output=True)
    report([done.stdout.decode().strip(), done.stderr.decode()])
"""


def test_what_a_class_uses_of_its_script_comes_along_to_a_worker_of_another() -> None:
    """A worker that never saw the script gets the base, the function and the type; the class has the same surface there."""
    assert run(ELSEWHERE) == ['["base", 6, 3]', ""]


DATACLASS = """
import cloudpickle, dataclasses, subprocess, sys
import envpickle
from voyage.fresh import report

@dataclasses.dataclass
class Base:
    size: int = 1
    tools: list = dataclasses.field(default_factory=list)

@envpickle.builder
def made(number: int):
    @dataclasses.dataclass
    class Made(Base):
        number: int = 0
    return Made

OTHER = "import json, pickle, sys; got = pickle.load(sys.stdin.buffer)(); print(json.dumps([got.size, got.tools, got.number]))"

if __name__ == "__main__":
    done = subprocess.run([sys.executable, "-c", OTHER], input=cloudpickle.dumps(made(3)), capture_output=True)
    report([done.stdout.decode().strip(), done.stderr.decode()])
"""


def test_a_dataclass_of_a_script_keeps_its_defaults_in_a_worker_of_another() -> None:
    """Its base comes along by value, and fields without a default stay without one."""
    assert run(DATACLASS) == ["[1, [], 0]", ""]


RACE = """
import collections, pickle, sys, threading
import envpickle
from voyage.fresh import report

sys.setswitchinterval(1e-6)
found, wrong = [], []
for number in range(30):
    barrier, classes = threading.Barrier(8), []

    def work():
        made = collections.namedtuple(f"Row{number}", "x y")
        barrier.wait()
        try:
            classes.append(envpickle.register(made))
        except BaseException as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    found.append(len(set(classes)))
    wrong += [] if pickle.loads(pickle.dumps(classes[0])) is classes[0] else ["another came home"]
report([set(found) == {1}, wrong])
"""


def test_threads_that_register_the_same_class_get_one() -> None:
    """One class for one call, however many threads register their own at once."""
    assert run(RACE) == [True, []]
