"""Calls, at its import, the builder that imports it, and does without it no more than its import does."""

from harbour import circling

circling.IMPORTING.set()
MADE = circling.needing("harbour.circling_stubborn")
VALUE = "stubborn"
