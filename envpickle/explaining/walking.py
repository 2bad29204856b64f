"""The walk: what pickle would write for an object, in pickle's order, one part after the other.

It follows the algorithm of the pickle module step by step (the memo, the order of saving, batches), asks each object's
reducer once as pickling would, and goes on where pickling would stop. Nothing is recursive: a walk survives any depth.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable
from typing import Any

from ..payload import rebuild_with_code
from . import shapes
from .asking import Way
from .calls import call_of, nested_in
from .naming import by_name, key_text, title, why_lost
from .parts import BY_NAME, BY_SPEC, BY_VALUE, DATA, OBJECT, REFUSED, SEEN, Part
from .sizes import atom_size, dict_size, get_size, is_atom, is_container, items_size, list_size, may_be_a_reducers, set_size
from .stacks import deepest_pickle

MOST_CHILDREN, MOST_REFUSED = 200, 500
_SURELY_FINE = 150  # levels that every interpreter's pickle manages
Request = tuple[Any, Part, str, Any]  # the object, the part above, the step, the shape of a reducer's own container
Steps = Generator[Request, None, None]


class Walk:
    """One walk.

    Attributes:
        counts: How many parts there are of each mark.
    """

    def __init__(self, way: Way, judge: Callable[[Part, Any, BaseException], None]) -> None:
        self.way = way
        self.counts: dict[str, int] = {}
        self.judge = judge
        self._memo: dict[int, tuple[int, Part | None]] = {}
        self._held: list[Any] = []  # an id is its object's only while that lives
        self._depth = 0

    def run(self, value: Any, subject: str, steps: Callable[[Part], Iterable[Request]] | None = None) -> Part:
        """Walk an object.

        Args:
            value: The object.
            subject: What to call it.
            steps: What to walk instead of the object itself, for a part that stands for several.

        Returns:
            The part that is the whole.
        """
        top = Part("", "")
        if steps is None:
            requests: Iterable[Request] = [(value, top, subject, None)]
        else:
            top.step = subject
            requests = steps(top)
        for request in requests:
            self._drive(request)
        if steps is not None:
            self.finish(top, None)
            return top
        if not top.children:  # an atom
            atom = Part(subject, title(value), None, DATA)
            atom.size = atom.total = top.size
            self.counts[DATA] = 1
            return atom
        root = top.children[0]
        root.parent = None
        return root

    def _drive(self, request: Request) -> None:
        stack = [(self._save(*request), 0)]
        while stack:
            try:
                wanted = next(stack[-1][0])
            except StopIteration:
                self._depth -= stack.pop()[1]
            else:
                cost = 2 if type(wanted[0]) is list or type(wanted[0]) is dict else 1  # as pickle counts its own recursion
                self._depth += cost
                stack.append((self._save(*wanted), cost))

    def _save(self, value: Any, above: Part, step: str, shape: Any) -> Steps:
        kind = type(value)
        known = self._memo.get(id(value))
        if known is not None:
            self._refer(known, above, step, shape)
            return
        if is_atom(kind):
            above.size += atom_size(value)
            if kind is str or kind is bytes:
                above.size += 1
                self._remember(value, None)
            return
        own = shape is not None and may_be_a_reducers(kind)
        part = above if own else Part(step, title(value), above, DATA if is_container(kind) else OBJECT)
        try:
            self._refuse_depth()
            if is_container(kind):
                yield from getattr(self, f"_{kind.__name__}")(value, part, shape or shapes.plain(value))
            else:
                yield from self._object(value, part)
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever a reducer of the user's raises
            self._refuse(part, value, error)
        if not own:
            self.finish(part, above)

    def _refuse_depth(self) -> None:
        if self._depth > _SURELY_FINE and self._depth > 2 * deepest_pickle():
            raise RecursionError("nested too deep")

    def _refuse(self, part: Part, value: Any, error: BaseException) -> None:
        part.mark = REFUSED
        self.judge(part, value, error)
        if id(value) not in self._memo:
            self._remember(value, part)

    def _remember(self, value: Any, part: Part | None) -> None:
        self._memo[id(value)] = len(self._memo), part
        self._held.append(value)
        if part is not None:
            part.size += 1

    def _refer(self, known: tuple[int, Part | None], above: Part, step: str, shape: Any) -> None:
        above.size += get_size(known[0])
        part = known[1]
        if part is None or shape is not None or (part.mark == BY_NAME and step in (shapes.CLASS, shapes.MAKER, shapes.NOTHING)):
            return
        again = Part(step, part.kind, above, SEEN)
        again.name, again.reference = part.name, part.path
        self._keep(again, above)

    def finish(self, part: Part, above: Part | None) -> None:
        """Close a part: sum it up, let go of what is not worth telling, and hang it under the one above."""
        part.total = part.size + sum(child.total for child in part.children if child.mark != SEEN) + part.total
        part.refusals = (part.mark == REFUSED) + sum(child.refusals for child in part.children)
        if part.mark == DATA and not part.more and all(child.mark == DATA and not child.children for child in part.children):
            part.children = []  # data to the bottom
        if above is None:
            return
        named = part.mark == BY_NAME and part.step in (shapes.CLASS, shapes.MAKER, shapes.NOTHING)
        if named:
            above.size += part.total
            self._count(part)
        else:
            self._keep(part, above)

    def _count(self, part: Part) -> int:
        count = self.counts[part.mark] = self.counts.get(part.mark, 0) + 1
        return count

    def _keep(self, part: Part, above: Part) -> None:
        count = self._count(part)
        most = MOST_REFUSED if part.refusals else MOST_CHILDREN
        if len(above.children) < most or (part.refusals and count <= MOST_REFUSED):
            above.children.append(part)
        else:
            above.more += 1
            above.total += part.total

    def _list(self, value: list[Any], part: Part, shape: shapes.Shape) -> Steps:
        part.size += 1 + list_size(len(value))
        self._remember(value, part)
        for index, item in enumerate(value):
            step, inside = shape(index)
            yield item, part, step, inside

    def _tuple(self, value: tuple[Any, ...], part: Part, shape: shapes.Shape) -> Steps:
        if not value:
            part.size += 1
            return
        for index, item in enumerate(value):
            step, inside = shape(index)
            yield item, part, step, inside
        if id(value) in self._memo:  # it holds itself: what was written is dropped again
            part.size += (len(value) if len(value) <= 3 else 2) + get_size(self._memo[id(value)][0])
            return
        part.size += 1 if len(value) <= 3 else 2
        self._remember(value, part)

    def _dict(self, value: dict[Any, Any], part: Part, shape: shapes.Shape) -> Steps:
        part.size += 1 + dict_size(len(value))
        self._remember(value, part)
        yield from self._pairs(value.items(), part, shape)

    def _pairs(self, pairs: Iterable[tuple[Any, Any]], part: Part, shape: shapes.Shape) -> Steps:
        for key, item in pairs:
            step, inside = shape(key)
            yield key, part, f" (key {key_text(key)})", None
            yield item, part, step, inside

    def _set(self, value: set[Any], part: Part, shape: shapes.Shape) -> Steps:
        part.size += 1 + set_size(len(value))
        self._remember(value, part)
        for item in value:
            yield item, part, " (item)", None

    def _frozenset(self, value: frozenset[Any], part: Part, shape: shapes.Shape) -> Steps:
        part.size += 2
        for item in value:
            yield item, part, " (item)", None
        if id(value) in self._memo:
            part.size += get_size(self._memo[id(value)][0])
            return
        self._remember(value, part)

    def _bytearray(self, value: bytearray, part: Part, shape: shapes.Shape) -> Steps:
        if self.way.protocol >= 5:
            part.size += 9 + len(value)
            self._remember(value, part)
            return
        yield from self._reduced(value, part, (bytearray, (bytes(value),) if value else ()))

    def _object(self, value: Any, part: Part) -> Steps:
        if self.way.hands_over(value):
            part.note = "handed over by multiprocessing in its own way"
            self._remember(value, part)
            return
        reduced = self.way.reduce(value)
        if reduced is None or type(reduced) is str:
            self._named(value, part, reduced)
        else:
            yield from self._reduced(value, part, reduced)

    def _named(self, value: Any, part: Part, name: str | None) -> None:
        module, found = by_name(value, name)
        part.mark, part.name = BY_NAME, f"{module}:{found}"
        for text in (module, found):
            known = self._memo.get(id(text))
            if known is None:
                part.size += atom_size(text) + 1
                self._remember(text, None)
            else:
                part.size += get_size(known[0])
        part.size += 1
        self._remember(value, part)
        lost = why_lost(value, module, found)
        if lost:
            raise LookupError(f"goes by the name {found}, which a process that Python starts does not find: {lost}")

    def _reduced(self, value: Any, part: Part, reduced: tuple[Any, ...]) -> Steps:
        self._held.append(reduced)
        whole: list[Any] = [*reduced, *[None] * (6 - len(reduced))]
        func, args, state, listed, mapped, setter = whole
        part.called = call_of(value, func, args)
        if part.called is not None:
            part.mark = BY_VALUE if func is rebuild_with_code else BY_SPEC
        elif outer := nested_in(value):
            part.mark, part.note = BY_SPEC, f"as the {args[-1]} of {outer}" if func is getattr else ""
        elif shapes.is_definition(value):
            part.mark = BY_VALUE
        yield from self._made(value, part, func, args)
        if id(value) in self._memo:  # it is among its own arguments
            part.size += 1 + get_size(self._memo[id(value)][0])
        else:
            self._remember(value, part)
        if listed is not None:
            count = 0
            for item in listed:
                yield item, part, f"[{count}]", None
                count += 1
            part.size += items_size(count)
        if mapped is not None:
            pairs = list(mapped)
            part.size += items_size(len(pairs))
            yield from self._pairs(pairs, part, shapes.plain(value))
        if state is not None:
            yield from self._state(value, part, state, setter)

    def _made(self, value: Any, part: Part, func: Any, args: tuple[Any, ...]) -> Steps:
        name = getattr(func, "__name__", "")
        part.size += 1
        if name in ("__newobj__", "__newobj_ex__"):
            cls = args[0]
            if name == "__newobj__" and value.__class__ is not cls:
                raise pickle.PicklingError("its reducer answers copyreg.__newobj__ with another class than its own")
            yield cls, part, shapes.CLASS, None
            given: tuple[Any, ...] = (args[1:],) if name == "__newobj__" else args[1:]
            self._held.append(given)
            for item in given:
                yield item, part, " (argument)", shapes.of_arguments(value, 1)
            return
        hidden = part.called is not None
        yield func, part, shapes.MAKER, None
        yield args, part, shapes.NOTHING, shapes.hidden if hidden else shapes.of_arguments(value)

    def _state(self, value: Any, part: Part, state: Any, setter: Any) -> Steps:
        shape = shapes.of_state(value, state)
        if setter is not None:
            yield setter, part, shapes.MAKER, None
            yield value, part, shapes.NOTHING, shapes.hidden
        yield state, part, " (state)", shape
        part.size += 1 if setter is None else 3
