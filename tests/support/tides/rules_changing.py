"""Rules that change classes, take changes back, and do what is no change."""

import copy

from hypothesis import strategies as st

from tides import ways
from tides.changes import CHANGES, HARMLESS, Change
from tides.counting import step
from tides.machine import AT, State, needs_classes
from tides.model import Held


class Changing(State):
    """Patch, delete, mutate in place; undo; disturb."""

    @step(needs_classes, at=AT, how=st.integers(0, len(CHANGES) - 1), tool=st.sampled_from(ways.TOOLS))
    def change(self, at: int, how: int, tool: str) -> bool:
        """Patch it, delete an attribute, change a container or a function in place: the first way from `how` on."""
        held = self.pick(at)
        if held.base is not None:
            return False
        ways_of = sorted(CHANGES)
        for name in ways_of[how:] + ways_of[:how]:
            if name not in held.changes:
                change = Change(held.cls, name)
                if change.undo is not None:
                    held.changes[name] = change
                    self._travels(held, tool)
                    return True
        return False

    @step(lambda self: any(held.changes for held in self.held), at=AT, tool=st.sampled_from(ways.TOOLS))
    def undo(self, at: int, tool: str) -> None:
        """Take the changes of one back: nothing would be lost any more."""
        changed = [held for held in self.held if held.changes]
        held = changed[at % len(changed)]
        while held.changes:
            held.changes.popitem()[1].take_back()
        self._travels(held, tool)

    def _travels(self, held: Held, tool: str) -> None:
        """See whether it travels, and that it should or should not."""
        refusal = held.refusal(self.version)
        if refusal is None:
            ways.dumps(tool, held.cls)
        elif held.registered:
            self.refused(refusal, lambda: ways.dumps(tool, held.cls))

    @step(needs_classes, at=AT, how=st.sampled_from(sorted(HARMLESS)))
    def disturb(self, at: int, how: str) -> bool:
        """What happens to a class in use, and what is declared as its state, is no change."""
        held = self.pick(at)
        if held.changes:
            return False
        HARMLESS[how](held.cls)
        return True

    @step(needs_classes, at=AT, deep=st.booleans())
    def copy_an_instance(self, at: int, deep: bool) -> bool:
        """Copies stay instances of the very class."""
        held = self.pick(at)
        if held.changed() or held.call.shape == "error" or any(owned.closed for owned in held.call.owners()):
            return False  # an exception with a constructor of its own cannot be copied in Python
        one = ways.instance(held.call.shape, held.cls, 3)
        twin = (copy.deepcopy if deep else copy.copy)(one)
        assert type(twin) is held.cls
        assert twin.told() == one.told()
        return True
