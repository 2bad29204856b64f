"""Saying what pickling an object comes to: which parts cross, how, and what to do about those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .advising import Advice
from .asking import PICKLERS, way_of
from .parts import REFUSED, Part, Report
from .targets import Target
from .walking import Request, Walk

__all__ = ["Part", "Report", "explain", "explain_call", "explain_target"]


def explain(obj: Any, *, pickler: str = "pickle", name: str = "obj") -> Report:
    """Say what pickling an object comes to, part by part: what crosses, how, and what to do about what does not.

    It walks what the pickler would walk, in the same order, and asks each object's reducer once, as pickling does; no other
    code of yours is called. Nothing is sent, and where pickling would stop at the first refusal, the walk goes on.

    Args:
        obj: The object: a class, an instance, a function, a container of them.
        pickler: Who would pickle it: ``"pickle"`` (also multiprocessing's spawn and forkserver), ``"cloudpickle"`` (also
            joblib, Ray, Dask) or ``"dill"``.
        name: What to call it in paths.

    Returns:
        The report; when printed, it begins with the verdict and the first thing to mend.

    Raises:
        ValueError: There is no pickler of that name.
        ModuleNotFoundError: The pickler is not installed.
        PluginError: The pickler's backend is switched off, or a plugin's ``envpickle_explain`` failed.
    """
    return _explained(obj, pickler, name)


def explain_call(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Report:
    """Explain a call that another process is to make, such as a task of a pool: the function and its arguments.

    Nothing is called. All of it is walked as one pickle, as ``Process(target=fn, args=args, kwargs=kwargs)`` sends it.

    Args:
        fn: The function.
        *args: Its positional arguments.
        **kwargs: Its keyword arguments.

    Returns:
        The report for plain pickle; for another pickler, explain ``(fn, args, kwargs)``.
    """

    def steps(top: Part) -> Iterable[Request]:
        yield fn, top, " function", None
        yield from ((item, top, f" args[{index}]", None) for index, item in enumerate(args))
        yield from ((item, top, f" kwargs[{key!r}]", None) for key, item in kwargs.items())

    return _explained(None, "pickle", "call:", steps)


def explain_target(target: Target, pickler: str = "pickle") -> Report:
    """The same for what the command was pointed at.

    Args:
        target: What :func:`envpickle.explaining.targets.load` loaded.
        pickler: Who would pickle it.

    Returns:
        The report, with the target's hints.
    """
    if target.lost:
        root = Part(target.name, "", None, REFUSED)
        root.reason = f"A process that Python starts does not have it: {target.lost}."
        root.remedy, root.refusals = "Move it to the top level of the script, above the main guard, or into a module.", 1
        return Report(root, pickler, way_of(pickler).protocol, {REFUSED: 1}, target.hints)
    if len(target.values) == 1 and not target.values[0][0]:
        report = _explained(target.values[0][1], pickler, target.name, handing=target.handing)
    else:

        def steps(top: Part) -> Iterable[Request]:
            return ((value, top, step, None) for step, value in target.values)

        report = _explained(dict(target.values), pickler, target.name, steps, target.handing)
    report.hints, report.scope, report.further = target.hints, target.scope, target.further
    return report


def _explained(
    obj: Any, pickler: str, name: str, steps: Callable[[Part], Iterable[Request]] | None = None, handing: str = ""
) -> Report:
    if pickler not in PICKLERS:
        raise ValueError(f"there is no pickler {pickler!r} to explain for. Name one of {', '.join(PICKLERS)}.")
    if pickler == "dill":
        from .tracing import traced

        return traced(obj, name)
    way = way_of(pickler, handing)
    walk = Walk(way, Advice(way.by_value).judge)
    root = walk.run(obj, name, steps)
    return Report(root, pickler, way.protocol, walk.counts)
