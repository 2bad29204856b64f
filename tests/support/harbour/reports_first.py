"""The first hold of publicly reported troubles with run-time classes, each in the shape of its report, with a builder in it.

The numbers are those of the table in `tests/reports/test_reports.py`, which names the sources. What is one class of a
library's maker in the report is made here inside a user's own builder.
"""

import threading
import types
import typing
from typing import Any

import envpickle
from harbour import outside

KEPT: list[Any] = []


def held(cls: Any) -> Any:
    """Keep a class for the length of the program, as a user's module would."""
    KEPT.append(cls)
    return cls


@envpickle.builder
def base_of_02(timeout: int) -> type:
    return type("RemoteEnv", (), {"timeout": timeout})


@envpickle.builder
def child_of_02(timeout: int) -> type:
    return type("PinnedEnv", (base_of_02(timeout),), {"timeout": timeout})


def make_same_value_override_02() -> Any:
    return held(base_of_02(30)), held(child_of_02(30))


def check_same_value_override_02(got: Any) -> None:
    base, child = got
    assert child.__mro__[1] is base
    assert vars(child)["timeout"] == 30


@envpickle.builder
def shop_03(name: str, server: str, tools: list[str]) -> type:
    def body(namespace: dict[str, Any]) -> None:
        for tool in tools:
            namespace[tool] = lambda self, item, tool=tool: f"{tool} {item} at {self.server}"

    return types.new_class(name, (outside.Remote,), {"server": server, "metaclass": envpickle.RuntimeType}, body)


def make_init_subclass_keyword_03() -> Any:
    return held(shop_03("Shop", "http://localhost", ["buy", "look"]))


def check_init_subclass_keyword_03(got: Any) -> None:
    assert got.server == "http://localhost"
    assert got().look("tea") == "look tea at http://localhost"


class OnePerKey(type):
    """A metaclass that gives each class a lock and a table of live instances."""

    def __init__(cls, name: str, bases: Any, namespace: Any) -> None:
        super().__init__(name, bases, namespace)
        cls.lock, cls.live = threading.RLock(), {}

    def __call__(cls, key: str) -> Any:
        with cls.lock:
            return cls.live.setdefault(key, super().__call__(key))


@envpickle.builder
def client_06(name: str, path: str) -> Any:
    def __init__(self: Any, key: str) -> None:
        self.key, self.guard = key, threading.Lock()

    body = {"path": path, "__init__": __init__, "__envpickle_state__": ("lock", "live")}
    return OnePerKey(name, (), body)


def make_metaclass_lock_06() -> Any:
    cls = held(client_06("Client", "/reset"))
    cls("a")
    return cls


def check_metaclass_lock_06(got: Any) -> None:
    assert (type(got), got.path, got.live) == (OnePerKey, "/reset", {})
    assert got("b") is got("b")
    assert got.lock.acquire(timeout=1)


@envpickle.builder
def shop_07(kinds: list[str]) -> type:
    body = {}
    for kind in kinds:
        ident = typing.NewType(kind, int)

        def get(self: Any, key: Any) -> Any:
            return key

        get.__annotations__ = {"key": ident, "return": ident}
        body["get_" + kind.lower()] = get
    return type("Shop", (), body)


def make_newtype_annotation_07() -> Any:
    return held(shop_07(["OrderId", "UserId"]))


def check_newtype_annotation_07(got: Any) -> None:
    key = got.get_userid.__annotations__["key"]
    assert (key.__name__, key.__supertype__) == ("UserId", int)
    assert got().get_userid(4) == 4


@envpickle.builder
def shop_08(name: str) -> type:
    return types.new_class(name, (outside.Counted,), {"metaclass": envpickle.RuntimeType}, lambda ns: ns.update(buy=_buy))


def _buy(self: Any) -> str:
    return "buy"


def make_registry_duplicate_08() -> Any:
    return held(shop_08("Shop"))()


def check_registry_duplicate_08(got: Any) -> None:
    assert list(outside.Counted.known.values()) == [type(got)]
    assert got.buy() == "buy"


def home_registry_duplicate_08(sent: Any, back: Any) -> None:
    check_registry_duplicate_08(back)


@envpickle.builder
def result_09(fields: list[str]) -> type:
    def __init__(self: Any, *values: Any) -> None:
        self.__dict__.update(zip(fields, values, strict=True))

    return type("Result", (), {"__init__": __init__})


def make_nested_identity_09() -> Any:
    cls = held(result_09(["reward", "done"]))
    return {"steps": [cls(1.0, False), cls(2.0, True)]}


def check_nested_identity_09(got: Any) -> None:
    first, second = got["steps"]
    assert type(first) is type(second)
    assert (first.reward, second.done) == (1.0, True)


def home_nested_identity_09(sent: Any, back: Any) -> None:
    assert isinstance(back["steps"][0], type(sent["steps"][0]))


class WithParams(type):
    """Takes a key out of the class body, and makes a second class of it."""

    def __new__(mcs, name: str, bases: Any, namespace: Any) -> Any:
        params = dict(namespace.pop("params", ()))
        cls = super().__new__(mcs, name, bases, namespace)
        cls.params = type(name + "Params", (), params)
        return cls


@envpickle.builder
def strategy_10(name: str, params: dict[str, int]) -> Any:
    return WithParams(name, (), {"params": params, "kind": "strategy"})


def make_namespace_eating_metaclass_10() -> Any:
    return held(strategy_10("Cross", {"fast": 5, "slow": 20}))


def check_namespace_eating_metaclass_10(got: Any) -> None:
    assert (type(got), got.params.fast, got.params.slow, got.kind) == (WithParams, 5, 20, "strategy")
    assert got.params.__name__ == "CrossParams"
