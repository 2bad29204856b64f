"""A module whose import calls its own builder, after a pause in which another thread can arrive."""

import time

import envpickle

RUNS: list[str] = []


@envpickle.builder
def early(name: str) -> type:
    """Called below, while this module is still being imported."""
    RUNS.append(name)
    return type("Early", (), {"label": name})


time.sleep(0.3)
Made = early("made at import")
time.sleep(0.2)
