"""What the tests on a cluster share: `tests/cluster/support` and `tests/support` on the path of what they start."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (HERE / "support", HERE.parent / "support"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
