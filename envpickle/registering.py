"""Registering classes that exist already."""

from typing import Any

from .building import encode_call, signature_of
from .classes import adopt, find, found_by_name, has_kin, record_of
from .errors import RegistrationError
from .manager import hooks
from .nesting import adopt_nested
from .runtime import Builder, enter, live, withdraw


def register(cls: type, builder: Builder | None = None, /, *args: Any, **kwargs: Any) -> type:
    """Say how a class is made, so that it travels; also a class decorator.

    Args:
        cls: The class.
        builder: A builder that makes this class when called with the arguments. Without one, plugins and makers are asked.
        *args: The builder's arguments.
        **kwargs: The same, by name.

    Returns:
        The class to use from now on. A plain class (metaclass ``type``) cannot be given a metaclass in place: what is returned
        then is a new object, as with ``dataclass(slots=True)``.

    Raises:
        RegistrationError: Nobody knows how it is made, or the call is another live class's.
        AdoptionError: A plain class is held by something, or something would run twice.
        NotPlainData: The arguments are not plain data.
    """
    if not isinstance(cls, type):
        raise RegistrationError(f"envpickle.register takes a class, not {cls!r}. Register type(instance) instead.")
    if builder is None:
        if record_of(cls) is not None or (found_by_name(cls) and cls.__module__ not in ("__main__", "__mp_main__")):
            return cls  # it travels already
        builder, args, kwargs = _made_by(cls)
    if not isinstance(builder, Builder):
        raise RegistrationError(f"{builder!r} is no builder. Mark the function that makes the class with @envpickle.builder.")
    if record_of(cls) is not None:
        raise RegistrationError(f"{cls!r} is registered already. Call envpickle.unregister first to say otherwise.")
    bound = signature_of(builder).bind(*args, **kwargs)
    bound.apply_defaults()
    call = encode_call(builder, bound)
    other = live(call.key)
    if other is not None:
        raise RegistrationError(f"this very call of {builder!r} made {other!r}, so it cannot make {cls!r} too. Use that class.")
    nested = adopt_nested(cls, builder) if has_kin(cls) else None
    if type(cls) is type:
        box = [cls]
        del cls
        cls = adopt(box, nested or (), counted=False)
    return enter(cls, builder, call, None, nested)


def unregister(cls: type) -> None:
    """Forget how a class is made; it then pickles as any other class. The mirror of :func:`register`.

    Args:
        cls: A class that a builder made, or that was registered.

    Raises:
        RegistrationError: It is not registered.
    """
    record = record_of(cls) if issubclass(type(cls), type) else None
    if record is None:
        raise RegistrationError(f"{cls!r} is not registered, so it cannot be unregistered.")
    withdraw(cls, record)


def _made_by(cls: type) -> tuple[Builder, tuple[Any, ...], dict[str, Any]]:
    answer = hooks().envpickle_spec(cls=cls)
    if answer is None:
        makers = [maker for answers in hooks().envpickle_makers() for maker in answers]
        answer = next((found for found in (maker(cls) for maker in makers) if found is not None), None)
    if answer is None:
        there = find(cls.__module__, cls.__qualname__)
        raise RegistrationError(
            f"nobody knows how {cls.__module__}.{cls.__qualname__} is made: "
            f"{'no name leads to it' if there is None else f'its name leads to {there!r}'}, no plugin knows it, and no maker "
            f"recognises it. Say how: envpickle.register(cls, builder, ...), with a builder that makes it."
        )
    builder, args, kwargs = answer
    return builder, args, kwargs
