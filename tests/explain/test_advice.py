"""Each kind of refused object is told by its path, with a reason and what to do next."""

import collections
import re
import weakref
from typing import Any

import pytest
from harbour import docks, explained, kin

import envpickle
from envpickle.manager import manager
from envpickle.plugin import hookimpl

ADVICE = {
    "lock": (r"A _thread\.lock cannot be pickled\.", r"make it where it is first used.*__setstate__"),
    "event": (r"_thread\.lock.*It lies in it\['event'\], a threading\.Event", r"make it where it is first used"),
    "queue": (r"It lies in it\['queue'\], a queue\.Queue", r"make it where it is first used"),
    "socket": (r"A socket\.socket", r"Keep the address, and connect"),
    "file": (r"_io\.\w+ cannot", r"Keep the path, and open"),
    "database": (r"A sqlite3\.Connection", r"Keep the path or URL, and connect"),
    "lambda": (r"A lambda has no name.*cloudpickle copies", r"with def at the top level of a module"),
    "local function": (r"inside is made inside local_function\(\)", r"Move it to the top level.*functools\.partial"),
    "replaced function": (r"found as harbour\.explained\.plainly_replaced.*another function", r"Pass what that name leads to"),
    "local class": (
        r"Inside is made inside local_class\(\)",
        r"@envpickle\.builder, or try to send its code: Inside = envpickle\.reg",
    ),
    "subclass": (r"made at run time by no builder.*derives from harbour\.docks\.dock.*speed", r"envpickle\.register\(cls"),
    "patched class": (r"is not what <envpickle builder harbour\.docks:dock> made.*extra", r"Do it in the builder"),
    "method of a built class": (r"describe is made by the builder dock", r"Pass the class or an instance"),
    "weak reference": (r"cannot", r"hold the object itself, or a key"),
    "generator": (r"A generator", r"It has begun to run.*pass the function"),
    "tensor": (r"RuntimeError: cannot share memory of device cuda:0", r"\.cpu\(\)"),
    "module": (r"A module", r"Import it inside the function"),
    "mapping proxy": (r"A mappingproxy", r"dict\(\.\.\.\)"),
    "memory view": (r"A memoryview", r"bytes\(\.\.\.\)"),
    "cached function": (r"inside is made inside|cannot be pickled", r"Cache a function at the top|Move it to the top"),
}


@pytest.mark.parametrize("case", ADVICE)
def test_what_is_refused_why_and_what_to_do(case: str) -> None:
    reason, remedy = ADVICE[case]
    with explained.refused() as cases:
        assert set(cases) == set(ADVICE)
        report = envpickle.explain({case: cases[case]}, name="it")
    first = report.first
    assert first is not None
    assert first.path.startswith(f"it['{case}']")
    told = report.to_dict()["parts"][report.to_dict()["first"]]
    assert re.search(reason, told["reason"]), told["reason"]
    assert re.search(remedy, first.remedy), first.remedy
    for text in (told["reason"], told["remedy"]):
        assert text[0].isupper() or text.startswith("harbour."), text  # names keep their case
        assert text.endswith("."), text


def test_the_first_lines_are_the_verdict_the_path_the_reason_and_the_remedy() -> None:
    lines = str(envpickle.explain([1, {"crew": lambda: 1}], name="ship")).splitlines()
    assert lines[0] == "ship does not cross by pickle: 1 of 3 parts is refused."
    assert lines[1] == "first: ship[1]['crew']"
    assert lines[2].startswith("why:   A lambda has no name")
    assert any(line.startswith("do:    Write it with def") for line in lines[3:6])
    assert all(len(line) <= 80 for line in lines)


def test_a_built_class_shows_its_call_and_its_sizes() -> None:
    owner = envpickle.Owner()
    cls = owner.build(docks.dock, ["lift"] * 100, "sea")
    part = envpickle.explain(cls).root
    spec = envpickle.describe(cls)
    head, parts = spec.descriptor()
    assert (part.mark, part.called.builder, part.called.owner) == ("by spec", "harbour.docks:dock", owner.key.hex())
    assert part.called.arguments.startswith("tools=['lift', 'lift'")
    assert (part.called.head, part.called.shared) == (len(head), sum(map(len, parts)))
    second = envpickle.explain([cls, owner.build(docks.dock, ["lift"] * 100, "lake")]).root.children[1]
    assert second.total < part.total - len(parts[1])  # the toolset is written once
    owner.close()


def test_a_nested_class_names_the_one_it_goes_with() -> None:
    outer = kin.crane("big")
    nested = next(value for value in vars(outer).values() if isinstance(value, type))
    part = envpickle.explain(nested).root
    assert part.mark == "by spec"
    assert outer.__qualname__ in part.note


def test_a_class_that_a_maker_recognises_is_to_be_registered() -> None:
    def made() -> Any:
        return collections.namedtuple("Berth", ["name", "depth"])

    first = envpickle.explain([made()("a", 3)]).first
    assert first is not None
    assert first.step == " (class)"
    assert "recognises how it was made" in first.reason
    assert first.remedy.startswith("Try Berth = envpickle.register(Berth)")


@pytest.mark.parametrize("make", [explained.local_class, lambda: collections.namedtuple("Cargo", ["name"])])
def test_what_is_advised_for_a_local_class_and_for_a_recognised_one_works(make: Any) -> None:
    cls = make()
    assert f"{cls.__name__} = envpickle.register({cls.__name__})" in envpickle.explain(cls).root.remedy
    cls = envpickle.register(cls)
    assert envpickle.explain(cls).crosses


def test_a_name_that_leads_there_in_this_process_alone_is_refused() -> None:
    import sys
    import types

    made = types.ModuleType("made_by_hand")
    exec("class Ship: ...\ndef sail(): ...", made.__dict__)
    sys.modules["made_by_hand"] = made
    try:
        report = envpickle.explain([made.Ship, made.sail])
        assert not envpickle.explain(made.Ship, pickler="cloudpickle").crosses  # it goes by name there too
    finally:
        del sys.modules["made_by_hand"]
    assert [part.path for part in report.refused] == ["obj[0]", "obj[1]"]
    assert "nothing that made_by_hand does when it is imported puts it there" in report.refused[0].reason
    assert "try to send its code: Ship = envpickle.register(Ship)" in report.refused[0].remedy


@pytest.mark.parametrize("pickler", ["pickle", "cloudpickle", "dill"])
def test_a_class_registered_by_value_is_said_to_be(pickler: str) -> None:
    cls = explained.local_class()
    cls = envpickle.register(cls, by_value=True)
    part = envpickle.explain(cls, pickler=pickler).root
    assert part.mark == "by value"
    assert part.called.builder == "envpickle.makers.by_value:by_value"
    assert part.children == []


def test_the_insides_of_a_weak_dictionary_are_not_to_be_mended() -> None:
    report = envpickle.explain(weakref.WeakValueDictionary())
    assert {part.remedy for part in report.refused} == {report.first.remedy}
    assert "hold the object itself" in report.first.remedy


def test_for_cloudpickle_a_function_is_copied_and_what_it_drags_along_is_told() -> None:
    import socket

    with socket.socket() as client:

        def reward() -> Any:
            return client, explained.Colour

        report = envpickle.explain(reward, pickler="cloudpickle", name="reward")
    assert report.root.mark == "by value"
    assert [part.path for part in report.refused] == ["reward (closes over client)"]
    dill = envpickle.explain(reward, pickler="dill", name="reward")
    assert [part.path for part in dill.refused] == ["reward (closes over client)"]


def test_a_subclass_of_a_built_class_goes_by_value_with_cloudpickle() -> None:
    report = envpickle.explain(explained.derived(), pickler="cloudpickle")
    assert report.root.mark == "by value"
    assert {part.mark for part in report.root.children if part.step == " (base)"} == {"by spec"}


def test_explaining_a_call_walks_function_and_arguments_and_calls_nothing() -> None:
    report = envpickle.explain_call(docks.make_method, docks.dock(["lift"]), lambda: 1, reason=[explained.Crate()])
    assert [(part.step, part.mark) for part in report.root.children] == [
        (" function", "by name"),
        (" args[0]", "by spec"),
        (" args[1]", "refused"),
        (" kwargs['reason']", "data"),
    ]


def test_many_refused_parts_do_not_push_the_first_off_the_screen() -> None:
    lines = str(envpickle.explain([{"deep": [lambda: 1]} for _ in range(100)])).splitlines()
    assert any("with def" in line for line in lines[:6])
    assert sum("REFUSED" in line for line in lines) == 100


def test_what_the_standard_library_sends_with_is_not_called_what_holds_the_cause() -> None:
    import queue

    report = envpickle.explain(queue.Queue(), name="jobs")
    assert report.first is not None
    assert "lies in" not in str(report)


class _Raises:
    @hookimpl
    def envpickle_explain(self, obj: object) -> str:
        raise KeyError("lost")


class _NoText:
    @hookimpl
    def envpickle_explain(self, obj: object) -> int:
        return 7


@pytest.mark.parametrize(
    ("plugin", "says"), [(_Raises(), r"raised KeyError\('lost'\) for A \S*lambda"), (_NoText(), "answered int")]
)
def test_a_plugin_that_fails_is_named_by_what_it_did(plugin: object, says: str) -> None:
    manager().register(plugin, "broken")
    try:
        with pytest.raises(envpickle.errors.PluginError, match=f"envpickle_explain {says}"):
            envpickle.explain(lambda: 1)
    finally:
        manager().unregister(plugin)


def test_a_switched_off_backend_is_named() -> None:
    envpickle.disable("cloudpickle")
    try:
        with pytest.raises(envpickle.errors.PluginError, match="switched off"):
            envpickle.explain(1, pickler="cloudpickle")
    finally:
        envpickle.enable("cloudpickle")
