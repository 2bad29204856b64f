"""Plain data: every kind travels exactly, nothing is flattened, and what may not travel is refused with its path."""

import collections
import gc
import pickle
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harbour import cargo, docks, modelled
from voyage.values import STANDARD, same

import envpickle
from envpickle import errors


def travelled(value: Any) -> Any:
    """The value as a builder gets it in a process where the class is not there."""
    data = envpickle.describe(docks.lighthouse(value)).to_bytes()
    gc.collect()
    docks.reset_runs()
    cls: Any = envpickle.rebuild(data)
    assert docks.RUNS == ["lighthouse"]
    assert envpickle.describe(cls).to_bytes() == data
    return cls.value()


@pytest.mark.parametrize("kind", STANDARD)
def test_every_kind_travels_exactly(kind: str) -> None:
    """Type, order, sign and content of each kind are kept, alone and inside other containers."""
    value = STANDARD[kind]

    assert same(travelled(value), value)
    assert same(travelled({"in": [(value, {"deep": value})]}), {"in": [(value, {"deep": value})]})


@pytest.mark.parametrize("kind", STANDARD)
def test_every_kind_survives_the_json_view(kind: str) -> None:
    """A spec read back from its JSON view is the same spec."""
    spec = envpickle.describe(docks.lighthouse(STANDARD[kind]))

    again = envpickle.Spec.from_json(spec.to_json())
    assert again == spec
    assert hash(again) == hash(spec)
    assert again.to_bytes() == spec.to_bytes()


RECORDS = {
    "attrs": lambda: cargo.Attred(3, "q"),
    "attrs frozen": lambda: cargo.AttredFrozen(4),
    "msgspec": lambda: modelled.Spec(1, [2, 3]),
    "msgspec frozen": lambda: modelled.FrozenSpec(5),
    "pydantic": lambda: modelled.Model(x=1, y={"a": (1,)}),
    "pydantic with partial fields set": lambda: modelled.Model(x=2),
}


@pytest.mark.parametrize("kind", RECORDS)
def test_records_of_other_libraries_travel(kind: str) -> None:
    """Instances of attrs, msgspec and pydantic classes come back equal and of their class."""
    value = RECORDS[kind]()
    back = travelled([value])[0]

    assert type(back) is type(value)
    assert back == value
    assert getattr(back, "model_fields_set", None) == getattr(value, "model_fields_set", None)


def test_records_are_not_made_again() -> None:
    """Fields are restored, without running `__init__`, `__post_init__` or validators again."""
    fixed, model = cargo.Fixed("once"), modelled.Model(x=9)
    cargo.POST_INITS.clear()
    modelled.VALIDATED.clear()

    assert travelled([fixed, model]) == [fixed, model]
    assert (cargo.POST_INITS, modelled.VALIDATED) == ([], [])


def test_built_classes_travel_as_arguments() -> None:
    """A built class in the arguments of another is rebuilt by its own builder, and is the same class there."""
    inner = docks.dock(["inside"])
    got = travelled({"env": inner, "more": [inner]})
    assert got == {"env": inner, "more": [inner]}

    data = envpickle.describe(docks.lighthouse([docks.dock(["gone"]), docks.yard(3)])).to_bytes()
    gc.collect()
    dock, yard = envpickle.rebuild(data).value()  # type: ignore[attr-defined]
    assert dock is docks.dock(["gone"])
    assert yard is docks.yard(3)


def test_a_secret_travels_as_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret's value is in no bytes, no JSON, no repr; where the variable is missing, using it says which."""
    monkeypatch.setenv("HARBOUR_TOKEN", "s3cr3t-value")
    secret = envpickle.Secret("HARBOUR_TOKEN")
    cls = docks.lighthouse([secret])
    spec = envpickle.describe(cls)

    assert secret.resolve() == "s3cr3t-value"
    for text in (repr(secret), str(secret), repr(spec), str(spec.to_json()), repr(spec.to_bytes()), repr(pickle.dumps(cls))):
        assert "s3cr3t" not in text
    back = travelled([secret, "other"])[0]
    assert back == secret
    assert hash(back) == hash(secret)
    monkeypatch.delenv("HARBOUR_TOKEN")
    with pytest.raises(errors.SecretMissing, match="HARBOUR_TOKEN"):
        back.resolve()


def test_an_argument_is_taken_as_it_is_when_built() -> None:
    """Changing a list, or what is in it, after the class was built changes nothing that is sent."""
    tools: list[Any] = [{"name": "lift", "tags": [1]}]
    cls = docks.lighthouse(tools)
    tools[0]["tags"].append(2)
    tools.append("more")

    payload = pickle.dumps(cls)
    assert envpickle.describe(cls).arguments["value"] == [{"name": "lift", "tags": [1]}]
    assert docks.lighthouse([{"name": "lift", "tags": [1]}]) is cls
    del cls
    gc.collect()
    assert pickle.loads(payload).value() == [{"name": "lift", "tags": [1]}]


def test_arguments_are_bound_with_their_defaults() -> None:
    """A spec shows all arguments by name, defaults and stars included."""
    assert dict(envpickle.describe(docks.dock(["a"])).arguments) == {"tools": ["a"], "server": "sea", "size": 1}
    shown = envpickle.describe(docks.fleet("x", "y", one=1)).arguments
    assert list(shown.values()) == ["x", "y", "plain", 1]
    assert (shown["flag"], shown["one"]) == ("plain", 1)


class Local:
    """A class of a test, which no other process finds."""


def _circle() -> Any:
    circle: list[Any] = [1]
    circle.append({"again": circle})
    return circle


def _dict_circle() -> Any:
    circle: dict[str, Any] = {}
    circle["me"] = circle
    return circle


def _record_circle() -> Any:
    point = cargo.Point(1)
    point.y = [point]
    return point


REFUSED: dict[str, Callable[[], Any]] = {
    "lambda": lambda: lambda: 1,
    "local function": lambda: travelled_locally(),
    "lock": threading.Lock,
    "socket": socket.socket,
    "open file": lambda: Path(__file__).open(),  # noqa: SIM115 - closed by `close`
    "generator": lambda: (i for i in ()),
    "iterator": lambda: iter([1]),
    "module": lambda: threading,
    "opaque instance": cargo.Opaque,
    "bound method": lambda: cargo.Holder().method,
    "object": object,
    "list subclass": lambda: cargo.MyList([1]),
    "dict subclass": lambda: cargo.MyDict(a=1),
    "int subclass": lambda: cargo.MyInt(1),
    "str subclass": lambda: cargo.MyStr("a"),
    "tuple subclass": lambda: cargo.MyTuple((1,)),
    "named tuple": lambda: cargo.Pair(1, 2),
    "OrderedDict subclass": cargo.MyOrdered,
    "defaultdict": lambda: collections.defaultdict(list, a=[1]),
    "deque": lambda: collections.deque([1]),
    "Counter": lambda: collections.Counter("a"),
    "memoryview": lambda: memoryview(b"x"),
    "local class": lambda: type("Local", (), {}),
    "exception": lambda: ValueError("x"),
    "list cycle": _circle,
    "dict cycle": _dict_circle,
    "record cycle": _record_circle,
    "runtime subclass": lambda: type("Sub", (docks.dock(["x"]),), {}),
    "instance of a built class": lambda: docks.dock(["x"])(),
}


def travelled_locally() -> Any:
    def local() -> None: ...

    return local


def close(value: Any) -> None:
    if hasattr(value, "close") and not isinstance(value, type):
        value.close()


@pytest.mark.parametrize("what", REFUSED)
def test_anything_else_is_refused_when_pickled_and_not_when_built(what: str) -> None:
    """The class works at home; pickling and describing it names builder, path and type, and the copy is left out."""
    value = REFUSED[what]()
    cls: Any = docks.lighthouse({"a": [1, {"b": value}]})
    assert cls.value()["a"][1]["b"] is value

    for attempt in (lambda: pickle.dumps(cls), lambda: pickle.dumps([cls()]), lambda: envpickle.describe(cls).to_bytes()):
        with pytest.raises(errors.NotPlainData) as caught:
            attempt()
        assert caught.value.path.startswith('lighthouse(value=["a"][1]["b"]')
        assert caught.value.path in str(caught.value)
    close(value)


HINTS = {
    "lambda": "module level|importable|def ",
    "lock": "process|make|create|builder",
    "socket": "connect|process|address",
    "list subclass": "list",
    "opaque instance": "Opaque",
    "list cycle": "itself|cycle|circular",
    "instance of a built class": "class|instance",
}


@pytest.mark.parametrize("what", HINTS)
def test_a_refusal_gives_a_hint(what: str) -> None:
    """The common ones are told what to do instead."""
    value = REFUSED[what]()
    with pytest.raises(errors.NotPlainData, match=HINTS[what]):
        pickle.dumps(docks.lighthouse(value))
    close(value)


def test_two_unplain_calls_do_not_share_a_class() -> None:
    """Calls whose arguments cannot be compared give two classes, each with its own argument."""
    one, two = docks.lighthouse([object()]), docks.lighthouse([object()])

    assert one is not two
    assert one.value()[0] is not two.value()[0]


def test_a_dict_key_is_in_the_path() -> None:
    """A value that is refused as a key is found too."""
    cls = docks.lighthouse({cargo.MyStr("k"): 1})
    with pytest.raises(errors.NotPlainData, match="MyStr"):
        pickle.dumps(cls)


@pytest.mark.parametrize("value", [{"x": 1}, [1, 2], ("a",), {1, 2}, {"a": [{"b": {"c": (1, [2])}}]}])
def test_what_is_shared_arrives_as_values(value: Any) -> None:
    """The same list twice in the arguments arrives as equal values."""
    back = travelled([value, value])

    assert back == [value, value]
