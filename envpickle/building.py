"""A call of a builder on the side that makes it: bind the arguments, encode them, look the call up."""

import inspect
import os
from typing import Any, TypeVar

from .changes import note
from .classes import record_of
from .errors import NotPlainData
from .payload import Call, Part, intern
from .plain import encode
from .refusals import no_builder
from .runtime import Builder, construct

Error = TypeVar("Error", bound=Exception)
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)


def call(builder: Builder, args: tuple[Any, ...], kwargs: dict[str, Any], owner: Any = None) -> type:
    """Return the class of a call, building it unless it lives.

    Arguments that are not plain data do not disturb those who use the class in this process: it is built, and pickling it
    raises :class:`~envpickle.errors.NotPlainData`.
    """
    if not isinstance(builder, Builder):
        raise no_builder(builder)
    try:
        bound = signature_of(builder).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{builder.qualname}(): {error}") from None
    bound.apply_defaults()
    try:
        encoded, refusal = encode_call(builder, bound, owner), None
    except NotPlainData as error:
        encoded, refusal = Call(builder.module, builder.qualname, builder.script, None, 0, [], []), forget_frames(error)
        encoded.key = os.urandom(16)  # equal to no other call
    cls = construct(builder, encoded, lambda: builder.fn(*bound.args, **bound.kwargs), owner)
    record = record_of(cls)
    assert record is not None, "a class that construct returns has a record"
    if record.head is None and not record.noted:
        note(record)
    if refusal is not None:
        record.refusal = refusal
    return cls


def signature_of(builder: Builder) -> inspect.Signature:
    """The signature of a builder's function, read once."""
    known: inspect.Signature | None = builder.__dict__.get("_signature")
    if known is None:
        known = builder.__dict__["_signature"] = inspect.signature(builder.fn)
    return known


def encode_call(builder: Builder, bound: inspect.BoundArguments, owner: Any = None) -> Call:
    """Encode bound arguments: by name wherever the signature allows it, so that one call has one encoding."""
    positional, by_name = _split(bound)
    values = [_part(builder, name, value) for name, value in positional]
    values += [_part(builder, name, value) for name, value in by_name.items()]
    key = owner.key if owner is not None else None
    return Call(builder.module, builder.qualname, builder.script, key, len(positional), list(by_name), values)


def forget_frames(error: Error) -> Error:
    """Let an error that is kept hold neither frames nor what was in them."""
    error.__traceback__ = error.__context__ = error.__cause__ = None
    return error


def _part(builder: Builder, name: str, value: Any) -> Part:
    return intern(encode(builder.qualname, name, value))


def _split(bound: inspect.BoundArguments) -> tuple[list[tuple[str, Any]], dict[str, Any]]:
    parameters = bound.signature.parameters
    starred = any(bound.arguments.get(n) for n, p in parameters.items() if p.kind is inspect.Parameter.VAR_POSITIONAL)
    positional: list[tuple[str, Any]] = []
    by_name: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            positional += [(f"*{name}[{index}]", item) for index, item in enumerate(value)]
        elif kind in _BY_POSITION or (starred and kind is inspect.Parameter.POSITIONAL_OR_KEYWORD):
            positional.append((name, value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            by_name.update(value)
        else:
            by_name[name] = value
    return positional, by_name
