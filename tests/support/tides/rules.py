"""The machine: all rules together."""

from tides.rules_changing import Changing
from tides.rules_making import Making
from tides.rules_sending import Sending


class Machine(Making, Changing, Sending):
    """Builds, registers, derives, changes, reloads, sends, loads, drops and closes, in any order."""
