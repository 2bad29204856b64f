"""A script registers what the standard library made for it, and everything then works: pools, children, a light arrival."""

import pytest
from voyage.fresh import run

TOP = """
import collections, dataclasses, enum, multiprocessing, pickle, typing
import envpickle
from voyage.fresh import report

Point = envpickle.register(collections.namedtuple("pt", "x y", defaults=(0,)))
Colour = envpickle.register(enum.Enum("Colour", "red green"))
UserId = envpickle.register(typing.NewType("UserId", int))

def work(item):
    point, colour = item
    return [type(point) is Point, colour is Colour.red, point._replace(x=point.x + 1), Colour.green, UserId]

if __name__ == "__main__":
    with multiprocessing.get_context(METHOD).Pool(2) as pool:
        answers = pool.map(work, [(Point(n), Colour.red) for n in range(3)])
        pool.close()
        pool.join()
    report([[a, b, type(p) is Point and p.x, c is Colour.green, u is UserId] for a, b, p, c, u in answers])
"""
GUARDED = """
import collections, concurrent.futures, dataclasses, enum, multiprocessing, typing
from voyage.fresh import report
from harbour.made_standard import total

if __name__ == "__main__":
    import envpickle
    Row = envpickle.register(dataclasses.make_dataclass("Row", [("x", int), ("y", int, 2)], slots=True))
    Point = envpickle.register(typing.NamedTuple("Point", [("x", int), ("y", list[Row])]))
    Ids = envpickle.register(typing.NewType("Ids", list[Row]))
    context = multiprocessing.get_context(METHOD)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        row = pool.submit(dataclasses.replace, Row(1), y=5).result(timeout=60)
        point = pool.submit(Point._make, [1, [row]]).result(timeout=60)
        kept = pool.submit(list, [Ids, Row, Point]).result(timeout=60)
    report([type(row) is Row, row.y, type(point) is Point, point.y[0] == row, kept == [Ids, Row, Point]])
"""
LIGHT = """
import pickle, subprocess, sys
import collections, enum, typing
import envpickle
from voyage.fresh import report

def loaded_with(value):
    program = f"import pickle, sys; pickle.loads({pickle.dumps(value)!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    heavy = {"inspect", "dataclasses", "ast", "pluggy", "importlib.metadata", "envpickle.manager", "envpickle.registering"}
    return sorted(heavy & set(done.stdout.split()))

report([
    loaded_with(envpickle.register(collections.namedtuple("P", "x y"))(1, 2)),
    loaded_with(envpickle.register(enum.Enum("E", "a b")).a),
    loaded_with(envpickle.register(typing.NamedTuple("N", [("x", typing.Optional[int])]))(None)),
    loaded_with(envpickle.register(type("X", (Exception,), {"code": 1}))("gone")),
])
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_classes_registered_at_the_top_of_a_script(method: str) -> None:
    """A child that runs the script again has registered its own: what arrives is that one, and comes home as itself."""
    assert run(TOP.replace("METHOD", repr(method))) == [[True, True, n + 1, True, True] for n in range(3)]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_classes_registered_under_the_main_guard(method: str) -> None:
    """A child that never registered anything gets them all the same: the call is importable."""
    assert run(GUARDED.replace("METHOD", repr(method))) == [True, 5, True, True, True]


def test_a_process_that_loads_one_imports_little() -> None:
    """No plugin manager, no inspect, no parser."""
    assert run(LIGHT) == [[], [], [], []]


def test_a_notebook_cell_run_twice() -> None:
    """The second registration gives the class that the first made, so what was made before stays what it was."""
    cell = 'import collections, envpickle\nPoint = envpickle.register(collections.namedtuple("Point", "x y"))\n'
    program = f"""
from voyage.fresh import report
namespace = {{"__name__": "__main__"}}
exec({cell!r}, namespace)
first, one = namespace["Point"], namespace["Point"](1, 2)
exec({cell!r}, namespace)
report([namespace["Point"] is first, type(one) is namespace["Point"]])
"""
    assert run(program) == [True, True]
