"""The closing tests on real sessions need the plugin and the port pack, which only the development environment has."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("envpickle_openenv") else ["*_port.py"]
