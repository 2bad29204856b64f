"""The report, and the page that lists everything it may hold."""

import json
import pickle
import re
from pathlib import Path

import pytest

from envpickle.errors import EnvpickleError
from envpickle_trl import Finding, Report
from envpickle_trl.checks import ALL
from envpickle_trl.errors import PreflightFailed
from envpickle_trl.supported import version_of

ROOT = Path(__file__).parents[2]
FINDINGS = {name: meaning for check in ALL for name, meaning in check.FINDINGS.items()}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("0.29.0+cpu", (0, 29, 0)), ("1.17.0rc1", (1, 17, 0)), ("5.17.1.dev0", (5, 17, 1)), ("dev", ()), ("1.16", (1, 16))],
)
def test_versions_are_read(text: str, numbers: tuple[int, ...]) -> None:
    assert version_of(text) == numbers


def test_a_report_reads_for_people_and_for_programs() -> None:
    warning, error = Finding("a.b", "x", "warning", "It may.", "Look."), Finding("c.d", "y", "error", "It does.", "Do.")
    report = Report([warning, error], checked=["a", "c"], skipped={"e": "no reason"})
    assert [*report] == [error, warning]
    assert (len(report), report.ok, report.errors, report.warnings) == (2, False, (error,), (warning,))
    assert str(report).splitlines()[:3] == ["error: y (c.d)", "    It does.", "    -> Do."]
    assert "not checked: e: no reason" in str(report)
    read = json.loads(report.to_json())
    assert read["findings"][0] == {"check": "c.d", "subject": "y", "severity": "error", "message": "It does.", "remedy": "Do."}
    assert (read["ok"], read["checked"], read["skipped"]) == (False, ["a", "c"], {"e": "no reason"})
    assert Report([warning]).ok
    Report([warning]).raise_for_errors()
    with pytest.raises(PreflightFailed, match=r"It does\.") as caught:
        report.raise_for_errors()
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, EnvpickleError)
    assert (again.checks, str(again)) == (("c.d",), str(report))


def test_every_finding_is_one_of_those_listed_and_has_a_test() -> None:
    package = ROOT / "plugins" / "envpickle-trl" / "envpickle_trl"
    made = "\n".join(path.read_text(encoding="utf-8") for path in [*(package / "checks").glob("*.py"), package / "crossing.py"])
    families = {check.NAME for check in ALL} - {"crossing"}
    written = set(re.findall(rf'"((?:{"|".join(families)})\.[a-z-]+)"', made)) | {"crossing"}
    assert written == FINDINGS.keys()
    tests = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_preflight*.py"))
    assert [name for name in FINDINGS if tests.count(f'"{name}"') == 0] == []


def test_the_reference_page_has_every_finding() -> None:
    page = (ROOT / "docs" / "reference" / "preflight-findings.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z.-]+)` \| [^|]* \| (.*?) \|$", page, re.MULTILINE))
    assert rows == FINDINGS
