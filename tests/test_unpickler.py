"""The allow-listed unpickler: what it lets through, by which names, and how it says no."""

import collections
import datetime
import decimal
import fractions
import io
import pathlib
import pickle
import uuid
import zoneinfo
from typing import Any

import pytest
from harbour import cargo, docks, instances, kin

import envpickle
from envpickle import errors

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
HOUR = datetime.timezone(datetime.timedelta(hours=1), "hour")
PLAIN: list[Any] = [
    None,
    True,
    1,
    2**100,
    -(2**200),
    1.5,
    "x",
    "\ud800",
    b"y",
    b"",
    bytearray(b"z"),
    bytearray(),
    [1, [2]],
    (1, (2,)),
    {"a": {1: 2}},
    {1, 2},
    frozenset([1, (2, 3)]),
    1j,
    range(3),
    slice(1, 2),
    collections.OrderedDict(a=1),
    collections.deque([1], 3),
    collections.defaultdict(list, a=[1]),
    collections.Counter("aab"),
    datetime.date(2020, 1, 2),
    datetime.time(1, 2, tzinfo=HOUR),
    datetime.datetime(2020, 1, 2),
    datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC),
    datetime.timedelta(1, 2, 3),
    datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
    decimal.Decimal("1.50"),
    fractions.Fraction(-1, 3),
    uuid.UUID(int=7),
    pathlib.Path("/a/b"),
    pathlib.PurePosixPath("a/b"),
    pathlib.PureWindowsPath("c:/x"),
]
DOCK = ["harbour.docks:dock"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("value", PLAIN, ids=lambda value: f"{type(value).__name__}_{str(value)[:12]!a}")
def test_plain_data_needs_no_permission(value: Any, protocol: int) -> None:
    found = envpickle.loads(pickle.dumps(value, protocol), allow=[])
    assert type(found) is type(value)
    assert found == value


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_run_time_class_and_its_instances_by_the_builders_name(protocol: int) -> None:
    """One name allows the class, in lists, twice, and with instances that have a state."""
    cls: Any = docks.dock(["lift"])
    instance = cls()
    instance.cargo = [1, cls]
    data = pickle.dumps({"class": cls, "all": [cls, instance]}, protocol)

    found = envpickle.loads(data, allow=DOCK)
    assert found["class"] is found["all"][0] is cls
    assert type(found["all"][1]) is cls
    assert found["all"][1].cargo == [1, cls]
    with pytest.raises(errors.UnsafePickle, match=r"names harbour\.docks:dock") as caught:
        envpickle.loads(data, allow=["harbour.docks:other", "harbour.docks"[:7] + ":docks"])
    assert caught.value.names == tuple(DOCK)


def test_every_name_in_a_descriptor_must_be_on_the_list() -> None:
    """The builder's, that of a function among its arguments, and those of a class among them."""
    cls = docks.lighthouse([docks.dock(["lift"]), docks.make_method])
    needed = ["harbour.docks:lighthouse", "harbour.docks:dock", "harbour.docks:make_method"]

    assert envpickle.loads(pickle.dumps(cls), allow=needed) is cls
    for missing in needed:
        with pytest.raises(errors.NotAllowed, match=missing):
            envpickle.loads(pickle.dumps(cls), allow=set(needed) - {missing})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_listed_classes_with_states_slots_and_items(protocol: int) -> None:
    """Instances of importable classes that are listed: a dataclass, an enum member, a list and a dict of their own."""
    values = [cargo.Point(1, 2), cargo.Colour.RED]
    names = ["harbour.cargo:Point", "harbour.cargo:Colour"]
    data = pickle.dumps(values, protocol)

    assert envpickle.loads(data, allow=names) == values
    with pytest.raises(errors.NotAllowed, match="Colour"):
        envpickle.loads(data, allow=names[:1])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_exceptions_made_at_run_time(protocol: int) -> None:
    cls: Any = instances.error("Aground", ["where", "depth"])
    data = pickle.dumps(cls("reef", 3), protocol)
    found = envpickle.loads(data, allow=["harbour.instances:error"])

    assert (type(found), found.where, found.depth) == (cls, "reef", 3)
    with pytest.raises(errors.NotAllowed):
        envpickle.loads(data, allow=[])


def test_members_and_nested_classes_of_built_classes() -> None:
    """They travel through getattr, which gives these and nothing else here."""
    crane: Any = kin.crane("tall")
    action: Any = instances.actions(["LIFT", "DROP"])

    for value in (crane.Hook, crane.Hook.Pin):
        assert envpickle.loads(pickle.dumps(value), allow=["harbour.kin:crane"]) is value
        assert type(envpickle.loads(pickle.dumps(value()), allow=["harbour.kin:crane"])) is value
    assert envpickle.loads(pickle.dumps([action.LIFT, action]), allow=["harbour.instances:actions"]) == [action.LIFT, action]


KINDS: dict[str, Any] = {
    "slotted": lambda: _with(instances.slotted(["a", "b"])(), a=1, b=[2]),
    "stated": lambda: instances.stated("name")(),
    "fair": lambda: _with(instances.fair("x")("y"), other=1),
    "row": lambda: instances.row(["a", "b"])(1, 2),
    "record": lambda: instances.record(["a"], True)(5),
    "own_reduce": lambda: instances.own_reduce("x")(4),
    "linked": lambda: instances.linked("x")(),
    "reach": lambda: instances.reach(1.0, True)(2.0),
}


def _with(instance: Any, **state: Any) -> Any:
    for name, value in state.items():
        setattr(instance, name, value)
    return instance


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_instances_of_every_kind(kind: str, protocol: int) -> None:
    """Slots, a state of their own, reducers, named tuples, frozen dataclasses, circles: by the builder's name alone."""
    value = KINDS[kind]()
    found = envpickle.loads(pickle.dumps(value, protocol), allow=[f"harbour.instances:{kind}"])
    assert type(found) is type(value)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", ["list", "dict", "set", "tuple", "str", "int"])
def test_instances_that_are_containers_texts_and_numbers(kind: str, protocol: int) -> None:
    cls: Any = instances.containers(kind)
    value = cls("5") if kind in ("str", "int") else cls([("a", 1), ("b", 2)])

    found = envpickle.loads(pickle.dumps(value, protocol), allow=["harbour.instances:containers"])
    assert type(found) is cls
    assert found == value


def test_a_file_is_read_pickle_by_pickle_and_no_further() -> None:
    file = io.BytesIO(pickle.dumps(1) + pickle.dumps([2], 0) + b"rest")
    unpickler = envpickle.Unpickler(file, allow=[])

    assert [unpickler.load(), unpickler.load()] == [1, [2]]
    assert file.read() == b"rest"
    with pytest.raises(EOFError):
        unpickler.load()


@pytest.mark.parametrize(
    "entry",
    ["harbour.*", "harbour.docks", "harbour.docks:*", "harbour.docks:dock.__class__", "os:\u0455ystem", "", "a:b:c", 5],
)
def test_a_list_takes_exact_names_only(entry: Any) -> None:
    with pytest.raises(ValueError, match="no exact name"):
        envpickle.loads(pickle.dumps(1), allow=[entry])


@pytest.mark.parametrize(
    "name",
    [
        "envpickle.payload:rebuild_from_main",
        "envpickle.payload:rebuild_with_code",
        "envpickle.payload:builder_from_main",
        "envpickle.payload:same_python",
        "envpickle.makers.by_value:by_value",
        "builtins:getattr",
        "builtins:eval",
    ],
)
def test_what_runs_code_that_comes_along_cannot_be_listed(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be allowed"):
        envpickle.Unpickler(io.BytesIO(), allow=[name])


def test_the_limits_can_be_set() -> None:
    data = pickle.dumps(["x" * 100] * 100 + [b"y" * 5_000])
    assert envpickle.loads(data, allow=[], max_bytes=len(data))
    with pytest.raises(errors.UnsafePickle, match=rf"longer than {len(data) - 1} bytes.*raise max_bytes or max_memory"):
        envpickle.loads(data, allow=[], max_bytes=len(data) - 1)
    with pytest.raises(errors.UnsafePickle, match=r"more memory than it may.*raise max_bytes or max_memory"):
        envpickle.loads(data, allow=[], max_memory=5_000)
    with pytest.raises(errors.UnsafePickle, match=r"longer than 9000 bytes.*raise max_bytes"):  # no frame, a long text
        envpickle.loads(pickle.dumps("x" * 9_000, protocol=3), allow=[], max_bytes=9_000)


def test_the_message_names_all_and_says_what_to_do() -> None:
    with pytest.raises(errors.UnsafePickle, match=r"os:system.*allow=.*envpickle inspect") as caught:
        envpickle.loads(b"cos\nsystem\n(S'true'\ntR.", allow=[])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.names, again.reasons) == (("os:system",), caught.value.reasons)
    assert isinstance(again, pickle.UnpicklingError)


def test_a_module_under_a_listed_name_is_refused() -> None:
    with pytest.raises(errors.UnsafePickle, match="is a module"):
        envpickle.loads(b"cos\npath\n.", allow=["os:path"])


def test_what_cannot_be_made_is_an_error_of_ours() -> None:
    with pytest.raises(errors.UnsafePickle, match="cannot be made") as caught:
        envpickle.loads(b"cdatetime\ndate\nC\x02xx\x85R.", allow=[])
    assert isinstance(caught.value.__cause__, (TypeError, ValueError))
