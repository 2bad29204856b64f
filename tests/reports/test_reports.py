"""Publicly reported troubles with run-time classes: envpickle passes each, or refuses it when dumping and says what to do.

The shapes lie in three holds under `harbour`. Reports that are about something else than a class's trip have a test of
their own here or under `tests/faults` (25: closing) and `tests/test_script.py` (36: the main guard).
"""

import functools
import pickle

import pytest
from harbour import reports_alone
from voyage.fresh import run
from voyage.trip import carried, pieces

from benchmarks.reports.sources import REPORTS
from envpickle import errors

HOLDS = ["harbour.reports_first", "harbour.reports_second", "harbour.reports_made"]
SOURCES = set(REPORTS) - {"25", "36"}  # those have their tests elsewhere
PIECES = [(hold, piece) for hold in HOLDS for piece in pieces(hold)]


@functools.cache
def verdicts(hold: str, tool: str, method: str) -> dict[str, str]:
    return carried(hold, pieces(hold), tool, method)


@pytest.mark.parametrize(("tool", "method"), [("pickle", "spawn"), ("cloudpickle", "forkserver"), ("dill", "spawn")])
@pytest.mark.parametrize(("hold", "piece"), PIECES, ids=[piece for _, piece in PIECES])
def test_reported_classes_cross_and_come_home(hold: str, piece: str, tool: str, method: str) -> None:
    """Each reported class arrives whole in a fresh child and comes home as itself."""
    assert piece[-2:] in SOURCES
    assert verdicts(hold, tool, method)[piece] == "ok"


def test_report_05_loading_rewires_nothing() -> None:
    """Loading at home leaves the class's functions and what they close over alone."""
    cls = reports_alone.logging_05("x")
    step = vars(cls)["step"]

    assert pickle.loads(pickle.dumps(cls)) is cls
    assert cls().step("right") == len(reports_alone.LOG)
    assert vars(cls)["step"] is step


def test_report_03_and_08_init_subclass_twice_is_refused_with_the_remedy() -> None:
    """A plain class whose base's `__init_subclass__` would run twice is refused when built, with the line that helps."""
    for builder in (reports_alone.plain_03, reports_alone.plain_08):
        with pytest.raises(errors.AdoptionError, match=r"metaclass=envpickle\.RuntimeType"):
            builder("Shop")


def test_report_14_a_class_that_its_library_keeps_is_refused_with_the_place() -> None:
    """A maker that keeps its class in its own module is refused when built; the message names that module and the remedy."""
    with pytest.raises(errors.BuilderError, match=r"harbour\.reports_made.*del"):
        reports_alone.kept_14("Kept")


def test_report_21_ezpickle_without_arguments_is_refused() -> None:
    """An EzPickle environment that would come back with the defaults is refused, and the message says what to hand on."""
    one = reports_alone.reach_21(0.01)(distance=1e-6)

    with pytest.raises(errors.InstanceRefused, match=r"Reach[\s\S]*EzPickle\.__init__"):
        pickle.dumps(one)


def test_report_28_a_live_client_in_the_arguments_is_refused_with_its_path() -> None:
    """A factory that hands its connection to the builder is told where it stands; the class works at home."""
    with reports_alone.Client() as client:
        cls = reports_alone.shop_28(["buy"], {"client": client})
        assert cls().buy() == "buy by a live client"
        with pytest.raises(errors.NotPlainData, match=r"shop_28\(options=\[.client.\]"):
            pickle.dumps(cls)


GROWTH = """
import gc, multiprocessing, pickle
from voyage.fresh import report

def work(conn):
    from harbour import outside, reports_alone
    payload = conn.recv_bytes()
    kinds = {type(pickle.loads(payload))}
    gc.collect()
    before = len(gc.get_objects())
    kinds |= {type(pickle.loads(payload)) for _ in range(500)}
    gc.collect()
    conn.send([len(kinds), len(outside.Counted.known), len(gc.get_objects()) - before < 100])

if __name__ == "__main__":
    from harbour import reports_alone
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.get_context("spawn").Process(target=work, args=(theirs,))
    worker.start()
    ours.send_bytes(pickle.dumps(reports_alone.counted_29("Shop")()))
    assert ours.poll(30)
    report(ours.recv())
    worker.join()
"""


def test_report_29_a_long_lived_worker_does_not_grow() -> None:
    """500 loads of one class in a worker make one class, one registration and no objects that stay."""
    assert run(GROWTH) == [1, 1, True]


POOL = """
import multiprocessing
from voyage.fresh import report

if __name__ == "__main__":
    from harbour import reports_alone
    error = reports_alone.error_30("ToolError", ["tool", "code"])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        try:
            pool.apply_async(reports_alone.fail_30, ("ToolError", ["tool", "code"])).get(timeout=20)
        except error as caught:
            report(["whole", caught.tool, caught.code, str(caught)])
        except multiprocessing.pool.MaybeEncodingError as refused:
            report(["refused", "ToolError" in str(refused)])
        pool.close()
        pool.join()
"""


def test_report_30_a_workers_odd_exception_does_not_hang_the_pool() -> None:
    """A pool whose worker raises an exception with another constructor answers: with the error whole, or refused by name."""
    assert run(POOL) in (["whole", "buy", 404, "buy: 404"], ["refused", True])


def test_every_report_has_a_test() -> None:
    """No source of the table is without a piece or a test of its own."""
    tested = {piece[-2:] for _, piece in PIECES}
    tested |= {number for name in globals() for number in name.split("_") if number in SOURCES}

    assert tested == SOURCES
