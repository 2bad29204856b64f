"""The first flight: ``python -m benchmarks.demo``.

A class made from a live server's tools crosses into a spawned process, plays, is scored and closed.
"""
