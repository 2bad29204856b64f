"""The reported classes as they are, without a builder: `envpickle.register` finds the call that makes each, or sends its code.

Each arrives whole and comes home as itself, or is refused when it is registered, with what to do: a metaclass that may do
anything, a base that watches its subclasses.
"""

import functools

import pytest
from voyage.fresh import run
from voyage.trip import PROGRAM, pieces

from benchmarks.reports.page import lines_of, rows
from benchmarks.reports.sources import REPORTS
from benchmarks.reports.verdicts import ROOT, gathered, verdicts

HOLDS = ["first", "second", "made", "library"]
PIECES = [(hold, piece) for hold in HOLDS for piece in pieces(f"harbour.reports_{hold}")]
REFUSED = {
    "init_subclass_keyword_03": "__init_subclass__",
    "registry_duplicate_08": "__init_subclass__",
    "metaclass_lock_06": "metaclass harbour.reports_first.OnePerKey",
    "namespace_eating_metaclass_10": "metaclass harbour.reports_first.WithParams",
    "odd_metaclass_35": "metaclass harbour.reports_second.Symbolic",
    "pydantic_generic_13": "'Box[int]' is not found by its name",
}


@functools.cache
def carried(hold: str, tool: str) -> dict[str, str]:
    found: dict[str, str] = run(PROGRAM, f"harbour.registered_{hold}", tool, "spawn", *pieces(f"harbour.reports_{hold}"))
    return found


@pytest.mark.parametrize("tool", ["pickle", "cloudpickle"])
@pytest.mark.parametrize(("hold", "piece"), PIECES, ids=[piece for _, piece in PIECES])
def test_reported_classes_cross_once_registered(hold: str, piece: str, tool: str) -> None:
    """Each reported class crosses after it was registered, or is refused before anything is sent, and the remedy named."""
    verdict = carried(hold, tool)[piece]

    if piece in REFUSED:
        assert verdict.startswith("make: RegistrationError")
        assert REFUSED[piece] in verdict
        assert "builder" in verdict
    else:
        assert verdict == "ok"


def test_the_table_of_the_docs_is_what_a_run_gives() -> None:
    """Some reports, run again with every pickler: their lines stand in the page as they come out."""
    page = (ROOT / "docs" / "explanation" / "reports.md").read_text(encoding="utf-8")
    again = lines_of("\n".join(rows(gathered(verdicts(["05", "16", "21"])))))

    assert len(again) == 3
    assert {url: lines_of(page)[url] for url in again} == again
    assert list(lines_of(page)) == [report.url for report in REPORTS.values()]


def test_no_verdict_of_the_table_is_silently_wrong_with_envpickle() -> None:
    """In both columns of envpickle there is nothing but crossing and being refused."""
    page = (ROOT / "docs" / "explanation" / "reports.md").read_text(encoding="utf-8")

    for line in lines_of(page).values():
        assert {cell.strip() for cell in line.split("|")[5:7]} <= {"crosses", "refused", ""}
