"""Publicly reported troubles with run-time classes, and what each pickler makes of them: ``python -m benchmarks.reports``."""
