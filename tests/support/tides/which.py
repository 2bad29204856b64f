"""A plugin of pytest's that says which library is tested."""

import envpickle


def pytest_report_header() -> str:
    """The first line of what pytest prints."""
    return f"envpickle is {envpickle.__file__}"
