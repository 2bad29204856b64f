"""Environment classes built at run time, through TRL's GRPO and AsyncGRPO, with nothing left open afterwards.

`environment` makes classes from a server's tools, `factories` several of them, `wire` ties them to a trainer, `portable`
makes reward functions and tools cross into the rollout process, and `preflight` finds what would cost a run to find out.

Every public name is loaded when it is first used: importing this package imports neither trl nor torch nor transformers,
and a rollout process that is sent a class or a callable pays for little more than building it.
"""

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from . import errors as errors
    from .callables import portable as portable
    from .environments import environment as environment
    from .environments import factories as factories
    from .preflighting import preflight as preflight
    from .report import Finding as Finding
    from .report import Report as Report
    from .wiring import wire as wire

__all__ = [
    "Finding",
    "Report",
    "environment",
    "errors",
    "factories",
    "portable",
    "preflight",
    "wire",
]

_HOMES = {
    "Finding": "report",
    "Report": "report",
    "environment": "environments",
    "factories": "environments",
    "portable": "callables",
    "preflight": "preflighting",
    "wire": "wiring",
}


if not TYPE_CHECKING:  # a checker goes by the imports above, and finds misspelt names

    def __getattr__(name):
        from importlib import import_module

        if name == "errors":
            return import_module(f"{__name__}.errors")
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
