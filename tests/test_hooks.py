"""Each hook does what its specification says, for a plugin that an installed distribution names."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """
import envpickle
from envpickle.plugin import Packed, hookimpl

class Money:
    def __init__(self, cents):
        self.cents = cents

@envpickle.unpacker
def money(cents):
    return Money(cents)

@envpickle.builder
def till(price):
    class Till:
        cost = staticmethod(lambda: price.cents)
        shut = False
    return Till

@envpickle.builder
def named(name):
    return envpickle.RuntimeType(name, (), {"kind": "named"})

@hookimpl
def envpickle_pack(value):
    return Packed(money, value.cents) if type(value) is Money else None

@hookimpl
def envpickle_close(cls):
    return (lambda one: setattr(one, "shut", True)) if cls.__name__ == "Till" else None

@hookimpl
def envpickle_spec(cls):
    return (named, (cls.__name__,), {}) if getattr(cls, "kind", None) == "named" else None

@envpickle.builder
def made(name):
    return envpickle.RuntimeType(name, (), {"by": "maker"})

def made_by_maker(cls):
    return (made, (cls.__name__,), {}) if getattr(cls, "by", None) == "maker" else None

@hookimpl
def envpickle_makers():
    return [made_by_maker]

class Smoke:
    name = "smoke"
    def teach(self, metaclass): ...
    def dumps(self, obj): return b"puff"
    def loads(self, data): return "puff"

@hookimpl
def envpickle_backends():
    return [Smoke()]

class Anchor:
    def __reduce__(self):
        raise TypeError("it holds")

LOG = []

class Pigeon:
    def send(self, key):
        LOG.append(["send", key])
    def end(self, key):
        LOG.append(["end", key])
    def hold(self, key, ended):
        LOG.append(["hold", key])
        self.ended = ended
        return lambda: LOG.append(["let go", key])

pigeon = Pigeon()

@hookimpl
def envpickle_carriers():
    return [pigeon]

@hookimpl
def envpickle_explain(obj):
    return "Weigh it first." if type(obj) is Anchor else None
"""

SCRIPTS = {
    "envpickle_pack": """
import pickle, harbour_plugin as plugin
cls = plugin.till(plugin.Money(5))
data = pickle.dumps(cls)
del cls
import gc; gc.collect()
show(pickle.loads(data)().cost())
""",
    "envpickle_close": """
import envpickle, harbour_plugin as plugin
owner = envpickle.Owner()
one = owner.build(plugin.till, plugin.Money(5))()
owner.close()
show(one.shut)
""",
    "envpickle_spec": """
import pickle, envpickle
cls = envpickle.register(envpickle.RuntimeType("Tug", (), {"kind": "named"}))
show(envpickle.describe(cls).builder, pickle.loads(pickle.dumps(cls)) is cls)
""",
    "envpickle_makers": """
import envpickle
cls = envpickle.register(envpickle.RuntimeType("Tug", (), {"by": "maker"}))
show(envpickle.describe(cls).builder)
""",
    "envpickle_backends": """
from envpickle.manager import backends
show(sorted(backends()))
""",
    "envpickle_carriers": """
import gc, os, pickle, sys, tempfile, envpickle, harbour_plugin as plugin
owner, other = envpickle.Owner(), envpickle.Owner()
cls = owner.build(plugin.till, plugin.Money(5))
data = pickle.dumps(cls), pickle.dumps(cls)
owner.close()
pickle.dumps(cls)
far = other.key[:10] + b"no one"
from envpickle import ownership
made = plugin.till(plugin.Money(6))
ownership.local(far).take(made)
one = made()
plugin.pigeon.ended()
while not one.shut: pass
try:
    made()
except envpickle.errors.OwnerClosed:
    plugin.LOG.append(["refused", far])
show([[what, key == owner.key, key == far] for what, key in plugin.LOG])
""",
    "envpickle_explain": """
import envpickle, harbour_plugin as plugin
report = envpickle.explain([plugin.Anchor(), lambda: 1])
show([part.path for part in report.refused], report.first.remedy, "def" in report.refused[1].remedy)
""",
}

EXPECTED = {
    "envpickle_pack": [5],
    "envpickle_close": [True],
    "envpickle_spec": ["harbour_plugin:named", True],
    "envpickle_makers": ["harbour_plugin:made"],
    "envpickle_backends": [["cloudpickle", "copyreg", "dill", "msgpack", "smoke"]],
    "envpickle_carriers": [
        [
            ["send", True, False],
            ["send", True, False],
            ["end", True, False],
            ["send", True, False],
            ["end", True, False],
            ["hold", False, True],
            ["refused", False, True],
        ]
    ],
    "envpickle_explain": [["obj[0]", "obj[1]"], "Weigh it first.", True],
}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that holds a distribution with the plugin, as pip would have left it."""
    (tmp_path / "harbour_plugin.py").write_text(PLUGIN)
    info = tmp_path / "harbour_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[envpickle]\nharbour = harbour_plugin\n")
    return tmp_path


def run(folder: Path, script: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a fresh interpreter that has the plugin installed."""
    head = "import json\ndef show(*values): print(json.dumps(values))\n"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", head + script],
        env={"PYTHONPATH": str(folder), **environ},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def said(done: subprocess.CompletedProcess[str]) -> object:
    """What the script showed."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_hook_is_tried_here() -> None:
    """The specifications and the scripts of this file name the same hooks."""
    from envpickle import hookspecs

    assert sorted(name for name in vars(hookspecs) if name.startswith("envpickle_")) == sorted(SCRIPTS)


@pytest.mark.parametrize("hook", sorted(SCRIPTS))
def test_hook(installed: Path, hook: str) -> None:
    """The hook of an installed plugin is asked, and its answer used."""
    assert said(run(installed, SCRIPTS[hook])) == EXPECTED[hook]


def test_a_child_asks_no_hook(installed: Path) -> None:
    """What a plugin packed is unpacked by the function the descriptor names, without pluggy or entry points."""
    script = """
import pickle, subprocess, sys, harbour_plugin as plugin
data = pickle.dumps(plugin.till(plugin.Money(5)))
del sys.modules["harbour_plugin"]
child = f"import pickle, sys; print(pickle.loads({data!r})().cost(), 'envpickle.manager' in sys.modules)"
show(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, timeout=60).stdout.split())
"""
    assert said(run(installed, script)) == [["5", "False"]]


def test_a_plugin_can_be_kept_out(installed: Path) -> None:
    """ENVPICKLE_DISABLE blocks a plugin by the name of its entry point."""
    assert said(run(installed, SCRIPTS["envpickle_backends"], ENVPICKLE_DISABLE="other, harbour")) == [
        ["cloudpickle", "copyreg", "dill", "msgpack"]
    ]


def test_hook_calls_can_be_traced(installed: Path) -> None:
    """ENVPICKLE_TRACE prints the hook calls to standard error."""
    done = run(installed, SCRIPTS["envpickle_pack"], ENVPICKLE_TRACE="1")
    assert "envpickle_pack" in done.stderr
    assert said(done) == [5]


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("raise RuntimeError('sunk')", "sunk"),
        ("import no_such_module_at_all", "no_such_module_at_all"),
        ("@hookimpl\ndef envpickle_pakc(value): ...", "envpickle_pakc"),
    ],
    ids=["raises", "cannot import", "misspelt hook"],
)
def test_a_broken_plugin_is_named(installed: Path, fault: str, word: str) -> None:
    """A plugin that fails to load, or misspells a hook, is named with its distribution and what is wrong with it."""
    with (installed / "harbour_plugin.py").open("a") as file:
        file.write(fault + "\n")
    done = run(installed, "from envpickle.manager import hooks\nhooks()")
    assert done.returncode == 1
    for text in ("PluginError", "'harbour'", "harbour-plugin", word, "ENVPICKLE_DISABLE"):
        assert text in done.stderr


def test_two_backends_of_one_name_are_refused(installed: Path) -> None:
    """A backend that takes another's name is named, and so is the other."""
    text = (installed / "harbour_plugin.py").read_text().replace('name = "smoke"', 'name = "dill"')
    (installed / "harbour_plugin.py").write_text(text)
    done = run(installed, SCRIPTS["envpickle_backends"])
    assert "two plugins offer a backend named 'dill'" in done.stderr


def test_a_wrong_answer_is_refused(installed: Path) -> None:
    """A packer that answers with something else than Packed is told what to answer."""
    text = (installed / "harbour_plugin.py").read_text().replace("Packed(money, value.cents)", "value.cents")
    (installed / "harbour_plugin.py").write_text(text)
    done = run(installed, SCRIPTS["envpickle_pack"])
    assert "Return envpickle.plugin.Packed" in done.stderr
