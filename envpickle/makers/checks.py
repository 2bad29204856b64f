"""What a maker takes from a descriptor, which is hostile until proven: names, annotations and callables, each looked at first.

A maker hands what it was given to a library that may build source text of names, evaluate text in annotations, or call what it
finds in them while the class is being made. So names are identifiers, annotations hold types alone and no text, and the only
callables are functions and classes that are stored for later. Of the standard library's those few that do no more than make a
value, since ``os.system`` is a function as well.
"""

import sys
import typing
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from keyword import iskeyword
from pathlib import PurePath
from types import FunctionType, GenericAlias, TracebackType, UnionType
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from ..classes import RECORD, is_dunder
from ..errors import DescriptorError, EnvpickleError, RegistrationError

_MAKE_VALUES = frozenset((
    "builtins:bool", "builtins:bytearray", "builtins:bytes", "builtins:complex", "builtins:dict", "builtins:float",
    "builtins:frozenset", "builtins:int", "builtins:list", "builtins:object", "builtins:set", "builtins:str",
    "builtins:tuple", "array:array", "collections:Counter", "collections:OrderedDict", "collections:defaultdict",
    "collections:deque", "decimal:Decimal", "fractions:Fraction", "datetime:date", "datetime:datetime", "datetime:time",
    "datetime:timedelta", "pathlib:Path", "pathlib:PurePath", "pathlib:PurePosixPath", "pathlib:PureWindowsPath",
    "uuid:UUID", "uuid:uuid1", "uuid:uuid4", "time:time", "time:time_ns", "time:monotonic",
))  # fmt: skip
_DEEPEST = 64
MOST_FIELDS = 1_024
_VALUES = (
    bool, int, float, complex, str, bytes, type(None), Decimal, Fraction, date, datetime, time, timedelta, timezone, ZoneInfo,
    UUID, range, slice,
)  # fmt: skip
Metadata = Callable[[Any], str]


class Making:
    """Stands around a maker's work: whatever a library says to arguments it cannot use becomes one of our own errors."""

    def __init__(self, maker: str) -> None:
        self.maker = maker

    def __enter__(self) -> Callable[[str], None]:
        return self.refuse

    def refuse(self, why: str) -> None:
        """Refuse the arguments if there is a reason to."""
        if why:
            raise DescriptorError(
                f"{self.maker} makes no class of these arguments: {why}. Register the class anew where it was made, with the "
                f"versions of envpickle and of the library that are here; bytes from elsewhere are not to be trusted.",
                why=why,
            )

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, Exception) and not isinstance(error, EnvpickleError):
            try:
                self.refuse(f"{type(error).__name__}: {error}"[:400])
            except DescriptorError as ours:
                raise ours from error


def cannot(cls: type, why: str, instead: str) -> RegistrationError:
    """The refusal of a class that a recogniser knows, and knows that it cannot travel; nobody else is asked after that."""
    return RegistrationError(f"{cls.__module__}.{cls.__qualname__} cannot be registered: {why}. {instead}", final=True)


def own_body(cls: type) -> dict[str, Any]:
    """What a class has of its own, less what envpickle put there when it was registered."""
    return {name: value for name, value in cls.__dict__.items() if name != RECORD and not _is_ours(name, value)}


def _is_ours(name: str, value: Any) -> bool:
    function = getattr(value, "__func__", value)
    home = getattr(function, "__globals__", {}).get("__name__", "")
    return is_dunder(name) and home in ("envpickle.classes", "envpickle.instances", "envpickle.ownership")


def why_no_name(*names: Any) -> str:
    """Why these are not all plain names; empty if they are."""
    for name in names:
        if type(name) is not str or len(name) > 256 or not name.isascii() or not name.isidentifier() or iskeyword(name):
            return f"{str(name)[:40]!a} is no ASCII identifier"
        if is_dunder(name):
            return f"{name[:40]!a} is a special name"
    return ""


def why_no_type(annotation: Any, metadata: Metadata | None = None, depth: int = 0) -> str:
    """Why something is no annotation that only speaks of types; empty if it is one.

    Args:
        annotation: The annotation.
        metadata: Says why an item beside a type in ``Annotated`` is refused, empty if it is not; without it all are.
        depth: How deep it lies.
    """
    if depth > _DEEPEST:
        return "an annotation is nested too deep"
    if isinstance(annotation, str | typing.ForwardRef):
        return f"the annotation {str(annotation)[:40]!a} is text, which a library would evaluate"
    if isinstance(annotation, typing.TypeVar):
        bound = [annotation.__bound__, *annotation.__constraints__]
        return _first(why_no_type(item, metadata, depth + 1) for item in bound)
    if isinstance(annotation, typing.NewType):
        return why_no_type(annotation.__supertype__, metadata, depth + 1)
    origin = typing.get_origin(annotation)
    if origin is not None:
        return _why_no_alias(annotation, origin, metadata, depth)
    if annotation is None or annotation is ... or isinstance(annotation, type):
        return ""
    if type(annotation) is list:  # the parameters in Callable[[...], ...]
        return _first(why_no_type(item, metadata, depth + 1) for item in annotation)
    if type(annotation).__module__ in ("typing", "typing_extensions"):  # Any, Self, a bare List
        return ""
    return f"a {type(annotation).__module__}.{type(annotation).__qualname__} stands where a type belongs"


def _why_no_alias(annotation: Any, origin: Any, metadata: Metadata | None, depth: int) -> str:
    args = typing.get_args(annotation)
    if origin is typing.Literal:
        plain = (str, bytes, int, bool, type(None))
        bad = next((arg for arg in args if type(arg) not in plain and not isinstance(arg, Enum)), None)
        return "" if bad is None else f"a {type(bad).__qualname__} is no literal"
    if origin is typing.Annotated:
        beside = (metadata(item) if metadata else "it has metadata" for item in args[1:])
        return why_no_type(args[0], metadata, depth + 1) or _first(beside)
    if not isinstance(origin, type) and type(origin).__module__ not in ("typing", "typing_extensions"):
        return f"a {type(origin).__qualname__} is parametrised where a type belongs"
    known = isinstance(annotation, GenericAlias | UnionType) or type(annotation).__module__ in ("typing", "typing_extensions")
    if not known and type(annotation).__module__ != "collections.abc":  # the alias of a Callable
        return f"a {type(annotation).__qualname__} stands where a type belongs"
    return _first(why_no_type(arg, metadata, depth + 1) for arg in args)


def why_no_callable(value: Any) -> str:
    """Why a library shall not keep something to call it later; empty if it may: a function or a class found by its name."""
    name = _name_of(value)
    if not isinstance(value, type | FunctionType) and name not in _MAKE_VALUES:
        return f"a {type(value).__qualname__} is kept to be called, and only a function or class may be"
    if name.partition(":")[0].partition(".")[0] in sys.stdlib_module_names and name not in _MAKE_VALUES:
        return f"{name} of the standard library is kept to be called, which may do more than make a value"
    return ""


def why_not_plain(value: Any, depth: int = 0) -> str:
    """Why something is not made of plain values alone, none of which can be called; empty if it is."""
    if depth > _DEEPEST:
        return "a value is nested too deep"
    if type(value) in (list, tuple, set, frozenset):
        return _first(why_not_plain(item, depth + 1) for item in value)
    if type(value) is dict:
        return _first(why_not_plain(item, depth + 1) for pair in value.items() for item in pair)
    if type(value) in _VALUES or isinstance(value, Enum | PurePath):
        return ""
    return f"{getattr(value, '__qualname__', f'a {type(value).__qualname__}')} stands where plain values belong"


def why_no_attribute(value: Any) -> str:
    """Why something may not be an attribute of a class that is made; empty if it may.

    Python calls the ``__set_name__`` of an attribute while it makes the class.
    """
    if callable(value):
        return why_no_callable(value)
    return f"a {type(value).__qualname__} has a __set_name__" if hasattr(type(value), "__set_name__") else ""


def why_no_base(base: Any, of: str, *metaclasses: type) -> str:
    """Why a class may not be the base of one that is made; empty if it may.

    Args:
        base: The class.
        of: Top package of the library that makes the class: what its own classes do for theirs is its affair.
        *metaclasses: What its metaclass may be. Any other would run when the class is made.
    """
    if type(base) not in metaclasses or issubclass(base, type):
        return f"{base!r} is no class that this maker derives from, or its metaclass would do as it likes"
    for cls in base.__mro__:
        hooks = [name for name in ("__init_subclass__", "__pydantic_init_subclass__") if name in cls.__dict__]
        if hooks and cls.__module__.partition(".")[0] not in (of, "builtins", "typing"):
            return f"the base {cls.__qualname__} has an {hooks[0]}, which would run for every class that is made"
    return ""


def why_no_pair(default: Any, function: Any) -> str:
    """Why a default may not go with a function that it is handed to when an instance is made; empty if it may.

    The descriptor would choose both, and some functions run what they are handed. A number can do no harm.
    """
    if type(default) in (type(None), bool, int, float) or _name_of(function) in _MAKE_VALUES:
        return ""
    return f"its default would be handed to {_name_of(function)}, and a descriptor may not choose both: use a factory"


def why_too_many(count: int) -> str:
    """Why so many fields are refused; empty if they are not: some libraries take the square of their number to make a class."""
    return f"it has {count} fields, and at most {MOST_FIELDS} may travel" if count > MOST_FIELDS else ""


def _name_of(value: Any) -> str:
    return f"{getattr(value, '__module__', '?')}:{getattr(value, '__qualname__', '?')}"


def _first(reasons: typing.Iterable[str]) -> str:
    return next((reason for reason in reasons if reason), "")
