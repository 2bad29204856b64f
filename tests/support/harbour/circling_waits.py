"""Calls, at its import, a builder that another thread is in, which imports nothing: no circle, only a wait."""

from harbour import circling

MADE = circling.call_at_import(lambda: circling.gated(1))
VALUE = "waits"
