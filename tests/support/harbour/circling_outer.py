"""Imports a module that calls, at its import, the builder that imports this one."""

from harbour import circling, circling_inner

VALUE = ("outer", circling_inner.VALUE, circling.__name__)
