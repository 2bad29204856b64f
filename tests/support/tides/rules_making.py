"""Rules that make classes and let go of them."""

from typing import Any

from harbour import golden_kinds
from hypothesis import strategies as st
from hypothesis.stateful import initialize

import envpickle
from tides import shipyard, ways, weather
from tides.counting import step
from tides.machine import AT, NUMBERS, State, child, needs_classes
from tides.model import VALUES, Call, Held, Owned

KINDS = st.sampled_from(ways.PLAIN_KINDS)
NAMES = st.sampled_from(sorted(VALUES))
MADE = st.sampled_from([name for name in golden_kinds.MADE if not name.startswith(golden_kinds.THEIR_PART)])
OWNABLE = ("plain", "nested", "data", "slotted", "abstract", "record", "error")


class Making(State):
    """Build, register, derive, reload, drop."""

    @initialize(kind=KINDS, owned=st.lists(st.sampled_from(OWNABLE), min_size=2, max_size=2))
    def begin(self, kind: str, owned: list[str]) -> None:
        """There is something to begin with."""
        self.log.append(f"begin(kind={kind!r}, owned={owned!r})")
        self.owners += [Owned(next(NUMBERS), envpickle.Owner()) for _ in range(2)]
        self._built(Call(kind, "list", None, None), VALUES["list"][0])
        for name, owner in zip(owned, self.owners, strict=True):
            self._built(Call(name, "list", None, owner), VALUES["list"][0])

    def _built(self, call: Call, argument: Any) -> None:
        """Call the builder, and compare what it gives with what must be there."""
        builder = getattr(shipyard, call.kind)
        before = self.home(call)
        if call.owner is not None and call.owner.closed:
            self.refused("OwnerClosed", lambda: call.owner.owner.build(builder, argument))  # type: ignore[union-attr]
            return
        cls = call.owner.owner.build(builder, argument) if call.owner is not None else builder(argument)
        assert before is None or cls is before, f"the call gave {cls!r}, and {before!r} was there"
        assert before is not None or id(cls) not in self.every(), f"the call gave {cls!r} of another version"
        self.note(cls, call)

    @step(kind=KINDS, value=NAMES)
    def make(self, kind: str, value: str) -> None:
        self._built(Call(kind, value, None, None), VALUES[value][0])

    @step(lambda self: bool(self.owners), kind=st.sampled_from(OWNABLE), value=NAMES, which=AT)
    def make_under_an_owner(self, kind: str, value: str, which: int) -> None:
        self._built(Call(kind, value, None, self.owners[which % len(self.owners)]), VALUES[value][0])

    def _inner(self, at: int, kind: str) -> Held | None:
        inner = self.pick(at)
        odd = kind == "derived" and inner.call.kind in ("choice", "holding", "moody", "derived")
        deep = sum(1 for _ in inner.around()) > 3
        return None if odd or deep or inner.call.kind == "moody" or inner.base is not None else inner

    @step(needs_classes, at=AT, kind=st.sampled_from(["derived", "holding", "opaque"]))
    def make_on_another(self, at: int, kind: str) -> bool:
        """A class that travels is an argument like any other; of one that does not, nothing that names it travels either."""
        if kind == "opaque":
            return self._of_what_is_not_plain()
        inner = self._inner(at, kind)
        if inner is None:
            return False
        call = Call(kind, "", inner.call, None)
        if inner.refusal(self.version) is None:
            self._built(call, inner.cls)
            return True
        made = Held(getattr(shipyard, kind)(inner.cls), call, self.version, False, inner)
        made.kept_plain = False
        self.hold(made)
        return True

    def _of_what_is_not_plain(self) -> bool:
        made = Held(shipyard.holding(ways.Opaque()), Call("holding", "none", None, None), self.version, False)
        made.kept_plain = False
        self.hold(made)
        return True

    @step(kind=KINDS, value=NAMES)
    def register(self, kind: str, value: str) -> None:
        """A class that was made without the builder stands for the call, if no other class does."""
        call, builder, argument = Call(kind, value, None, None), getattr(shipyard, kind), VALUES[value][0]
        if self.home(call) is not None:
            self.refused("RegistrationError", lambda: envpickle.register(ways.raw(kind, argument), builder, argument))
            return
        self.note(envpickle.register(ways.raw(kind, argument), builder, argument), call)

    @step(None, made=st.tuples(MADE, st.sampled_from(ways.TOOLS)))
    def register_what_a_library_made(self, made: tuple[str, str]) -> None:
        """A class that the standard library made is recognised, crosses, comes home as itself, and goes."""
        name, tool = made
        cls = envpickle.register(golden_kinds.MADE[name]())
        payload = ways.dumps(tool, [cls, golden_kinds.ONES.get(name, ways.nothing)(cls)])
        assert ways.loads(tool, payload)[0] is cls
        self.in_child = True
        back = child().ask("back", tool, payload)
        assert ways.loads(tool, back)[0] is cls
        assert back == payload, "the child writes other bytes for the very same class"
        self.seen.append((ways.weakly(cls), name))
        del cls
        self.collect()

    @step(needs_classes, at=AT)
    def subclass(self, at: int) -> bool:
        """A subclass that no builder made, with one method of its own."""
        base = self.pick(at)
        if base.call.kind == "choice" or base.base is not None:
            return False
        made = Held(ways.subclass(base.cls), base.call, self.version, False)
        made.base = base
        self.hold(made)
        return True

    @step(needs_classes, at=AT, what=st.sampled_from(["reload", "mood", "displace", "unregister"]))
    def upset(self, at: int, what: str) -> bool:
        """Do something to the builders, or to what is known of them."""
        if what == "reload":
            self._reload(self.version + 1)  # with another version of the source
        elif what == "mood":
            return self._turn_the_mood()
        else:
            return self._displace(self.pick(at)) if what == "displace" else self._unregister(self.pick(at))
        return True

    def _turn_the_mood(self) -> bool:
        """The builder `moody` makes another class of one call from now on: what it made before is a mismatch."""
        call = Call("moody", "list", None, None)
        self._built(call, VALUES["list"][0])
        latest = self.latest[call.key]
        known = self.every()[id(latest.ref())]
        if latest.mood != weather.MOOD[0] or known.refusal(self.version) is not None:
            return False  # somebody holds the one of the other mood, or changed it
        del known
        payload = ways.dumps("pickle:4", latest.ref())
        self.held[:] = [held for held in self.held if held.call.kind != "moody"]
        self.collect()
        weather.MOOD[0] = not weather.MOOD[0]
        if latest.ref() is None:
            self.refused("RebuildMismatch", lambda: ways.loads("pickle:4", payload))
        return True

    def _unregister(self, held: Held) -> bool:
        """Its call is free again, and the class is one that nobody knows."""
        used = any(held is kin for other in self.every().values() if other is not held for kin in other.around())
        if used or held.base is not None or not held.registered or not held.kept_plain:
            return False
        envpickle.unregister(held.cls)
        if (latest := self.latest.get(held.call.key)) is not None and latest.ref() is held.cls:
            del self.latest[held.call.key]
        held.registered = False
        return True

    def _displace(self, held: Held) -> bool:
        """While something else stands under the builder's name, its classes are refused; afterwards they are not."""
        if held.refusal(self.version) is not None:
            return False
        builder = getattr(shipyard, held.call.kind)
        setattr(shipyard, held.call.kind, builder.fn)
        try:
            self.refused("BuilderChanged", lambda: ways.dumps("pickle:2", held.cls))
        finally:
            setattr(shipyard, held.call.kind, builder)
        ways.dumps("pickle:2", held.cls)
        return True

    @step(needs_classes, at=AT, everything=st.sampled_from([False, False, False, True]))
    def drop(self, at: int, everything: bool) -> None:
        """Let go of a class; it is collected unless something that is held keeps it."""
        held = self.held.pop(at % len(self.held))
        self.ones[:] = [one for one in self.ones if one[1] is not held]
        if everything:
            self.held.clear()
            self.ones.clear()
        del held
        self.collect()
