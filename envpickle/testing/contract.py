"""What every backend promises, as a class of tests to derive from."""

import gc
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from hypothesis import HealthCheck, given, settings

import envpickle
from envpickle import errors
from envpickle.backends import Backend
from envpickle.manager import backends

from .samples import toolbox
from .strategies import runtime_classes

_CHILD = """
import importlib, sys
backend = importlib.import_module({module!r})
data = bytes.fromhex(sys.stdin.read())
first, second = backend.loads(data), backend.loads(data)
print(first is second, first.__name__, first().lift(), first().data())
"""


class BackendContract:
    """Tests that a backend must pass; run by pytest in a class that derives from this one.

    Attributes:
        backend: The backend under test.
        module: Name of the module that is the backend, for a fresh process to import.
        carries_objects: Whether it takes any object; False for one that takes classes alone, and refuses the rest.
    """

    backend: ClassVar[Backend]
    module: ClassVar[str]
    carries_objects: ClassVar[bool] = True

    def test_it_is_what_a_backend_is(self) -> None:
        """It has a name of its own, teaches, writes bytes and reads them; a fresh process finds it as a module."""
        for attribute in ("backend", "module"):
            assert hasattr(self, attribute), f"{type(self).__qualname__} has no {attribute}. Write {attribute} = ..."
        missing = [name for name in ("name", "teach", "dumps", "loads") if not hasattr(self.backend, name)]
        assert not missing, f"{self.backend!r} has no {', '.join(missing)}. envpickle.backends.Backend says what each is."
        there = importlib.import_module(self.module)
        assert getattr(there, "name", None) == self.backend.name, f"{self.module} is not the backend {self.backend.name!r}"
        same_name = backends().get(self.backend.name, self.backend)
        assert same_name is self.backend, f"the name {self.backend.name!r} is taken by {same_name!r}. Choose another."
        self.backend.teach(envpickle.RuntimeType)
        data = self.backend.dumps(toolbox("Crane", ["lift"]))
        assert isinstance(data, bytes), f"dumps gave {data!r:.60}. Have it return bytes."

    def test_a_class_comes_home_as_itself(self) -> None:
        """While a class lives, what is loaded of it is that class, whatever its arguments are."""

        @settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # whoever shares the machine slows it down
        @given(cls=runtime_classes())  # inside: an inherited property test would have several executors
        def comes_home(cls: type) -> None:
            home = self.backend.loads(self.backend.dumps(cls))
            assert home is cls, f"{cls!r} came home as {home!r}"

        comes_home()

    def test_equal_classes_give_equal_bytes(self) -> None:
        """The bytes depend on the call alone, not on what was loaded or sent before."""
        data = self.backend.dumps(toolbox("Crane", ["lift"], 1))
        self.backend.loads(data)
        again = self.backend.dumps(toolbox("Crane", ["lift"], 1))
        assert again == data, f"one class was written as {data!r} and as {again!r}"

    def test_a_class_that_died_is_built_again_once(self) -> None:
        """Loading what nobody holds any more makes one class, however often it is loaded."""
        data = self.backend.dumps(toolbox("Gone", ["lift"], ("a", 1)))
        gc.collect()
        made: Any = self.backend.loads(data)
        assert self.backend.loads(data) is made, "loaded twice, it was built twice"
        assert made().data() == ("a", 1)

    def test_a_fresh_process_makes_the_same_class(self) -> None:
        """A process that never saw the class, in an empty directory, makes it once; it works there."""
        data = self.backend.dumps(toolbox("Crane", ["lift"], "heavy"))
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                [sys.executable, "-c", _CHILD.format(module=self.module)],
                input=data.hex(),
                capture_output=True,
                text=True,
                cwd=empty,
                timeout=60,
                check=False,
            )
        assert done.stdout.split() == ["True", "Crane", "lift", "heavy"], done.stderr

    def test_a_changed_class_is_refused(self) -> None:
        """An attribute added after building would be lost, so the class is refused, and taken once it is gone."""
        cls: Any = toolbox("Patched", ["lift"])
        cls.extra = 1
        with refused(errors.ClassChanged):
            self.backend.dumps(cls)
        del cls.extra
        assert self.backend.loads(self.backend.dumps(cls)) is cls

    def test_arguments_that_cannot_travel_are_refused(self) -> None:
        """A class whose builder was given a live object works here, and is refused with the path to the object."""
        cls: Any = toolbox("Local", ["lift"], [object()])
        assert cls().lift() == "lift"
        with refused(errors.NotPlainData):
            self.backend.dumps(cls)

    def test_a_run_time_subclass_is_refused(self) -> None:
        """A subclass that no builder made is never answered for with its base's call."""
        with refused(errors.PickleRefused):
            self.backend.dumps(_subclass(toolbox("Crane", ["lift"])))

    def test_objects_that_hold_the_class_come_home(self) -> None:
        """At any depth the class is itself; an instance is of the very class."""
        if not self.carries_objects:
            with refused(errors.PickleRefused):
                self.backend.dumps({"class": toolbox("Crane", ["lift"])})
            return
        cls = toolbox("Crane", ["lift"])
        try:
            data = self.backend.dumps({"class": cls, "instances": [cls(), (cls,)]})
        except errors.PickleRefused as error:
            says = "an object that holds a class was refused. A backend that takes classes alone says carries_objects = False."
            raise AssertionError(says) from error
        home = self.backend.loads(data)
        assert home["class"] is cls
        assert type(home["instances"][0]) is cls
        assert home["instances"][1] == (cls,)


def _subclass(base: type) -> type:
    class Heavy(base):  # type: ignore[misc]
        def lift(self) -> str:
            return "more"

    return Heavy


@contextmanager
def refused(error: type[errors.EnvpickleError]) -> Iterator[None]:
    """Expect a refusal, as ``pytest.raises`` does, without needing pytest."""
    try:
        yield
    except error:
        return
    raise AssertionError(f"{error.__name__} was to be raised")
