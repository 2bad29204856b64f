"""The contracts for plugins and backends find each fault that an author may make, and say what it is."""

import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """
import envpickle
from envpickle.plugin import Packed, hookimpl

class Money:
    def __init__(self, cents=5):
        self.cents, self.open = cents, True
    def __eq__(self, other):
        return type(self) is type(other) and self.cents == other.cents
    __hash__ = None

class Till(type):
    pass

class Slip:
    def __reduce__(self):
        raise TypeError("it was printed")

def till():
    return Till("Cash", (), {"kind": "till"})

@envpickle.unpacker
def money(cents):
    return Money(cents)

@envpickle.builder
def made_till(name):
    return Till(name, (), {"kind": "till"})

@hookimpl
def envpickle_pack(value):
    return Packed(money, value.cents) if type(value) is Money else None

@hookimpl
def envpickle_spec(cls):
    if type(cls) is not Till or vars(cls).keys() != vars(till()).keys() or cls.__doc__:
        return None
    return made_till, (cls.__name__,), {}

@hookimpl
def envpickle_close(cls):
    return (lambda one: setattr(one, "open", False)) if issubclass(cls, Money) else None

@hookimpl
def envpickle_explain(obj):
    return "Print it there." if type(obj) is Slip else None

class Ledger:
    name = "ledger"
    def teach(self, metaclass):
        pass
    def dumps(self, obj):
        return envpickle.describe(obj).to_json().encode()
    def loads(self, data):
        return envpickle.rebuild(envpickle.Spec.from_json(data.decode()))

ledger = Ledger()
name, loads = ledger.name, ledger.loads

@hookimpl
def envpickle_backends():
    return [ledger]
"""
TESTS = """
import harbour_plugin as plugin
from envpickle.testing import BackendContract, PluginContract

class TestPlugin(PluginContract):
    name = "harbour"
    values = (plugin.Money(3),)
    makes = (plugin.till,)
    closes = ((plugin.Money, lambda one: None, lambda one: not one.open),)
    explains = ([plugin.Slip()],)

class TestBackend(BackendContract):
    backend = plugin.ledger
    module = "harbour_plugin"
    carries_objects = False
"""
IN_PLUGIN = {  # in each, faults that do not get in each other's way: what finds it, what is sound, what is not, what is said
    "first": [
        ("leaves_alone", "if type(obj) is Slip", "if isinstance(obj, type)", "envpickle_explain answered for"),
        ("derived_type", "if type(value) is Money", "if isinstance(value, Money)", "Ask for exact types: type(value) is Money"),
        ("has_more", "or vars(cls).keys() != vars(till()).keys() ", "", "was given more, and registered all the same"),
        ("can_be_used", "return [ledger]", "return ledger", "Return a list."),
        ("with_its_owner", '(lambda one: setattr(one, "open", False))', "'close'", "envpickle_close answered 'close'"),
        ("equal_bytes", ".to_json()", ".to_json(LOG.append(1) or len(LOG))", "one class was written as"),
    ],
    "second": [
        ("are_marked", "@hookimpl\ndef envpickle_close", "def envpickle_close", "envpickle_close of <module 'harbour_plugin'"),
        ("has_more", " or cls.__doc__:", ":", "was given __doc__, and registered all the same"),
        ("can_be_used", "return [ledger]", "return []", "leave the hook out"),
        ("advice_is_given", "type(obj) is Slip", "obj is Slip", "has no advice on [<harbour_plugin.Slip object"),
        ("a_backend_is", ".to_json().encode()", ".to_json()", "Have it return bytes."),
    ],
    "third": [
        ("can_be_used", "return [ledger]", "return ['ledger']", "lists 'ledger', which has no name, teach, dumps, loads"),
        (
            "a_backend_is",
            "    def teach(self, metaclass):\n        pass\n",
            "",
            "has no teach. envpickle.backends.Backend says",
        ),
    ],
    "fourth": [
        ("can_be_used", 'name = "ledger"', 'name = "dill"', "two plugins offer a backend named 'dill'"),
    ],
}
CLOSES = "((plugin.Money, lambda one: None, lambda one: not one.open),)"
IN_TESTS = {
    "first": [
        ("entry_point", 'name = "harbour"', 'name = "port"', "there is no plugin 'port' (installed: harbour"),
        ("a_backend_is", '    module = "harbour_plugin"\n', "", "TestBackend has no module"),
        ("come_home", "    carries_objects = False\n", "", "says carries_objects = False"),
    ],
    "second": [
        ("entry_point", '    name = "harbour"\n', "", "TestPlugin has no name"),
        ("a_backend_is", 'module = "harbour_plugin"', 'module = "pickle"', "pickle is not the backend 'ledger'"),
    ],
    "third": [
        (
            "to_try",
            "    values = (plugin.Money(3),)\n",
            "",
            "the plugin has envpickle_pack, and TestPlugin.values holds nothing",
        ),
        ("is_the_same", "(plugin.till,)", "(lambda made=plugin.till(): made,)", "gave one class twice"),
        ("advice_is_given", "([plugin.Slip()],)", "([1],)", "pickle takes [1]"),
        ("a_backend_is", "= plugin.ledger", "= type('Other', (plugin.Ledger,), {})()", "the name 'ledger' is taken by"),
    ],
    "fourth": [
        ("to_try", "    explains = ([plugin.Slip()],)\n", "", "has envpickle_explain, and TestPlugin.explains holds nothing"),
    ],
    "a comma": [("entry_point", "(plugin.till,)", "(plugin.till)", "not a tuple. Write (till,), with the comma.")],
    "brackets": [("entry_point", CLOSES, "(plugin.Money, 1, 2)", "a tuple of threes")],
}


def run(folder: Path, which: str, plugin: str = PLUGIN, tests: str = TESTS) -> str:
    """What pytest says of some of the tests, the plugin being installed as pip would have left it."""
    (folder / "harbour_plugin.py").write_text(f"LOG = []\n{plugin}")
    (folder / "test_harbour.py").write_text(tests)
    info = folder / "harbour_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[envpickle]\nharbour = harbour_plugin\n")
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_harbour.py", "-k", which]
    done = subprocess.run(command, env={"PYTHONPATH": str(folder)}, cwd=folder, capture_output=True, text=True, timeout=110)
    return done.stdout + done.stderr


def planted(sound_text: str, faults: list[tuple[str, str, str, str]]) -> str:
    for _, sound, faulty, _ in faults:
        assert sound_text.count(sound) == 1
        sound_text = sound_text.replace(sound, faulty)
    return sound_text


def assert_found(said: str, faults: list[tuple[str, str, str, str]]) -> None:
    assert f"{len(faults)} failed" in said or "1 error" in said
    for *_, says in faults:
        assert says in said


def test_a_sound_plugin_passes(tmp_path: Path) -> None:
    assert "22 passed" in run(tmp_path, "")


@pytest.mark.parametrize("faults", IN_PLUGIN.values(), ids=IN_PLUGIN)
def test_faults_in_the_plugin_are_found(tmp_path: Path, faults: list[tuple[str, str, str, str]]) -> None:
    assert_found(run(tmp_path, " or ".join(one[0] for one in faults), plugin=planted(PLUGIN, faults)), faults)


@pytest.mark.parametrize("faults", IN_TESTS.values(), ids=IN_TESTS)
def test_faults_in_what_is_tried_are_found(tmp_path: Path, faults: list[tuple[str, str, str, str]]) -> None:
    assert_found(run(tmp_path, " or ".join(one[0] for one in faults), tests=planted(TESTS, faults)), faults)
