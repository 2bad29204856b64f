"""What every plugin promises, as a class of tests to derive from."""

import operator
import pickle
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import entry_points
from typing import Any, ClassVar

import envpickle
from envpickle import hookspecs
from envpickle.classes import record_of
from envpickle.manager import backends, manager

from .asking import GROUP, advice_given, derived_from, made_as, marked, named, plugin_of, said
from .samples import heir, toolbox

_VALUE = """
import pickle, sys
cls = pickle.loads(bytes.fromhex(sys.stdin.read()))
from envpickle.manager import managers
print(len(managers), "managers")
from envpickle.testing import toolbox
print(type(cls().data()[0]).__qualname__, toolbox("Holder", ["lift"], cls().data()) is cls)
"""
_CLASS = """
import pickle, sys
data = bytes.fromhex(sys.stdin.read())
cls = pickle.loads(data)
from envpickle.manager import managers
print(len(managers), "managers")
print(cls.__name__, pickle.loads(data) is cls and pickle.dumps(cls) == data)
"""


_TRIED_BY = {
    "envpickle_pack": "values",
    "envpickle_spec": "makes",
    "envpickle_makers": "makes",
    "envpickle_close": "closes",
    "envpickle_explain": "explains",
}
_LISTS = {
    "envpickle_backends": ("name", "teach", "dumps", "loads"),
    "envpickle_makers": ("__call__",),
    "envpickle_carriers": ("send", "end", "hold"),
}


def _more(self: Any) -> str:
    """A method that no maker's call gives."""
    return "more"


class PluginContract:
    """Tests that a plugin must pass; run by pytest in a class that derives from this one.

    The plugin must be installed: fresh processes in empty directories are started, which know it by its entry point alone.
    For each hook that the plugin has there must be something to try.

    Attributes:
        name: The name of its entry point.
        values: Values that its ``envpickle_pack`` knows, one of each kind or more.
        same: Whether two values are alike; ``==`` unless the plugin's tests say otherwise, for types that do not define it.
        makes: Functions that make a class which it knows how to make again (``envpickle_spec``, ``envpickle_makers``); called
            more than once, and each call makes a new class.
        closes: Kinds of instances that its ``envpickle_close`` closes: a class that can be imported and made without
            arguments, what opens an instance of it, and what tells whether one is closed.
        explains: Objects that pickle refuses, each with something in it that its ``envpickle_explain`` has advice on.
    """

    name: ClassVar[str]
    values: ClassVar[tuple[Any, ...]] = ()
    same: ClassVar[Callable[[Any, Any], bool]] = operator.eq
    makes: ClassVar[tuple[Callable[[], type], ...]] = ()
    closes: ClassVar[tuple[tuple[type, Callable[[Any], object], Callable[[Any], bool]], ...]] = ()
    explains: ClassVar[tuple[Any, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse what a forgotten comma or pair of brackets makes of a tuple."""
        super().__init_subclass__(**options)
        for name in {*_TRIED_BY.values()} & vars(cls).keys():
            given = vars(cls)[name]
            if not isinstance(given, tuple | list):
                raise TypeError(
                    f"{cls.__qualname__}.{name} is {given!r}, not a tuple. Write ({named(given)},), with the comma."
                )
        threes: Any = cls.closes
        if not all(isinstance(one, tuple | list) and len(one) == 3 for one in threes):
            raise TypeError(
                f"{cls.__qualname__}.closes holds {cls.closes!r}. Write ((class, open, is_closed),), a tuple of threes."
            )

    def test_it_is_found_by_its_entry_point(self) -> None:
        """One distribution names it, and envpickle loads what the name leads to."""
        plugin = plugin_of(self)
        entries = list(entry_points(group=GROUP, name=self.name))
        assert len(entries) == 1, f"{len(entries)} distributions name a plugin {self.name!r}. Uninstall all but yours."
        assert entries[0].dist is not None
        assert plugin is entries[0].load()

    def test_its_hooks_are_marked(self) -> None:
        """A function that has a hook's name and no mark would never be asked."""
        plugin = plugin_of(self)
        hooks = {name for name in vars(hookspecs) if name.startswith("envpickle_") and hasattr(plugin, name)}
        unmarked = ", ".join(sorted(hooks - marked(plugin)))
        assert not unmarked, f"{unmarked} of {plugin!r} would not be asked. Mark it with @envpickle.plugin.hookimpl."
        assert hooks, f"{plugin!r} has no hook. Its entry point is to name what holds the functions marked with @hookimpl."

    def test_each_hook_has_something_to_try(self) -> None:
        """The tests below try what they are given, and nothing where they are given nothing."""
        for hook in sorted(marked(plugin_of(self)) & _TRIED_BY.keys()):
            given = _TRIED_BY[hook]
            assert getattr(self, given), (
                f"the plugin has {hook}, and {type(self).__qualname__}.{given} holds nothing to try it with"
            )

    def test_it_leaves_alone_what_is_not_its_own(self) -> None:
        """Asked about a stranger, a hook answers None, so that others are asked."""
        plugin = plugin_of(self)
        stranger = type("Stranger", (), {})
        for hook, asked in (
            ("envpickle_pack", stranger()),
            ("envpickle_spec", stranger),
            ("envpickle_close", stranger),
            ("envpickle_explain", stranger()),
            ("envpickle_explain", stranger),
        ):
            assert getattr(plugin, hook, lambda _: None)(asked) is None, f"{hook} answered for {asked!r}"

    def test_what_it_lists_can_be_used(self) -> None:
        """Its backends, makers and carriers have what those must have, and its backends have names of their own."""
        plugin = plugin_of(self)
        for hook in sorted(marked(plugin) & _LISTS.keys()):
            answer = getattr(plugin, hook)()
            assert isinstance(answer, list | tuple), f"{hook} answered {answer!r}. Return a list."
            assert answer, f"{hook} answered with an empty list. Return what there is, or leave the hook out."
            for one in answer:
                missing = [name for name in _LISTS[hook] if not hasattr(one, name)]
                assert not missing, f"{hook} lists {one!r}, which has no {', '.join(missing)}"
        backends()  # refuses a name that is taken

    def test_a_value_is_packed_and_made_again(self) -> None:
        """What is made of the packed data is of the same type, like it, and packed as the same data."""
        for value in self.values:
            packed = manager().hook.envpickle_pack(value=value)
            assert packed is not None, f"no plugin packs {value!r}"
            made = packed.unpacker(packed.data)
            assert type(made) is type(value), f"{value!r} came back as {made!r}"
            assert type(self).same(made, value), f"{value!r} came back as {made!r}, which is not like it"
            assert manager().hook.envpickle_pack(value=made) == packed, f"{value!r} came back as one packed differently"

    def test_a_value_of_a_derived_type_is_left_alone(self) -> None:
        """Asked about one whose type is not exactly its own, it answers None: what it knows would make the base."""
        pack = getattr(plugin_of(self), "envpickle_pack", lambda _: None)
        for value in self.values:
            derived = derived_from(value)
            packed = pack(derived) if derived is not None else None
            assert packed is None or made_as(packed, type(derived)), (
                f"envpickle_pack answered for a value whose type derives from {type(value).__qualname__}, which would not come "
                f"back as what it is. Ask for exact types: type(value) is {type(value).__name__}."
            )

    def test_a_value_crosses_in_the_arguments_of_a_builder(self) -> None:
        """A fresh process makes it again without loading plugins, and finds the same class by it."""
        for value in self.values:
            cls = toolbox("Holder", ["lift"], [value])
            assert said(_VALUE, cls) == ["0", "managers", type(value).__qualname__, "True"], (
                f"{value!r} did not cross as itself"
            )

    def test_a_class_that_is_made_again_is_the_same(self) -> None:
        """What it is registered as comes home as itself, and its like is taken for the same class."""
        for make in self.makes:
            assert make() is not make(), f"{named(make)} gave one class twice. Have it make a new one each time it is called."
            cls = envpickle.register(make())
            assert pickle.loads(pickle.dumps(cls)) is cls
            assert envpickle.register(make()) is cls, f"{named(make)} made another class the second time"

    def test_a_class_that_has_more_is_not_registered_without_it(self) -> None:
        """A method, a special method, a docstring that the call would not give: the class is refused, or has it again."""
        for make in self.makes:
            for name, more in {"more": _more, "__call__": _more, "__doc__": "It has more."}.items():
                cls = make()
                with suppress(Exception):  # its metaclass may forbid it
                    setattr(cls, name, more)
                if vars(cls).get(name) is not more:
                    continue
                try:
                    record = record_of(envpickle.register(cls, by_value=False))
                except envpickle.errors.EnvpickleError:
                    continue
                assert record is not None
                again = record.builder.run(*record.call.arguments())
                assert vars(again).get(name) == more, (
                    f"what {named(make)} makes was given {name}, and registered all the same as a call that makes it without. "
                    f"Have the plugin answer None for a class that holds anything beyond its call."
                )

    def test_a_fresh_process_makes_the_class(self) -> None:
        """Once, without loading plugins; and it would send it on as it came."""
        for make in self.makes:
            cls = envpickle.register(make())
            told = said(_CLASS, cls)
            assert told == ["0", "managers", cls.__name__, "True"], f"{cls!r} did not cross as itself: {told}"

    def test_an_instance_is_closed_with_its_owner(self) -> None:
        """Once it is open, closing the owner closes it; closing it once more does no harm."""
        for kind, open_it, is_closed in self.closes:
            with envpickle.Owner() as owner:
                instance = owner.build(heir, kind)()
                open_it(instance)
                assert not is_closed(instance), f"{instance!r} was never open"
            closer = manager().hook.envpickle_close(cls=type(instance))
            assert closer is None or callable(closer), (
                f"envpickle_close answered {closer!r}. Return a function of one instance."
            )
            assert is_closed(instance), f"{instance!r} was left open"
            assert closer is not None, f"no plugin closes {kind.__qualname__}: it was closed by its own method"
            closer(instance)
            assert is_closed(instance)

    def test_its_advice_is_given(self) -> None:
        """A report of what is refused says what it says."""
        plugin = plugin_of(self)
        for obj in self.explains:
            given, asked = advice_given(plugin, obj)
            assert given, f"envpickle_explain has no advice on {obj!r}: it was asked about {', '.join(map(repr, asked))}"
