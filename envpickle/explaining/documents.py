"""A report as data and as one page of HTML."""

from __future__ import annotations

import platform
from html import escape
from typing import Any

from .. import __version__
from .parts import REFUSED, Part, Report
from .rows import Row, about, rows_of, verdict, why

FORMAT = 1
"""Version of the JSON document; fields are added without a new one."""


def as_dict(report: Report) -> dict[str, Any]:
    """The report as plain data: its parts in a flat list, each with the number of the one above."""
    parts = list(report.root.walk())
    numbers = {id(part): number for number, part in enumerate(parts)}
    first = report.first
    return {
        "format": FORMAT,
        "envpickle": __version__,
        "python": platform.python_version(),
        "subject": report.root.step,
        "pickler": report.pickler,
        "protocol": report.protocol,
        "crosses": report.crosses,
        "verdict": verdict(report),
        "size": report.size,
        "counts": dict(sorted(report.counts.items())),
        "first": None if first is None else numbers[id(first)],
        "hints": [*filter(None, [report.further]), *report.hints],
        "parts": [_part(part, numbers) for part in parts],
    }


def _part(part: Part, numbers: dict[int, int]) -> dict[str, Any]:
    return {
        "parent": None if part.parent is None else numbers.get(id(part.parent)),
        "path": part.path,
        "step": part.step,
        "type": part.kind,
        "mark": part.mark,
        "name": part.name or None,
        "size": part.size,
        "total": part.total,
        "reason": why(part) if part.mark == REFUSED else None,
        "remedy": part.remedy or None,
        "note": part.note or None,
        "call": None if part.called is None else part.called._asdict(),
        "reference": part.reference or None,
        "more": part.more,
    }


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color: #222; }}
h1 {{ font-size: 1.3em; }} dt {{ font-weight: bold; }}
ul {{ list-style: none; padding-left: 1.3em; border-left: 1px solid #ccc; }}
code {{ background: #f3f3f3; padding: 0 .2em; overflow-wrap: anywhere; }}
.refused {{ color: #a40000; }} .do {{ color: #0a6b28; }} .dull {{ color: #666; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #1c1c1c; color: #ddd; }} code {{ background: #333; }} .dull {{ color: #999; }}
  .refused {{ color: #ff8a80; }} .do {{ color: #8bd5a0; }}
}}
</style>
</head>
<body>
<h1 class="{kind}">{title}</h1>
{first}
<ul>
{tree}
</ul>
{hints}
<p class="dull">envpickle {version}, Python {python}, protocol {protocol}</p>
</body>
</html>
"""


def as_html(report: Report) -> str:
    """The report as one page that loads nothing; everything that came from the object is escaped."""
    first = report.first
    told = "" if first is None else _facts([("first", first.path), ("why", why(first)), ("do", first.remedy)])
    return _PAGE.format(
        title=escape(verdict(report)),
        kind="do" if report.crosses else "refused",
        first=told,
        tree="\n".join(_items(rows_of(report, most=50, levels=6))),
        hints="\n".join(f"<p>{escape(hint)}</p>" for hint in (report.further, *report.hints) if hint),
        version=escape(__version__),
        python=escape(platform.python_version()),
        protocol=report.protocol,
    )


def _facts(facts: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts) + "</dl>"


def _items(top: Row) -> list[str]:
    lines: list[str] = []
    stack: list[Row | str] = [top]
    while stack:
        row = stack.pop()
        if isinstance(row, str):
            lines.append(row)
            continue
        said = _said(row)
        rest: list[Row | str] = [*row.children]
        if row.left_out:
            rest.append(f'<li class="dull">... {row.left_out:,} more, all of which cross</li>')
        if not rest:
            lines.append(f"<li>{said}</li>")
            continue
        lines.append(f"<li><details{' open' if row.part.refusals or row is top else ''}><summary>{said}</summary><ul>")
        stack.append("</ul></details></li>")
        stack += reversed(rest)
    return lines


def _said(row: Row) -> str:
    part = row.part
    css = "refused" if part.mark == REFUSED else "dull"
    text = f'<code>{escape(row.label)}</code> {escape(part.kind)} <span class="{css}">{escape(about(part))}</span>'
    if part.mark == REFUSED:
        text += f'<br>{escape(why(part))}<br><span class="do">do: {escape(part.remedy)}</span>'
    return text
