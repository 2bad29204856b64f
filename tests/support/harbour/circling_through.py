"""Calls, at its import, a builder that calls the builder that imports it."""

from harbour import circling

MADE = circling.call_at_import(lambda: circling.through("harbour.circling_through"))
VALUE = "through"
