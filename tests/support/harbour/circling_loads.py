"""Loads, at its import, a class of the builder that imports it."""

from harbour import circling

MADE = circling.call_at_import(circling.loaded)
VALUE = "loads"
