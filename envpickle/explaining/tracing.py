"""The walk of dill's pickler, which is asked nothing: it pickles, and is watched while it does.

dill decides in functions that write. So its own pickler runs, in Python, and every object it saves becomes a part; what one
raises stays with that part, and the pickler goes on.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..backends import dill_backend
from ..errors import PluginError
from ..payload import rebuild_with_code
from ..switches import is_disabled
from . import shapes
from .advising import Advice
from .asking import Way
from .calls import call_of
from .naming import title
from .parts import BY_NAME, BY_SPEC, BY_VALUE, DATA, OBJECT, REFUSED, Part, Report
from .sizes import is_atom, is_container, may_be_a_reducers
from .walking import Walk


def traced(value: Any, name: str) -> Report:
    """Explain an object for dill.

    Args:
        value: The object.
        name: What to call it.
    """
    if is_disabled("dill"):
        raise PluginError("the dill backend is switched off. Switch it on with envpickle.enable('dill').")
    top = Part("", "")
    tracer = _pickler(Advice(by_value=True).judge, top, name)
    tracer.dump(value)
    if not top.children:
        top.children.append(Part(name, title(value), None, DATA))
    root = top.children[0]
    root.parent = None
    return Report(root, "dill", tracer.proto, tracer.walk.counts)


def _pickler(judge: Callable[[Part, Any, BaseException], None], top: Part, name: str) -> Any:
    base: Any = dill_backend.pickler_class()

    class Tracer(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(io.BytesIO(), byref=False)
            self.walk = Walk(Way(), judge)
            self.parts = [top]
            self.steps: list[dict[int, tuple[str, Any]]] = [{}]
            self.named: dict[int, str] = {}
            self.written = 0
            write: Callable[[bytes], Any] = self.write  # type: ignore[has-type]

            def counting(data: bytes) -> Any:
                self.written += len(data)
                return write(data)

            self.write = counting

        def save(self, value: Any, save_persistent_id: bool = True) -> None:
            _save(self, value, lambda: super(Tracer, self).save(value, save_persistent_id), name)

        def save_global(self, value: Any, name: str | None = None) -> Any:
            self.parts[-1].mark = BY_NAME
            self.parts[-1].name = title(value)
            return super().save_global(value, name)

        def save_reduce(self, func: Any, args: Any, state: Any = None, *rest: Any, obj: Any = None, **more: Any) -> Any:
            _note_reduced(self, func, args, state, obj)
            return super().save_reduce(func, args, state, *rest, obj=obj, **more)

    return Tracer()


def _save(tracer: Any, value: Any, go: Callable[[], None], name: str) -> None:
    """Save one object as a part; an atom, or a reducer's own container, as a piece of the part above."""
    above, known = tracer.parts[-1], tracer.steps[-1]
    step, shape = known.get(id(value), (name if len(tracer.parts) == 1 else shapes.NOTHING, None))
    if step == shapes.NOTHING or step.startswith(" (argument"):
        step = tracer.named.get(id(value), step)
    kind = type(value)
    if is_atom(kind) or id(value) in tracer.memo:
        before = tracer.written
        go()
        above.size += tracer.written - before
        return
    own = shape is not None and may_be_a_reducers(kind)
    part = above if own else Part(step, title(value), above, DATA if is_container(kind) else OBJECT)
    tracer.parts.append(part)
    tracer.steps.append(_steps(value, shape))
    if type(value) is FunctionType:
        tracer.named.update(_names_in(value))
    before = tracer.written
    try:
        go()
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever a reducer of the user's raises
        part.mark = REFUSED
        tracer.walk.judge(part, value, error)
    finally:
        tracer.parts.pop()
        tracer.steps.pop()
    if part.mark == OBJECT and shapes.is_definition(value) and not part.children:
        part.mark, part.name = BY_NAME, f"{value.__module__}:{value.__qualname__}"
    if not own:
        part.size = max(tracer.written - before - sum(child.total for child in part.children), 0)
        tracer.walk.finish(part, above)


def _steps(value: Any, shape: Any) -> dict[int, tuple[str, Any]]:
    """The steps to what is in a container, by the identity of what they lead to."""
    shape = shape or shapes.plain(value)
    kind = type(value)
    pairs: Any = value.items() if kind is dict else enumerate(value) if kind is list or kind is tuple else ()
    found: dict[int, tuple[str, Any]] = {}
    for key, item in pairs:
        found.setdefault(id(item), shape(key))
    return found


def _names_in(function: FunctionType) -> dict[int, str]:
    """What a function closes over, and the globals it uses, by their identity."""
    code, found = function.__code__, {}
    for name in code.co_names:
        if name in function.__globals__:
            found[id(function.__globals__[name])] = f" (uses {name})"
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[id(cell.cell_contents)] = f" (closes over {name})"
        except ValueError:  # not bound yet
            continue
    return found


def _note_reduced(tracer: Any, func: Any, args: Any, state: Any, obj: Any) -> None:
    part, steps = tracer.parts[-1], tracer.steps[-1]
    part.called = call_of(obj, func, args) if isinstance(args, tuple) else None
    if part.called is not None:
        part.mark = BY_VALUE if func is rebuild_with_code else BY_SPEC
    elif obj is not None and shapes.is_definition(obj):
        part.mark = BY_VALUE
    steps[id(func)] = shapes.MAKER, None
    steps[id(type(obj))] = shapes.CLASS, None
    steps[id(args)] = shapes.NOTHING, shapes.hidden if part.called is not None else shapes.of_arguments(obj)
    if state is not None:
        steps.setdefault(id(state), (" (state)", shapes.of_state(obj, state)))
