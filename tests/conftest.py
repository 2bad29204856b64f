"""Puts `tests/support` on the path, so that tests and the processes they start can import what lies there.

Under `--import-mode=importlib` no child process can import a test module, so every builder lives in `tests/support/harbour`
(a user's installed package) and every helper in `tests/support/voyage`.
"""

import sys
from pathlib import Path

SUPPORT = str(Path(__file__).parent / "support")
if SUPPORT not in sys.path:
    sys.path.insert(0, SUPPORT)
