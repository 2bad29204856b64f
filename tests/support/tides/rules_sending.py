"""Rules that pickle classes with every pickler, and load them here, in threads, in the child, and back at home."""

import threading
from typing import Any

from hypothesis import strategies as st

import envpickle
from tides import ways, weather
from tides.counting import step
from tides.machine import AT, COUNTED, child, needs_classes, needs_parcels
from tides.model import Held, Sent
from tides.rules_owning import Owning

TOOLS = st.sampled_from(ways.TOOLS)
SMALL = st.integers(0, 5)
ONWARD = st.sampled_from(["wait", "child", "open"])
KEEP = 12  # parcels under way; older ones are forgotten


class Sending(Owning):
    """Pickle, load here, load in a child, come home."""

    def _wraps(self, held: Held, tool: str) -> list[str]:
        call = held.call
        if any(owned.closed for owned in call.owners()) or held.changed() or held.base is not None:
            return ["alias", "class"]
        return [wrap for wrap in ways.WRAPS if ways.fits(wrap, call.kind, call.shape, tool)]

    # one argument, like those of `close`: Hypothesis prefers the rule that is the first of those with the fewest
    @step(needs_classes, way=st.tuples(AT, TOOLS, SMALL, st.integers(0, 8), ONWARD))
    def carry(self, way: tuple[int, str, int, int, str]) -> None:
        """What would lose something is refused by name; all else comes home as itself, and may go on to the child."""
        at, tool, number, choice, onward = way
        held = self.pick(at)
        if held.base is not None and tool in ways.BY_VALUE:
            self._send_copy(held, tool)
            return
        wraps = self._wraps(held, tool)
        sent = self._sent(held, tool, wraps[choice % len(wraps)], number)
        if sent is None:
            return
        if self.home(held.call) is held.cls:
            self.check_arrived(sent, ways.loads(tool, sent.payload), held.cls)
        self.sent.append(sent)
        self.sent[:] = self.sent[-KEEP:]
        if onward == "child":
            self._to_the_child(sent, False, tool, False)
        elif onward == "open" and held.call.owner is not None:
            self.open_there(sent)

    def _sent(self, held: Held, tool: str, wrap: str, number: int) -> Sent | None:
        """The class on its way; None if it had to be refused."""
        refusal = held.refusal(self.version)
        if refusal is None:
            payload = ways.dumps(tool, ways.packed(wrap, held.call.shape, held.cls, number))
            return Sent(tool, payload, wrap, number, held.call, held.mood)
        ours = all(kin.registered for kin in held.around())
        copied = tool in (*ways.BY_VALUE, ways.STRICT) or type(held.cls) is not envpickle.RuntimeType
        if ours or not copied:  # what nobody knows of is Python's to refuse, and cloudpickle's to copy
            # dill, once it is imported, has the pure-Python pickler send a method's function, and what that closes over, first
            first = [kin.refusal(self.version) for kin in held.around()] if wrap == "method" else []
            others = [name for name in first if name is not None]
            self.refused(refusal, lambda: ways.dumps(tool, ways.packed(wrap, held.call.shape, held.cls, number)), *others)
        return None

    def _send_copy(self, held: Held, tool: str) -> None:
        """A subclass goes by value, over the base's call: nothing of it is lost."""
        base = held.base
        assert base is not None
        refusal = base.refusal(self.version)
        if refusal is not None:
            if base.registered:
                self.refused(refusal, lambda: ways.dumps(tool, held.cls))
            return
        got = ways.loads(tool, ways.dumps(tool, held.cls))
        if self.home(base.call) is base.cls:
            assert got.__bases__ == (base.cls,), got.__bases__
        assert got.own == "own"
        self.seen.append((ways.weakly(got), "a copy by value"))

    @step(needs_parcels, at=st.integers(0, KEEP - 1))
    def load_here(self, at: int) -> None:
        """The class that is here, else one that the builder makes; never the class of another version, and never a second."""
        sent = self.sent[at % len(self.sent)]
        self._load(sent)

    def _load(self, sent: Sent) -> None:
        before = self.home(sent.call)
        mood = self.latest[sent.call.key].mood if before is not None else weather.MOOD[0]
        if sent.call.kind == "moody" and mood != sent.mood:
            self.refused("RebuildMismatch", lambda: ways.loads(sent.tool, sent.payload))
            return
        known = self.every().get(id(before))
        if self._shut(sent) or (sent.wrap == "method" and known is not None and known.changed()):
            return  # the method may be one that was taken out here
        held = self.check_arrived(sent, ways.loads(sent.tool, sent.payload), before)
        assert self.home(sent.call) is held.cls

    def _shut(self, sent: Sent) -> bool:
        """Whether an instance was sent whose owner was closed meanwhile: that one may be refused."""
        return any(owned.closed for owned in sent.call.owners()) and sent.wrap not in ("class", "alias")

    @step(needs_parcels, at=st.integers(0, KEEP - 1))
    def load_in_threads(self, at: int) -> bool:
        """Threads that load one parcel at once get one class, and the builder runs once at most."""
        sent = self.sent[at % len(self.sent)]
        if sent.call.kind == "moody" or self._shut(sent) or sent.wrap not in ("class", "container", "instance"):
            return False
        before, runs, got = self.home(sent.call), len(weather.RUNS), []

        def load() -> None:
            got.append(ways.loads(sent.tool, sent.payload))

        threads = [threading.Thread(target=load) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 3
        held = [self.check_arrived(sent, one, before or self.home(sent.call)) for one in got]
        assert len({id(one.cls) for one in held}) == 1
        ran = [run for run in weather.RUNS[runs:] if run == sent.call.kind]
        assert len(ran) <= sum(kin.kind == sent.call.kind for kin in _calls(sent)), ran
        got.clear()
        return True

    @step(
        needs_parcels,
        at=st.integers(0, KEEP - 1),
        keep=st.booleans(),
        back=st.none() | TOOLS,
        fresh=st.sampled_from([False] * 60 + [True]),
    )
    def load_in_the_child(self, at: int, keep: bool, back: str | None, fresh: bool) -> bool:
        """The child makes the class the builder makes there, once; it works, looks the same, and can be sent on."""
        return self._to_the_child(self.sent[at % len(self.sent)], keep, back, fresh)

    def _to_the_child(self, sent: Sent, keep: bool, back: str | None, fresh: bool) -> bool:
        if any(owned.closed for owned in sent.call.owners()):
            return False
        there = child(fresh)
        parcel = self.parcel(sent)
        if sent.call.kind == "moody" and sent.mood:
            assert there.ask("refused", parcel) == "RebuildMismatch"
            return True
        if back is not None and not ways.fits(sent.wrap, sent.call.kind, sent.call.shape, back):
            back = None
        self.in_child = True
        answer = there.ask("load", parcel, str(sent.call.key), keep, back)
        COUNTED["in the child"] += 1
        self._compare(sent, answer)
        if back is None:
            return True
        if sent.wrap == "class" and (back == sent.tool or (back == "forking" and sent.tool == "pickle:4")):
            assert answer["back"] == sent.payload, "the child writes other bytes for the very same class"
        self.sent.append(sent._replace(tool=back, payload=answer["back"]))
        self._load(self.sent[-1])
        self.sent[:] = self.sent[-KEEP:]
        return True

    def _compare(self, sent: Sent, answer: dict[str, Any]) -> None:
        call = sent.call
        assert answer["told"] == ways.expected(call.kind, call.shape, call.text, 0, sent.number)
        here = self.home(call)
        held = self.every().get(id(here)) if here is not None else None
        if held is not None and not held.changed():
            assert answer["name"] == held.cls.__name__
            assert answer["surface"] == ways.surface(held.cls)

    @step(lambda self: self.in_child, really=st.just(True))
    def the_child_lets_go(self, really: bool) -> None:
        """What the child no longer holds is collected there."""
        self.in_child = False
        left = child().ask("drop")
        assert not left, f"nothing holds them, and they were not collected: {left}"
        for owned in self.owners:
            owned.away.clear()

    @step(needs_classes, at=AT, missing=st.integers(0, 5), as_json=st.booleans())
    def rebuild_with_a_list(self, at: int, missing: int, as_json: bool) -> bool:
        """A spec goes through bytes and JSON unchanged; every name in it must be on the list."""
        held = self.pick(at)
        if held.refusal(self.version) is not None or self.home(held.call) is not held.cls:
            return False
        spec = envpickle.describe(held.cls)
        again = envpickle.Spec.from_json(spec.to_json()) if as_json else envpickle.Spec.from_bytes(spec.to_bytes())
        assert (again, again.to_bytes(), hash(again)) == (spec, spec.to_bytes(), hash(spec))
        names = sorted(held.call.names())
        assert envpickle.rebuild(again, allow=names) is held.cls
        if missing < len(names):
            del names[missing]
            self.refused("NotAllowed", lambda: envpickle.rebuild(again, allow=names))
        return True


def _calls(sent: Sent) -> list[Any]:
    call, found = sent.call, []
    while call is not None:
        found.append(call)
        call = call.inner  # type: ignore[assignment]
    return found
