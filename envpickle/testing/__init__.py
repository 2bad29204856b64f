"""What the tests of envpickle and of its plugins are made with: contracts for plugins and backends, and Hypothesis strategies.

Needs Hypothesis. A plugin writes::

    from envpickle.testing import PluginContract

    class TestMyPlugin(PluginContract):
        name = "my-plugin"
        values = (MyValue(1), MyValue(2))
"""

from .contract import BackendContract
from .plugin_contract import PluginContract
from .samples import toolbox
from .strategies import plain_data, runtime_classes, specs

__all__ = ["BackendContract", "PluginContract", "plain_data", "runtime_classes", "specs", "toolbox"]
