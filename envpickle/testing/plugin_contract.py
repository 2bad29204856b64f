"""What every plugin promises, as a class of tests to derive from."""

import operator
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, ClassVar

import envpickle
from envpickle.manager import manager

from .samples import heir, toolbox

_GROUP = "envpickle"
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


class PluginContract:
    """Tests that a plugin must pass; run by pytest in a class that derives from this one.

    The plugin must be installed: fresh processes in empty directories are started, which know it by its entry point alone.

    Attributes:
        name: The name of its entry point.
        values: Values that its ``envpickle_pack`` knows, one of each kind or more.
        same: Whether two values are alike; ``==`` unless the plugin's tests say otherwise, for types that do not define it.
        makes: Functions that make a class which it knows how to make again (``envpickle_spec``, ``envpickle_makers``); called
            more than once, and each call makes a new class.
        closes: Kinds of instances that its ``envpickle_close`` closes: a class that can be imported and made without
            arguments, what opens an instance of it, and what tells whether one is closed.
    """

    name: ClassVar[str]
    values: ClassVar[tuple[Any, ...]] = ()
    same: ClassVar[Callable[[Any, Any], bool]] = operator.eq
    makes: ClassVar[tuple[Callable[[], type], ...]] = ()
    closes: ClassVar[tuple[tuple[type, Callable[[Any], object], Callable[[Any], bool]], ...]] = ()

    def test_it_is_found_by_its_entry_point(self) -> None:
        """One distribution names it, and envpickle loads what the name leads to."""
        (entry,) = entry_points(group=_GROUP, name=self.name)
        assert entry.dist is not None
        assert manager().get_plugin(self.name) is entry.load()

    def test_it_leaves_alone_what_is_not_its_own(self) -> None:
        """Asked about a stranger, a hook answers None, so that others are asked."""
        plugin = manager().get_plugin(self.name)
        stranger = type("Stranger", (), {})
        for hook, asked in (
            ("envpickle_pack", stranger()),
            ("envpickle_spec", stranger),
            ("envpickle_close", stranger),
            ("envpickle_explain", stranger()),
        ):
            assert getattr(plugin, hook, lambda _: None)(asked) is None, f"{hook} answered for {asked!r}"

    def test_a_value_is_packed_and_made_again(self) -> None:
        """What is made of the packed data is of the same type, like it, and packed as the same data."""
        for value in self.values:
            packed = manager().hook.envpickle_pack(value=value)
            assert packed is not None, f"no plugin packs {value!r}"
            made = packed.unpacker(packed.data)
            assert type(made) is type(value), f"{value!r} came back as {made!r}"
            assert type(self).same(made, value), f"{value!r} came back as {made!r}, which is not like it"
            assert manager().hook.envpickle_pack(value=made) == packed, f"{value!r} came back as one packed differently"

    def test_a_value_crosses_in_the_arguments_of_a_builder(self) -> None:
        """A fresh process makes it again without loading plugins, and finds the same class by it."""
        for value in self.values:
            cls = toolbox("Holder", ["lift"], [value])
            assert _said(_VALUE, cls) == ["0", "managers", type(value).__qualname__, "True"], (
                f"{value!r} did not cross as itself"
            )

    def test_a_class_that_is_made_again_is_the_same(self) -> None:
        """What it is registered as comes home as itself, and its like is taken for the same class."""
        for make in self.makes:
            cls = envpickle.register(make())
            assert pickle.loads(pickle.dumps(cls)) is cls
            assert envpickle.register(make()) is cls, f"{make.__name__} made another class the second time"

    def test_a_fresh_process_makes_the_class(self) -> None:
        """Once, without loading plugins; and it would send it on as it came."""
        for make in self.makes:
            cls = envpickle.register(make())
            said = _said(_CLASS, cls)
            assert said == ["0", "managers", cls.__name__, "True"], f"{cls!r} did not cross as itself: {said}"

    def test_an_instance_is_closed_with_its_owner(self) -> None:
        """Once it is open, closing the owner closes it; closing it once more does no harm."""
        for kind, open_it, is_closed in self.closes:
            with envpickle.Owner() as owner:
                instance = owner.build(heir, kind)()
                open_it(instance)
                assert not is_closed(instance), f"{instance!r} was never open"
            assert is_closed(instance), f"{instance!r} was left open"
            closer = manager().hook.envpickle_close(cls=type(instance))
            assert closer is not None, f"no plugin closes {kind.__qualname__}: it was closed by its own method"
            closer(instance)
            assert is_closed(instance)


def _said(program: str, cls: type) -> list[str]:
    """What a fresh process in an empty directory prints that is given a class on its standard input."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=pickle.dumps(cls).hex(),
            capture_output=True,
            text=True,
            cwd=empty,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
