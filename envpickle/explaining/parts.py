"""What a walk finds: parts, and the report of all of them.

A part holds text and numbers only, never the object it describes: a report keeps nothing alive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

BY_NAME, BY_SPEC, BY_VALUE, DATA, OBJECT, SEEN, REFUSED = "by name", "by spec", "by value", "data", "object", "seen", "refused"
MARKS = (BY_NAME, BY_SPEC, BY_VALUE, DATA, OBJECT, SEEN, REFUSED)
_MOST_STEPS = 24  # of a path that is shown whole


class Called(NamedTuple):
    """The call that a class travels as.

    Attributes:
        builder: The builder's name, ``module:qualname``.
        arguments: The arguments as written in the descriptor, shortened.
        owner: The owner's key in hexadecimal digits, or None.
        head: Bytes of the class's own head.
        shared: Bytes of the parts that other classes may share.
    """

    builder: str
    arguments: str
    owner: str | None
    head: int
    shared: int


class Part:
    """One thing that pickle writes.

    Attributes:
        step: What leads here from the part above, such as ``.lock`` or ``[3]``.
        parent: The part above; None for the whole.
        kind: Name of its type.
        mark: How it travels: one of ``MARKS``.
        name: The name it travels under (by name), or what it is called.
        size: Bytes of its own, without the parts beneath.
        total: Bytes with the parts beneath; what is seen a second time costs its reference only.
        reason: Why it is refused; empty if it is not.
        remedy: What to do next; empty if it is not refused.
        note: What else is worth knowing; may be empty.
        called: The call it travels as, if it is by spec.
        reference: Path of the place where it is written, if it was seen before.
        children: The parts beneath that are worth telling.
        more: How many further parts beneath are not kept; all of them cross.
        refusals: How many refused parts there are, this one and those beneath.
    """

    __slots__ = (
        "called", "children", "kind", "mark", "more", "name", "note", "parent", "reason", "reference", "refusals", "remedy",
        "size", "step", "total",
    )  # fmt: skip

    def __init__(self, step: str, kind: str, parent: Part | None = None, mark: str = OBJECT) -> None:
        self.step, self.kind, self.parent, self.mark = step, kind, parent, mark
        self.name = self.reason = self.remedy = self.note = self.reference = ""
        self.size = self.total = self.more = self.refusals = 0
        self.called: Called | None = None
        self.children: list[Part] = []

    @property
    def path(self) -> str:
        """How to get here from the object that was explained, such as ``fleet[3].lock``."""
        steps: list[str] = []
        part: Part | None = self
        while part is not None:
            steps.append(part.step)
            part = part.parent
        steps.reverse()
        if len(steps) > _MOST_STEPS:
            half = _MOST_STEPS // 2
            steps[half:-half] = [f" ...{len(steps) - 2 * half} steps... "]
        return "".join(steps)

    def walk(self) -> Iterator[Part]:
        """This part and all beneath it, in the order pickle comes to them."""
        stack = [self]
        while stack:
            part = stack.pop()
            yield part
            stack += reversed(part.children)

    def __repr__(self) -> str:
        return f"<Part {self.path}: {self.kind}, {self.mark}>"


class Report:
    """What pickling an object comes to, part by part; made by :func:`envpickle.explain`.

    ``str(report)`` is the verdict, the first thing to mend, and a tree.

    Attributes:
        root: The part that is the whole.
        pickler: Who was asked: ``"pickle"``, ``"cloudpickle"`` or ``"dill"``.
        protocol: The pickle protocol.
        counts: How many parts there are of each mark.
        hints: Further remarks about the whole, one sentence or more each.
        scope: What the verdict is about; empty if about the whole that was asked for.
        further: What was not looked at, and how to; may be empty.
    """

    def __init__(self, root: Part, pickler: str, protocol: int, counts: dict[str, int], hints: tuple[str, ...] = ()) -> None:
        self.root, self.pickler, self.protocol = root, pickler, protocol
        self.counts, self.hints = counts, hints
        self.scope = self.further = ""

    @property
    def crosses(self) -> bool:
        """Whether all of it crosses: nothing is refused."""
        return not self.counts.get(REFUSED)

    @property
    def size(self) -> int:
        """Bytes of the whole pickle, without framing; of what could be written, if something is refused."""
        return self.root.total + 3  # the protocol's mark and the final dot

    @property
    def refused(self) -> tuple[Part, ...]:
        """What is refused, in the order pickle comes to it; pickling itself stops at the first."""
        return tuple(part for part in self.root.walk() if part.mark == REFUSED)

    @property
    def first(self) -> Part | None:
        """The first refused part, or None."""
        return next((part for part in self.root.walk() if part.mark == REFUSED), None)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, as ``envpickle explain --json`` prints it; docs/reference/explain.md has the schema."""
        from .documents import as_dict

        return as_dict(self)

    def to_html(self) -> str:
        """The report as one page of HTML that loads nothing from elsewhere."""
        from .documents import as_html

        return as_html(self)

    def __str__(self) -> str:
        from .showing import as_text

        return as_text(self)

    def __repr__(self) -> str:
        return f"<Report of {self.root.step!r} for {self.pickler}: {'crosses' if self.crosses else 'does not cross'}>"
