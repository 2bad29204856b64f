"""A hold (see `voyage.trip`) of structs that msgspec made at run time."""

from typing import Annotated, Any, Literal

import msgspec

import envpickle


class Base(msgspec.Struct, tag="base", frozen=True):
    """A base with options of its own."""

    weight: int = 1

    def heavy(self) -> bool:
        return self.weight > 10


def _fields() -> Any:
    return [
        ("item", str),
        ("count", int, 3),
        ("tags", list[str], msgspec.field(default_factory=list)),
        ("size", Literal["s", "m"] | None, None),
        ("unit_price", float, msgspec.field(default=0.5, name="price")),
    ]


def _is_right(kind: Any) -> None:
    made = msgspec.json.decode(b'{"item": "tea", "tags": ["a"], "price": 2}', type=kind)
    assert made == kind(item="tea", tags=["a"], unit_price=2.0)
    assert (made.count, made.size) == (3, None)
    assert kind(item="x").tags is not kind(item="x").tags
    for wrong in (b'{"item": 1}', b'{"item": "tea", "size": "xl"}'):
        try:
            msgspec.json.decode(wrong, type=kind)
        except msgspec.ValidationError:
            continue
        raise AssertionError(f"{wrong!r} was taken")


def make_struct() -> Any:
    return envpickle.register(msgspec.defstruct("Order", _fields(), namespace={"__doc__": "An order."}))


def check_struct(got: Any) -> None:
    _is_right(got)
    assert got.__doc__ == "An order."


def make_options() -> Any:
    options: Any = {"kw_only": True, "tag": "order", "tag_field": "kind", "order": True, "weakref": True}
    return envpickle.register(msgspec.defstruct("Options", [("a", int, 1)], omit_defaults=True, **options))


def check_options(got: Any) -> None:
    assert msgspec.json.encode(got(a=2)) == b'{"kind":"order","a":2}'
    assert got(a=1) < got(a=2)
    try:
        got(1)
    except TypeError:
        return
    raise AssertionError("it takes arguments by position")


def make_derived() -> Any:
    return envpickle.register(msgspec.defstruct("Derived", [("label", str, "x")], bases=(Base,), frozen=True))


def check_derived(got: Any) -> None:
    assert issubclass(got, Base)
    assert got(weight=11).heavy()
    assert msgspec.json.encode(got()) == b'{"type":"base","weight":1,"label":"x"}'


def make_constrained() -> Any:
    return envpickle.register(msgspec.defstruct("Constrained", [("a", Annotated[int, msgspec.Meta(gt=0, title="A")])]))


def check_constrained(got: Any) -> None:
    assert msgspec.json.schema(got)["$defs"]["Constrained"]["properties"]["a"]["title"] == "A"
    try:
        msgspec.json.decode(b'{"a": 0}', type=got)
    except msgspec.ValidationError:
        return
    raise AssertionError("the constraint is gone")


def make_unset() -> Any:
    return envpickle.register(msgspec.defstruct("Unset", [("a", int | msgspec.UnsetType, msgspec.UNSET)]))


def check_unset(got: Any) -> None:
    assert got().a is msgspec.UNSET
    assert msgspec.json.encode(got()) == b"{}"


def make_instance() -> Any:
    return envpickle.register(msgspec.defstruct("Instance", _fields(), frozen=True))(item="tea", tags=["a"])


def check_instance(got: Any) -> None:
    assert (got.item, got.tags, got.count) == ("tea", ["a"], 3)
    _is_right(type(got))


def home_instance(sent: Any, back: Any) -> None:
    assert back == sent
