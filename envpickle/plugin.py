"""What the author of a plugin imports: the marker for hook implementations and the answers hooks give."""

import pluggy

from .objects import Packed

__all__ = ["Packed", "hookimpl"]

hookimpl = pluggy.HookimplMarker("envpickle")
"""Marks a function as an implementation of the hook whose name it bears (see :mod:`envpickle.hookspecs`)."""
