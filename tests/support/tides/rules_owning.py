"""Rules about owners and the instances they close."""

from hypothesis import strategies as st

import envpickle
from tides import ways, weather
from tides.counting import step
from tides.machine import AT, COUNTED, NUMBERS, State, child, has_lifeline, needs_classes
from tides.model import Held, Owned, Sent


class Owning(State):
    """Open instances; close owners."""

    @step(needs_classes, at=AT)
    def open_an_instance(self, at: int) -> bool:
        """An instance is held open, unless its owner is closed."""
        held = self.pick(at)
        if held.changes or held.base is not None or held.call.kind == "choice":
            return False
        if any(owned.closed for owned in held.call.owners()):
            self.refused("OwnerClosed", lambda: ways.instance(held.call.shape, held.cls, 1))
            return True
        self._open(held)
        return True

    def _open(self, held: Held) -> None:
        number = next(NUMBERS)
        self.ones.append((ways.instance(held.call.shape, held.cls, number), held, number))
        del self.ones[:-6]

    @step(lambda self: bool(self.ones), but=st.integers(0, 2))
    def drop_the_instances(self, but: int) -> None:
        del self.ones[but:]
        self.collect()

    def open_there(self, sent: Sent) -> None:
        """The child holds an instance open, of a class with an owner."""
        if sent.call.kind not in ways.CLOSABLE or any(one.closed for one in sent.call.owners()):
            return
        number = next(NUMBERS)
        self.in_child = True
        child().ask("hold", self.parcel(sent)._replace(number=number))
        assert sent.call.owner is not None
        sent.call.owner.away.append(number)

    @step(lambda self: bool(self.owners), which=AT)
    def close(self, which: int) -> None:
        """Every instance of every class of the owner is closed, here and in the child; nothing else is."""
        owned = self.owners[which % len(self.owners)]
        for held in self.held:
            if held.call.owner is owned and not owned.closed and not held.changed() and held.base is None:
                self._open(held)
        mine = [(held, number) for _, held, number in self.ones if owned in held.call.owners()]
        owned.owner.close()
        owned.closed = True
        for held, number in mine:
            if held.call.shape in ways.CLOSABLE and not held.changed():
                assert number in weather.CLOSED, f"{number} of {held.call.kind} is open"
                COUNTED["closed"] += 1
        for held in self.held:
            self._refuses_to_open(held)
        if has_lifeline():
            for number in owned.away:
                assert child().ask("await_closed", number, 10.0), f"{number} is open in the child"
                COUNTED["closed"] += 1
        owned.away.clear()
        assert owned.owner.closed
        if sum(not one.closed for one in self.owners) < 2:
            self.owners = [*self.owners[-3:], Owned(next(NUMBERS), envpickle.Owner())]

    def _refuses_to_open(self, held: Held) -> None:
        if held.call.owner is not None and held.call.owner.closed and held.base is None and held.call.kind != "choice":
            self.refused("OwnerClosed", lambda: ways.instance(held.call.shape, held.cls, 1))
