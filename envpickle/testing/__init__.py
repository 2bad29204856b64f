"""What the tests of envpickle and of its plugins are made with: a contract for backends, and Hypothesis strategies.

Needs Hypothesis. A plugin with a backend of its own writes::

    from envpickle.testing import BackendContract

    class TestMyBackend(BackendContract):
        backend = my_backend
"""

from .contract import BackendContract
from .samples import toolbox
from .strategies import plain_data, runtime_classes, specs

__all__ = ["BackendContract", "plain_data", "runtime_classes", "specs", "toolbox"]
