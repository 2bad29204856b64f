"""The checks of preflight, one module each: its ``NAME``, its ``FINDINGS`` by name, and ``check(setup)``.

A check yields a finding for every fault, whose name is one of its ``FINDINGS``, and raises `envpickle_trl.setups.NotChecked`
where it cannot run.
"""

from types import ModuleType

from . import context, crossing, data, device, environment, rewards, schema, script, server, versions

__all__ = ["ALL"]

ALL: tuple[ModuleType, ...] = (versions, script, crossing, environment, schema, rewards, data, device, server, context)
