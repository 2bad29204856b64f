"""The second hold of publicly reported troubles; see `reports_first`."""

import abc
import functools
import inspect
import typing
from typing import Any

import envpickle
from harbour import outside
from harbour.reports_first import held


@envpickle.builder
def api_18(methods: list[str]) -> Any:
    body: dict[str, Any] = {m: abc.abstractmethod(lambda self: None) for m in methods}
    body["__annotations__"] = {"server": str}
    api = abc.ABCMeta("Api", (), body)
    api.register(outside.Foreign)
    return api


@envpickle.builder
def local_18(methods: list[str]) -> Any:
    return abc.ABCMeta("LocalApi", (api_18(methods),), {m: (lambda self, m=m: m) for m in methods})


def make_abc_annotated_18() -> Any:
    return held(api_18(["reset", "step"])), held(local_18(["reset", "step"]))


def check_abc_annotated_18(got: Any) -> None:
    api, local = got
    assert local().step() == "step"
    assert isinstance(local(), api)
    assert isinstance(outside.Foreign(), api)
    assert (api.__annotations__, api.__abstractmethods__) == ({"server": str}, {"reset", "step"})


@envpickle.builder
def seeded_19(seed: int) -> type:
    class Env:
        def reset(self) -> str:
            return f"seed {seed}"

    return Env


def make_thunks_19() -> Any:
    return [functools.partial(held(seeded_19(seed))) for seed in (1, 2)]


def check_thunks_19(got: Any) -> None:
    assert [thunk().reset() for thunk in got] == ["seed 1", "seed 2"]
    assert type(got[0]()) is type(got[0]())


@envpickle.builder
def arena_20(tools: list[str]) -> type:
    return type("Arena", (outside.Many,), {t: (lambda self, t=t: t) for t in tools})


def make_generic_ancestor_20() -> Any:
    return held(arena_20(["push"]))()


def check_generic_ancestor_20(got: Any) -> None:
    assert type(got).__bases__ == (outside.Many,)
    assert (got.label, got.agents(), got.whoami(), got.push()) == ("many", ["left", "right"], "grouped", "push")


def _logged(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return "logged " + function(*args)

    return wrapper


@envpickle.builder
def leaf_22(label: str) -> type:
    class Base:
        def __init__(self) -> None:
            self.path = [label]

        @classmethod
        def kind(cls) -> str:
            return "base"

        size = property(lambda self: 1)

    class Leaf(Base):
        def __init__(self) -> None:
            super(Leaf, self).__init__()  # noqa: UP008 - both spellings of super are in the report
            self.path.append("leaf")

        @_logged
        def describe(self) -> str:
            return super().kind() + " " + __class__.__name__  # type: ignore[name-defined]

        @classmethod
        def kind(cls) -> str:
            return "leaf of " + super().kind()

        @property
        def size(self) -> int:
            return super().size + 1

    return Leaf


def make_zero_argument_super_22() -> Any:
    return held(leaf_22("root"))


def check_zero_argument_super_22(got: Any) -> None:
    one = got()
    assert one.path == ["root", "leaf"]
    assert one.describe() == "logged base Leaf"
    assert (got.kind(), one.size) == ("leaf of base", 2)
    assert any(cell.cell_contents is got for cell in got.__init__.__closure__)


KINDS = {"string": str, "array": list[str], "maybe": int | None}


def _tool_27(name: str, about: str, params: dict[str, str]) -> Any:
    keywords = [inspect.Parameter(p, inspect.Parameter.KEYWORD_ONLY, annotation=KINDS[k]) for p, k in params.items()]

    def call(self: Any, **given: Any) -> Any:
        return inspect.Signature(keywords).bind(**given).arguments

    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__name__, call.__doc__ = name, about
    call.__signature__ = inspect.Signature([first, *keywords], return_annotation=dict)  # type: ignore[attr-defined]
    call.__annotations__ = {p: KINDS[k] for p, k in params.items()} | {"return": dict}
    return call


@envpickle.builder
def tooled_27(tools: list[Any]) -> type:
    return type("Shop", (), {tool[0]: _tool_27(*tool) for tool in tools})


def make_tool_schema_27() -> Any:
    return held(tooled_27([["search", "Find goods.\n\nArgs:\n    query: what", {"query": "string", "tags": "array"}]]))


def check_tool_schema_27(got: Any) -> None:
    assert inspect.isfunction(got.search)
    assert list(inspect.signature(got().search).parameters) == ["query", "tags"]
    assert typing.get_type_hints(got.search) == {"query": str, "tags": list[str], "return": dict}
    assert inspect.getdoc(got.search).startswith("Find goods.")
    assert got().search(query="tea", tags=[]) == {"query": "tea", "tags": []}


@envpickle.builder
def tracked_33(size: int) -> type:
    cls = outside.Tracked

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        self.recorded, self.inits = (args, kwargs), getattr(self, "inits", 0) + 1
        cls.__init__(self, *args, **kwargs)

    body = {"__init__": __init__, "tracked": True, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    return type(cls.__name__, (cls,), body)


def make_same_name_wrapper_33() -> Any:
    one = held(tracked_33(4))(size=4)
    one.inits = 10
    return one


def check_same_name_wrapper_33(got: Any) -> None:
    assert isinstance(got, outside.Tracked)
    assert (got.size, got.tracked, got.recorded, got.inits) == (4, True, ((), {"size": 4}), 10)
    assert not hasattr(outside.Tracked, "tracked")


class Symbolic(type):
    """Called with the caller's own arguments, and equal by name."""

    def __new__(mcs, label: str, *, arity: int = 1) -> Any:
        return super().__new__(mcs, label, (), {"arity": arity})

    def __init__(cls, label: str, *, arity: int = 1) -> None:
        super().__init__(label, (), {})

    def __eq__(cls, other: Any) -> bool:
        return isinstance(other, Symbolic) and (cls.__name__, cls.arity) == (other.__name__, other.arity)

    def __hash__(cls) -> int:
        return hash((cls.__name__, cls.arity))


@envpickle.builder
def symbol_35(label: str, arity: int) -> Any:
    return Symbolic(label, arity=arity)


def make_odd_metaclass_35() -> Any:
    cls = held(symbol_35("f", 2))
    return cls, cls()


def check_odd_metaclass_35(got: Any) -> None:
    assert (got[0].arity, got[0].__name__, type(got[1])) == (2, "f", got[0])
    assert got[0] == symbol_35("f", 2)
