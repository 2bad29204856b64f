"""A built class described: the mirror of rebuilding."""

from .classes import record_of
from .errors import UnknownClass
from .reducing import descriptor_of
from .spec import Spec


def describe(cls: type) -> Spec:
    """Return the call that makes a class.

    Args:
        cls: A class that was made by a builder, or registered.

    Raises:
        UnknownClass: It was not made by a builder.
        PickleRefused: It cannot travel: its arguments are not plain data, or it has been changed since it was built.
    """
    if not issubclass(type(cls), type):
        raise UnknownClass(f"describe takes a class, not {cls!r}. For an instance, pass its class.")
    if record_of(cls) is None:
        raise UnknownClass(
            f"{cls!r} was not made by a builder, so no call describes it. Make it in a function marked @envpickle.builder, or "
            f"register it: envpickle.register(cls), or envpickle.register(cls, builder, ...)."
        )
    return Spec(*descriptor_of(cls))
