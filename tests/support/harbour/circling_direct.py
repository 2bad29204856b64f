"""Calls, at its import, the builder that imports it."""

from harbour import circling

MADE = circling.call_at_import(lambda: circling.needing("harbour.circling_direct"))
VALUE = "direct"
