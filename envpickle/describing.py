"""A built class described: the mirror of rebuilding."""

from .classes import record_of
from .errors import UnknownClass
from .reducing import descriptor_of
from .spec import Spec


def describe(cls: type) -> Spec:
    """Return the call that makes a class.

    Args:
        cls: A class that a builder made, or that was registered.

    Raises:
        UnknownClass: No builder made it.
        PickleRefused: It cannot travel: its arguments are not plain data, or it was changed since it was built.
    """
    if not issubclass(type(cls), type) or record_of(cls) is None:
        raise UnknownClass(
            f"{cls!r} was made by no builder, so no call describes it. Make it in a function marked @envpickle.builder, or "
            f"register it: envpickle.register(cls, builder, ...)."
        )
    return Spec(*descriptor_of(cls))
