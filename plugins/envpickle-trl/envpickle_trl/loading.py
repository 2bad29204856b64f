"""Finding what the command line names: a script's or a module's object, loaded as a spawned process would load it."""

import importlib
import runpy
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .mainscript import MAIN_NAMES

__all__ = ["Target", "target_of"]

_IMPORTED_AS = MAIN_NAMES[1]


@dataclass(frozen=True, slots=True)
class Target:
    """What a command line names.

    Attributes:
        place: The script's path, or the module's name.
        name: The object in it; None for the script alone.
        is_module: Whether `place` is a module's name.
    """

    place: str
    name: str | None
    is_module: bool

    def load(self) -> Any:
        """Run the script, or import the module, and get the object.

        Returns:
            The object; what it returns if it is a function.

        Raises:
            LookupError: There is no such object.
            Exception: Whatever the user's code raises.
        """
        found: Any = _imported(self.place) if self.is_module else _run(self.place)
        for part in str(self.name).split("."):
            if not hasattr(found, part):
                raise LookupError(
                    f"{self.place} has no {self.name}; what stands under its main guard does not count, because a spawned "
                    "process does not run it. Write a function at its top level that returns the trainer's arguments."
                )
            found = getattr(found, part)
        return found() if callable(found) and not isinstance(found, Mapping) else found

    @property
    def source(self) -> str | None:
        """The file whose main guard counts; known for a module once it is loaded."""
        return getattr(sys.modules.get(self.place), "__file__", None) if self.is_module else self.place


def target_of(text: str) -> Target:
    """Read what stands on the command line.

    Args:
        text: ``script.py``, ``script.py:OBJECT``, ``module:OBJECT`` or ``-``.

    Returns:
        The target.

    Raises:
        ValueError: It is none of them.
        FileNotFoundError: There is no such script.
    """
    place, colon, name = text.rpartition(":")
    if not colon:
        place, name = text, ""
    if colon and not (place and all(part.isidentifier() for part in name.split("."))):
        raise ValueError(f"{text!r} names no object; write script.py:OBJECT or module:OBJECT")
    if place == "-" and not name:
        return Target(place, None, is_module=False)
    is_module = not place.endswith(".py") and not Path(place).is_file()
    if is_module and not (name and all(part.isidentifier() for part in place.split("."))):
        raise ValueError(f"{text!r} is neither a script nor module:OBJECT; write the script's path, or name an object")
    if not is_module and not Path(place).is_file():
        raise FileNotFoundError(f"there is no script {place}")
    return Target(place, name or None, is_module)


def _imported(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))  # where python -m looks, and a console script does not
    return importlib.import_module(name)


def _run(path: str) -> ModuleType:
    """Run a script as a spawned process does, so that what is found and pickled here is what would be there."""
    sys.path.insert(0, str(Path(path).resolve().parent))
    module = ModuleType(_IMPORTED_AS)
    module.__dict__.update(runpy.run_path(path, run_name=_IMPORTED_AS))
    sys.modules["__main__"] = sys.modules[_IMPORTED_AS] = module
    return module
