"""Classes built at run time, on a Ray cluster: as actors, in pools and as TRL's rollouts, closed with their owner everywhere.

Every public name is loaded when it is first used: importing this package imports neither ray nor trl nor torch.
"""

TYPE_CHECKING = False  # importing typing would cost a loading process 5 ms
if TYPE_CHECKING:
    from . import errors as errors
    from .actors import actor as actor
    from .pools import Pool as Pool
    from .pools import pool as pool
    from .rollouts import RayRolloutWorker as RayRolloutWorker

__all__ = ["Pool", "RayRolloutWorker", "actor", "errors", "pool"]

_HOMES = {"Pool": "pools", "RayRolloutWorker": "rollouts", "actor": "actors", "pool": "pools"}


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
