"""Names of others, brought in here: none of them is a builder of this module."""

import os
import subprocess

from harbour import docks
from harbour.docks import dock as borrowed
from harbour.docks import make_method

__all__ = ["borrowed", "docks", "make_method", "os", "subprocess"]
