"""``python -m benchmarks.pickler_matrix``: what travels how, tried in every carrier that Python programs use.

A *row* is a carrier (a pickler, a pool, a cluster), a *column* is something that is sent: a built class, an instance, a
subclass. Every cell is tried for real: the thing goes into another process, is looked at there before anything else is
built, and comes home.
"""
