"""What a check found, and how it reads: for people, for programs, and as an error.

A process that only makes findings pays for this module and no more, so it imports nothing but the standard library.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

__all__ = ["Finding", "Report", "Severity"]

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, why, and what to do about it.

    Attributes:
        check: The check that found it, by the name the reference page lists it under, such as ``"crossing"``.
        subject: What it is about, as the user would write it: ``reward_funcs[1]``, ``--max-model-len``.
        severity: ``"error"`` for what costs the run, ``"warning"`` for what may.
        message: What is wrong, and why.
        remedy: What to do.
    """

    check: str
    subject: str
    severity: Severity
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.subject}: {self.message} {self.remedy}"


class Report:
    """What all checks found together.

    Args:
        findings: In the order they are shown in; errors are moved before warnings.
        checked: Names of the checks that ran.
        skipped: Why a check could not run, by its name.

    Attributes:
        findings: All of them, errors first.
        checked: Names of the checks that ran.
        skipped: Why a check could not run, by its name. A check that did not run found nothing, which is not the same as
            there being nothing to find.
    """

    def __init__(
        self, findings: Iterable[Finding], *, checked: Iterable[str] = (), skipped: dict[str, str] | None = None
    ) -> None:
        self.findings = tuple(sorted(findings, key=lambda finding: finding.severity != "error"))
        self.checked = tuple(checked)
        self.skipped = dict(skipped or {})

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that would cost the run."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that may cost it."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    @property
    def ok(self) -> bool:
        """Whether there is no error; warnings may be left."""
        return not self.errors

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __repr__(self) -> str:
        return f"<Report: {len(self.errors)} errors, {len(self.warnings)} warnings>"

    def __str__(self) -> str:
        lines = []
        for finding in self.findings:
            lines += [f"{finding.severity}: {finding.subject} ({finding.check})", f"    {finding.message}"]
            lines.append(f"    -> {finding.remedy}")
        lines += [f"not checked: {name}: {why}" for name, why in self.skipped.items()]
        if not self.findings:
            lines.append("nothing found")
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return the report as JSON text.

        Returns:
            An object with ``ok`` (true or false), ``findings`` (a list of objects with the attributes of `Finding`),
            ``checked`` (a list of names) and ``skipped`` (an object of reasons by name).
        """
        found = [asdict(finding) for finding in self.findings]
        whole = {"ok": self.ok, "findings": found, "checked": list(self.checked), "skipped": self.skipped}
        return json.dumps(whole, indent=2, ensure_ascii=False)

    def raise_for_errors(self) -> None:
        """Raise if there is an error among the findings.

        Raises:
            PreflightFailed: There is; its text is the whole report.
        """
        if self.ok:
            return
        from .errors import PreflightFailed

        raise PreflightFailed(str(self), checks=tuple(dict.fromkeys(finding.check for finding in self.errors)))
