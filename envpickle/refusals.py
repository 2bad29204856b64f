"""What envpickle says when it refuses: the texts of the way in, loaded only when one of them is needed.

Each says what, which object, why, and what to do next.
"""

import os
import sys
from typing import Any

from . import errors
from .classes import RuntimeType, record_of

_MODULE_LEVEL = "Define it at the top of an importable module"


def _name(cls: Any) -> str:
    return f"{getattr(cls, '__module__', '?')}.{getattr(cls, '__qualname__', repr(cls))}"


def no_function(kind: str, given: Any) -> Exception:
    """Something that is no function was to be marked."""
    return errors.BuilderError(
        f"envpickle.{kind} was given {given!r}, which is not a plain function (classes, partials, and cached, "
        f"asynchronous or generator functions are not). Put @envpickle.{kind} directly on a plain function "
        "(@staticmethod goes above it)."
    )


def no_builder(given: Any) -> Exception:
    """Something that is no builder was to build."""
    return errors.BuilderError(f"{given!r} is not a builder. Mark the function that makes the class with @envpickle.builder.")


def unfindable(kind: str, fn: Any) -> Exception:
    """A builder is defined inside a function, or under a name that a descriptor may not hold."""
    if fn.__module__.partition(".")[0] in sys.stdlib_module_names:
        return errors.BuilderError(
            f"the {kind} {_name(fn)} lives in a module that bears the name of one of the standard library, where no other "
            f"process looks for builders. Rename the module."
        )
    if "<locals>" not in fn.__qualname__:
        return errors.BuilderError(
            f"the {kind} {_name(fn)} has a name beyond ASCII, which no descriptor may hold: look-alike letters are how one "
            f"function is passed off as another. Rename it, or its module."
        )
    return errors.BuilderError(
        f"the {kind} {_name(fn)} is defined inside a function, where no other process can find it by name. "
        f"{_MODULE_LEVEL} or script, and pass what it closes over as arguments."
    )


def not_found(builder: Any) -> Exception:
    """The address of a class does not lead to it."""
    return errors.BuilderError(
        f"a class of {builder!r} cannot be found through {builder.module}.{builder.qualname}, because something other than "
        f"this builder is there. Make @envpickle.builder the outermost decorator, keep the builder under its function's own "
        f"name (or pass builder(name=...)), and after a reload use the new one."
    )


def unfit(builder: Any, made: Any) -> Exception:
    """A builder returned something that is not a new class."""
    if not isinstance(made, type):
        found = "None" if made is None else f"an instance of {type(made).__qualname__}"
        return errors.BuilderError(
            f"{builder!r} returned {found}, not a class. A builder returns one class; for several, write "
            f"one builder each: a class made by one may be an argument of another."
        )
    if getattr(made, "_is_protocol", False):  # there is no public word for it before Python 3.13
        return errors.BuilderError(
            f"{builder!r} returned the protocol {_name(made)}: typing takes what is added to a protocol for members of it. "
            f"{_MODULE_LEVEL}, and let the builder make a class that implements it."
        )
    if "<locals>" in type(made).__qualname__:
        return runtime_metaclass(builder, made)
    return errors.BuilderError(
        f"{builder!r} returned {_name(made)}, which is not new: it was made by an earlier call, or {made.__module__!r} keeps "
        f"it under that name. Make a new class at every call, and do not keep it (del it there): envpickle does that."
    )


def runtime_metaclass(builder: Any, cls: type) -> Exception:
    """The metaclass of a class, or of a nested one, is made by the builder as well."""
    return errors.BuilderError(
        f"{builder!r} made {_name(cls)}, whose metaclass {_name(type(cls))} is made at run time too: pickle's table would keep "
        f"it for ever, and every class it knows. Define only the metaclass at the top of an importable module."
    )


def closed_metaclass(builder: Any, cls: type, error: TypeError) -> Exception:
    """A metaclass written in C lets nobody set the attributes of its classes."""
    return errors.BuilderError(
        f"{builder!r} made {_name(cls)}, whose metaclass {_name(type(cls))} does not let an address be set ({error}). Make a "
        f"plain class that holds one of these instead."
    )


def cycle(builder: Any) -> Exception:
    """Builders wait for each other."""
    return errors.BuildCycleError(
        f"{builder!r} was called with arguments whose class is being built by a thread that waits for this one, so waiting "
        f"would never end. Do not call builders in a circle: build the inner class first and pass it as an argument."
    )


def import_circle(builder: Any) -> Exception:
    """A build waits for an import that waits for the build."""
    return errors.BuildCycleError(
        f"{builder!r} was called while a module is being imported, and the thread that is building this very class waits for "
        f"that import, so waiting would never end. Do not call the builder at import, or import at the top of its module."
    )


def adoption(old: type, reason: str) -> Exception:
    """A plain class cannot be made again."""
    takes_no_metaclass = issubclass(old, tuple) and "_fields" in old.__dict__  # a statement of NamedTuple
    bases = "collections.namedtuple(...)" if takes_no_metaclass else "..."
    return errors.AdoptionError(
        f"the class {_name(old)} cannot be given the metaclass it needs, because {reason}. "
        f"Write it as class {old.__name__}({bases}, metaclass=envpickle.RuntimeType)."
    )


def still_held(old: type) -> Exception:
    """Something other than functions holds the class that is replaced."""
    return adoption(
        old,
        "giving it one makes a new class object, and something that is no function of the class still holds the old one "
        "(a subclass, an instance, a registry, weakly too, a partial, a container of functions). A class that is registered is "
        "best registered where it is made, before anything else holds it",
    )


def mismatch(builder: Any, cls: type, surface: str, name: str, wanted: str) -> Exception:
    """The builder here makes another class than was described."""
    here, there = set(surface.split("\n")) - {""}, set(wanted.split("\n")) - {""}
    found = [f"its name is {cls.__name__!r} here and {name!r} there"] if cls.__name__ != name else []
    if there - here:
        found.append(f"only there: {', '.join(sorted(there - here))}")
    if here - there:
        found.append(f"only here: {', '.join(sorted(here - there))}")
    return errors.RebuildMismatch(
        f"{builder!r} makes a different class in this process from the one that was pickled: {'; '.join(found)}. "
        f"Use the same version of {builder.module!r} on both sides.",
        missing=tuple(sorted(there - here)),
        extra=tuple(sorted(here - there)),
    )


def other_arguments(builder: Any, error: TypeError) -> Exception:
    """The builder here does not take the arguments it was called with there."""
    return errors.RebuildMismatch(
        f"{builder!r} takes different arguments in this process from those it was called with: {error}. "
        f"Use the same version of {builder.module!r} on both sides.",
        missing=(),
        extra=(),
    )


def class_closed(cls: type) -> Exception:
    """A class is called after its owner was closed."""
    return errors.OwnerClosed(
        f"{_name(cls)} makes no instances any more in process {os.getpid()}: its owner was closed here. "
        f"Make a new owner and build the class under it.",
        class_name=cls.__qualname__,
    )


def owner_closed(builder: Any) -> Exception:
    """A builder is called under a closed owner."""
    return errors.OwnerClosed(f"{builder!r} cannot build a class under an owner that was closed. Make a new owner.")


def refuse_actor(cls: type) -> None:
    """Answer ``ray.remote``, which looks whether a class is an actor's already before it makes a subclass of it.

    Raises:
        UnknownClass: The class was made by a builder, and the subclass would be another class.
        AttributeError: It is not for us to say anything.
    """
    if type(cls) is not RuntimeType or record_of(cls) is None:
        raise AttributeError(f"{_name(cls)} is not an actor class of Ray")
    raise errors.UnknownClass(
        f"ray.remote would make a subclass of {_name(cls)} that no builder knows: instances would come home as another class, "
        f"and under an owner Ray's own object would be closed like one of them. Use envpickle_ray.actor(cls, ...) instead (pip "
        f"install envpickle-ray): its actors hold instances of this very class.",
        class_name=cls.__qualname__,
        lost=(),
    )


def bad_bytes(why: str) -> Exception:
    """Bytes are no descriptor."""
    return errors.DescriptorError(
        f"these bytes are not an envpickle descriptor: {why}. Send the class again; nothing was imported or run.", why=why
    )


def unknown_tag(tag: str) -> Exception:
    """A descriptor holds a kind of data that is none."""
    return errors.DescriptorError(
        f"a descriptor holds {tag[:40]!r}, which is no kind of plain data. Was it made by a newer envpickle? Use the sender's.",
        why=f"it holds {tag[:40]!r}, which is no kind of plain data",
    )


def bad_tag(tag: str, error: Exception) -> Exception:
    """A tagged value does not hold what its kind holds; our own errors stay what they are."""
    if isinstance(error, errors.EnvpickleError):
        return error
    return errors.DescriptorError(
        f"a descriptor holds a malformed {tag} ({type(error).__name__}: {error}). Send the class again.",
        why=f"it holds a malformed {tag} ({error})",
    )


def builder_not_found(call: Any, why: str) -> Exception:
    """The builder a descriptor names is not there."""
    return errors.BuilderNotFound(
        f"the builder {call.module}:{call.qualname} that a descriptor names is not available in this process: {why}. "
        f"Install the module here, in the sender's version, with the function marked @envpickle.builder.",
        builder=f"{call.module}:{call.qualname}",
    )


def not_that_builder(call: Any, found: Any) -> Exception:
    """The name a descriptor gives leads to something else than the builder of that name, or to nothing."""
    return builder_not_found(call, f"that name leads to {'nothing' if found is None else type(found).__name__} there")


def never_resolved(call: Any) -> Exception:
    """The builder a descriptor names is none that loading a class may call."""
    if call.module.partition(".")[0] in sys.stdlib_module_names:
        return builder_not_found(call, "no builder lives in the standard library")
    return errors.NotAllowed(
        f"the descriptor holds the code of a class by value ({call.module}:{call.qualname}), and loading it runs that code. If "
        f"you trust who wrote it, name that builder: envpickle.rebuild(data, allow=[..., '{call.module}:{call.qualname}']).",
        names=(f"{call.module}:{call.qualname}",),
    )


def not_allowed(names: list[str]) -> Exception:
    """A descriptor names something that is not on the allow-list."""
    return errors.NotAllowed(
        f"the descriptor names {', '.join(names)}, which the allow-list does not contain; nothing was imported. "
        f"Add exactly these names to allow=[...] if you trust them.",
        names=tuple(names),
    )


_HINTS = (
    (("_thread", "threading", "multiprocessing"), "A lock belongs to one process: make it inside the class, when first used."),
    (("socket", "ssl"), "A socket belongs to one process: pass its address and connect where the class is used."),
    (("httpx", "requests", "aiohttp", "websockets"), "Pass the URL and make the client where the class is used."),
    (("torch", "numpy", "jax"), "Pass .tolist(), or the path of a file, and make the array where the class is used."),
    (("_io", "io", "tempfile"), "Pass the path and open the file where the class is used."),
    (("asyncio",), "It belongs to one event loop: make it where the class is used."),
)


def hint_for(value: Any) -> str:
    """What to do instead of handing this value to a builder."""
    kind = type(value)
    if kind.__name__ == "function":
        what = "A lambda" if value.__name__ == "<lambda>" else "A function defined inside another"
        return (
            f"{what} has no name for another process to find: use one at the top of an importable module, or a partial of it."
        )
    if isinstance(value, type):
        return "A class made at run time travels once it is registered (envpickle.register) or made by a builder of its own."
    for modules, hint in _HINTS:
        if kind.__module__.partition(".")[0] in modules:
            return hint
    return (
        "Pass plain data (numbers, text, lists, dicts, dates, dataclasses, importable functions) and make the rest inside "
        "the builder, or teach envpickle this type with a plugin's envpickle_pack hook."
    )
