"""Registering classes that exist already: by the call that makes them, by a maker that knows them, or by their code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, overload

from .beside import name_missing, names_out_of_reach
from .building import encode_call, forget_frames, signature_of
from .changes import note
from .classes import RECORD, Record, adopt, find, found_by_name, has_kin, later, record_of
from .errors import EnvpickleError, PluginError, RegistrationError
from .likeness import unlike
from .manager import makers_asked, spec_of
from .nesting import adopt_nested
from .payload import BY_VALUE, MAX_BYTES, Call
from .reachability import only_here
from .reducing import refuse_changes
from .runtime import MAIN, Builder, construct, enter, withdraw

AnyClass = TypeVar("AnyClass", bound=type)
Anything = TypeVar("Anything")
Tool = Literal["cloudpickle", "dill"]
_SAME_CLASS_AGAIN = "envpickle.makers.generics"  # its library keeps what it parametrises: the very class comes back


@overload
def register(cls: Anything, /) -> Anything: ...
@overload
def register(cls: AnyClass, /, *, by_value: bool | Tool) -> AnyClass: ...
@overload
def register(cls: AnyClass, builder: Builder, /, *args: Any, **kwargs: Any) -> AnyClass: ...
def register(cls: Any, builder: Builder | None = None, /, *args: Any, **kwargs: Any) -> Any:
    """Say how a class is made, so that it can travel; also usable as a class decorator.

    Without a builder, these are tried in order: plugins (``envpickle_spec``), the makers (for classes made by ``namedtuple``,
    ``make_dataclass``, ``create_model`` and the like), and finally the class's own code (:data:`envpickle.by_value`). What
    a maker's call makes is first compared with the class, down to the code of its functions.

    Args:
        cls: The class; without a builder also a :class:`typing.NewType`.
        builder: A builder that makes this class when called with the arguments.
        *args: The builder's positional arguments.
        **kwargs: Its keyword arguments. Without a builder there is one, ``by_value``: True, ``"cloudpickle"`` or ``"dill"``
            sends the class as its own code without trying the others, even if it derives from a class that a builder made
            (then only its own body is sent as code, on top of the base's call). False never sends code.

    Returns:
        The class to use from now on. A plain class (metaclass ``type``) cannot be given a metaclass in place, so what is
        returned for it is a new object, as with ``dataclass(slots=True)``.

    Raises:
        RegistrationError: Nothing that was tried knows how it is made (the message has each reason), or the call already
            belongs to another live class.
        AdoptionError: Something still holds the plain class, or something would run twice.
        NotPlainData: The arguments are not plain data.
        ClassChanged: The same class was registered before, is still alive, and has been changed since.
        PickleRefused: Its code refers to a class that cannot be sent.
        PluginError: A plugin's hook failed, or returned something other than a call.
    """
    if builder is not None:
        if not isinstance(builder, Builder):
            raise RegistrationError(
                f"{builder!r} is not a builder. Mark the function that makes the class with @envpickle.builder."
            )
        box, call = [_new(cls)], _call(builder, args, kwargs)
        made = _entered(box, builder, call)
        if box:
            raise RegistrationError(
                f"this very call of {builder!r} made {made!r}, so it cannot make {cls!r} too. Use that class."
            )
        return made
    by_value = kwargs.pop("by_value", None)
    if kwargs or by_value not in (None, True, False, "cloudpickle", "dill"):
        raise RegistrationError(
            f"envpickle.register takes by_value=True, False, 'cloudpickle' or 'dill' where no builder is given, not "
            f"{kwargs or by_value!r}. Give the builder that these arguments are for."
        )
    if type(cls).__qualname__ == "NewType" and type(cls).__module__ == "typing":
        return later("makers.new_types").register(cls)
    if not isinstance(cls, type):
        raise RegistrationError(f"envpickle.register takes a class, not {cls!r}. Register type(instance) instead.")
    if record_of(cls) is not None or (not by_value and found_by_name(cls) and not only_here(cls)):
        return cls  # it travels already
    _refuse_carried(cls)
    builder, call = _way(cls, by_value)
    box = [cls]
    made = _entered(box, builder, call)
    if box:  # the same maker's call has a class, with whose like this one was compared
        refuse_changes(made, made.__dict__[RECORD])
        return made
    if (builder.module, builder.qualname) == BY_VALUE:
        _remember(made, made.__dict__[RECORD], cls)
    return made


def _refuse_carried(cls: type) -> None:
    carriers = later("makers.by_value").carriers_of(cls)
    if carriers:
        raise RegistrationError(
            f"{cls.__qualname__} is part of the code of {carriers[0].__qualname__}, which was registered before and would not "
            f"travel any more. Register {cls.__name__} first, or not at all (it comes along); if they use each other, have one "
            f"builder make both."
        )


def _remember(cls: type, record: Record, replaced: type) -> None:
    tool = record.call.arguments()[1]["tool"]
    try:
        later("makers.taking_apart").remember(cls, record, tool, replaced)
    except EnvpickleError as error:  # a class that it refers to, and that refers to it, is no longer what it was
        record.refusal = forget_frames(error)
    record.reduced = None  # from now on it is looked at each time


def unregister(cls: type) -> None:
    """Forget how a class is made, so that it is pickled like any other class; undoes :func:`register`.

    Args:
        cls: A class that was made by a builder, or registered.

    Raises:
        RegistrationError: It is not registered.
    """
    record = record_of(cls) if issubclass(type(cls), type) else None
    if record is None:
        raise RegistrationError(f"{cls!r} is not registered, so it cannot be unregistered.")
    withdraw(cls, record)


def _new(cls: Any) -> type:
    if not isinstance(cls, type):
        raise RegistrationError(f"envpickle.register takes a class, not {cls!r}. Register type(instance) instead.")
    if record_of(cls) is not None:
        raise RegistrationError(f"{cls!r} is registered already. Call envpickle.unregister first to say otherwise.")
    return cls


def _call(builder: Builder, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    bound = signature_of(builder).bind(*args, **kwargs)
    bound.apply_defaults()
    return encode_call(builder, bound)


def _entered(box: list[type], builder: Builder, call: Call) -> type:
    """Give the class in ``box`` its call, and the metaclass if it is plain; leave it there if the call has one by then."""
    return construct(builder, call, box.pop, None, _dressed)


def _dressed(builder: Builder, call: Call, box: list[type], owner: Any) -> type:
    name_missing()
    nested = adopt_nested(box[0], builder) if has_kin(box[0]) else None
    if type(box[0]) is type:
        later("makers.by_value").forget(box[0])
    cls = adopt(box, nested or (), counted=False) if type(box[0]) is type else box.pop()
    made = enter(cls, builder, call, owner, nested)
    note(made.__dict__[RECORD])
    return made


def _way(cls: type, by_value: bool | str | None) -> tuple[Builder, Call]:
    """The call that makes a class, or its code.

    Raises:
        RegistrationError: There is none; the message gives each reason.
    """
    if by_value:
        return _as_code(cls, "cloudpickle" if by_value is True else by_value)
    reasons: list[str] = []
    known = _by_plugin_or_maker(cls, reasons)
    if known is not None:
        return known
    if by_value is None:
        try:
            return _as_code(cls, "cloudpickle", asked=False)
        except EnvpickleError as error:
            reasons.append(str(error))
        except ImportError:
            reasons.append("cloudpickle, which writes a class as its own code, is not installed.")
    there = find(cls.__module__, cls.__qualname__)
    raise RegistrationError(
        f"nobody knows how {cls.__module__}.{cls.__qualname__} is made: "
        f"{'no name leads to it' if there is None else f'its name leads to {there!r}'}, no plugin knows it, and no maker "
        f"recognises it. Say how: envpickle.register(cls, builder, ...), with a builder that makes it."
        + "".join(f"\n- {reason}" for reason in reasons)
    )


def _by_plugin_or_maker(cls: type, reasons: list[str]) -> tuple[Builder, Call] | None:
    answer = spec_of(cls)
    if answer is not None:
        return answer[0], _call(*answer)
    for ask in makers_asked(cls):
        try:
            answer = ask()
            call = _verified(cls, *answer) if answer is not None else None
        except EnvpickleError as error:
            if getattr(error, "final", False):  # certainly of this library, and certainly not to be sent
                raise
            if isinstance(error, PluginError):  # to be mended: the class must not go by value meanwhile
                raise
            reasons.append(str(error))
            continue
        if answer is not None and call is not None:
            return answer[0], call
    return None


def _verified(cls: type, builder: Builder, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The call that a maker gave for a class, after making the class once more from it as it will arrive."""
    call = _call(builder, args, kwargs)
    again = _made_again(cls, builder, call)
    if again is cls and builder.module == _SAME_CLASS_AGAIN:
        return call
    if out_of_reach := names_out_of_reach(call):
        raise RegistrationError(
            f"{cls.__qualname__} holds {', '.join(out_of_reach)} of this script, which a child would not find."
        )
    if known_to := later("makers.class_parts").virtual_bases(cls):
        raise RegistrationError(f"{cls.__qualname__} is registered with {known_to[0].__qualname__}, which no call says.")
    if found := unlike(cls, again):
        ours = builder.module.startswith("envpickle.makers.")
        raise RegistrationError(
            f"{cls.__module__}.{cls.__qualname__} looks like what {builder!r} makes, and is not the same: {'; '.join(found)}."
            + ("" if ours else " Objects without an == of their own never are: its plugin can answer from envpickle_spec.")
        )
    return call


def _made_again(cls: type, builder: Builder, call: Call) -> type:
    try:
        made: type = builder.run(*call.arguments())
    except EnvpickleError:
        raise
    except Exception as error:
        raise RegistrationError(
            f"{cls.__qualname__} cannot be made once more by {builder!r}: {type(error).__name__}: {error}. "
            f"Have a builder make it."
        ) from error
    return made


def _as_code(cls: type, tool: str, asked: bool = True) -> tuple[Builder, Call]:
    """The call of :data:`envpickle.by_value` that makes a class, after making it once more."""
    described = [base for base in cls.__mro__[1:-1] if record_of(base) is not None]
    if described and not asked:
        raise RegistrationError(
            f"it derives from {described[0].__qualname__}, which travels as a call. Have a builder make it, or ask for its own "
            f"body to be sent as code: envpickle.register(cls, by_value=True)."
        )
    if not asked and found_by_name(cls) and cls.__module__ not in MAIN:
        raise RegistrationError(
            "its name leads to it here, and nothing in the source of its module says that it will elsewhere. If it will not, "
            "send it as its own code: envpickle.register(cls, by_value=True)."
        )
    texts = later("makers.class_parts").resolve_texts(cls)
    try:
        with _bound(cls):
            return _verified_code(cls, tool)
    except BaseException:
        if texts:
            vars(cls)["__annotations__"].update(texts)
        raise


@contextmanager
def _bound(cls: type) -> Iterator[None]:
    """Let the name of a script's class lead to it, which is being decorated and will have it in a moment."""
    variables = vars(sys.modules["__main__"])
    name = cls.__qualname__
    if cls.__module__ not in MAIN or "." in name or name in variables:
        yield
        return
    variables[name] = cls
    try:
        yield
    finally:
        del variables[name]


def _verified_code(cls: type, tool: str) -> tuple[Builder, Call]:
    """The call of a class's code, after the class was made once more from the same and compared."""
    builder: Builder = later("makers.by_value").by_value
    code_of = later("makers.taking_apart").code_of
    trial = _call(builder, (code_of(cls, tool), sys.version_info[:2], tool), {})
    if found := [text for text in unlike(cls, _made_again(cls, builder, trial)) if text != "the order of its attributes"]:
        raise RegistrationError(
            f"{cls.__qualname__} sent as its own code would come out different: {'; '.join(found)}. Have a builder make it."
        )
    code = code_of(cls, tool, adopted=True)
    if len(code) > MAX_BYTES - 4_096:
        raise RegistrationError(
            f"the code of {cls.__qualname__} and of what it refers to has {len(code)} bytes, and at most {MAX_BYTES - 4_096} "
            f"travel. Keep data out of it: pass a path and read it where the class is used."
        )
    return builder, _call(builder, (code, sys.version_info[:2], tool), {})
