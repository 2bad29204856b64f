"""Calls, at its import, the builder that imports the module which imports this one."""

from harbour import circling

MADE = circling.call_at_import(lambda: circling.needing("harbour.circling_outer"))
VALUE = "inner"
