"""What is said of a plugin whose hook fails, or answers with something else than it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """
import envpickle
from envpickle.plugin import Packed, hookimpl

class Money:
    cents = 5

@envpickle.unpacker
def money(cents):
    return Money()

@envpickle.builder
def till(price=None):
    class Till:
        def close(self):
            print("closed by its own method")
    return Till

@envpickle.builder
def named(name):
    return envpickle.RuntimeType(name, (), {"kind": "named"})

@envpickle.builder
def made(name):
    return envpickle.RuntimeType(name, (), {"by": "maker"})

@hookimpl
def envpickle_pack(value):
    return Packed(money, value.cents) if type(value) is Money else None

@hookimpl
def envpickle_spec(cls):
    return (named, (cls.__name__,), {}) if getattr(cls, "kind", None) == "named" else None

@hookimpl
def envpickle_makers():
    return [lambda cls: (made, (cls.__name__,), {}) if getattr(cls, "by", None) == "maker" else None]

@hookimpl
def envpickle_close(cls):
    return (lambda one: print("closed by the plugin")) if cls.__name__ == "Till" else None
"""
SCRIPTS = {
    "envpickle_pack": "import pickle, harbour_plugin as plugin\npickle.dumps(plugin.till(plugin.Money()))",
    "envpickle_spec": "import envpickle\nenvpickle.register(envpickle.RuntimeType('Tug', (), {'kind': 'named'}))",
    "envpickle_makers": "import envpickle\nenvpickle.register(envpickle.RuntimeType('Tug', (), {'by': 'maker'}))",
    "envpickle_made": "import envpickle, harbour_plugin\nenvpickle.register(harbour_plugin.made.fn('Tug'), by_value=False)",
    "envpickle_close": "import envpickle, harbour_plugin as plugin\nowner = envpickle.Owner()\n"
    "one = owner.build(plugin.till)()\nowner.close()",
    "envpickle_explain": "import envpickle, harbour_plugin\n"
    "first = envpickle.explain(type('Tug', (), {'kind': 'named'})).first\nprint(first.reason, first.remedy)",
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


def run(folder: Path, hook: str, sound: str = "", wrong: str = "") -> subprocess.CompletedProcess[str]:
    """Run the script of a hook in a fresh interpreter, with the plugin as it is or with something wrong in it."""
    text = (folder / "harbour_plugin.py").read_text()
    assert not sound or text.count(sound) == 1
    (folder / "harbour_plugin.py").write_text(text.replace(sound, wrong) if sound else text)
    command = [sys.executable, "-W", "error", "-c", SCRIPTS[hook]]
    return subprocess.run(command, env={"PYTHONPATH": str(folder)}, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("hook", ["envpickle_pack", "envpickle_spec", "envpickle_makers", "envpickle_close"])
def test_the_sound_plugin_works(installed: Path, hook: str) -> None:
    done = run(installed, hook)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("closed by the plugin\n" if hook == "envpickle_close" else "")


NAMED, MADE = "(named, (cls.__name__,), {})", "(made, (cls.__name__,), {})"
WRONG = [
    ("envpickle_pack", "Packed(money, value.cents)", "value.cents", "Return envpickle.plugin.Packed"),
    ("envpickle_spec", NAMED, "(named.fn, (cls.__name__,), {})", "no builder. Return (builder, args, kwargs)"),
    ("envpickle_spec", NAMED, "(named, (cls.__name__,))", "no tuple of three. Return (builder, args, kwargs)"),
    ("envpickle_spec", NAMED, "(named, cls.__name__, {})", "not a tuple and a dict. Return (builder, args, kwargs)"),
    ("envpickle_spec", NAMED, "(named, (), {})", "does not take these arguments (missing a required argument: 'name')"),
    ("envpickle_spec", NAMED, "1 / 0", "envpickle_spec raised ZeroDivisionError"),
    ("envpickle_makers", MADE, "(made.fn, (cls.__name__,), {})", "no builder. Return (builder, args, kwargs)"),
    ("envpickle_makers", "else None]", "else None][0]", "Return a list of functions."),
    ("envpickle_makers", MADE, "1 / 0", "envpickle_makers raised ZeroDivisionError"),
]


@pytest.mark.parametrize(("hook", "sound", "wrong", "says"), WRONG, ids=[f"{hook}: {wrong}" for hook, _, wrong, _ in WRONG])
def test_a_wrong_answer_is_refused(installed: Path, hook: str, sound: str, wrong: str, says: str) -> None:
    """A hook that answers with something else than it is asked for is told what to answer, by what hook."""
    last = run(installed, hook, sound, wrong).stderr.strip().splitlines()[-1]
    assert last.startswith("envpickle.errors.PluginError: a plugin")
    assert hook in last
    assert says in last


@pytest.mark.parametrize("wrong", ["'close'", "1 / 0"])
def test_a_wrong_answer_closes_as_the_class_says(installed: Path, wrong: str) -> None:
    """An owner closes all the same; the hook is named in the log."""
    done = run(installed, "envpickle_close", '(lambda one: print("closed by the plugin"))', wrong)
    assert (done.returncode, done.stdout) == (0, "closed by its own method\n")
    assert "envpickle_close" in done.stderr


def test_explain_names_a_plugin_that_knows_the_class(installed: Path) -> None:
    """It would register the class, so that is what there is to do."""
    done = run(installed, "envpickle_explain")
    assert (
        "a plugin recognises how it was made. Try Tug = envpickle.register(Tug), once, right after it is made." in done.stdout
    )


def test_a_sentence_in_a_sentence_ends_once(installed: Path) -> None:
    """Why a plugin cannot be used is another error's text, which has its full stop."""
    nested = "\ndef hidden():\n    return envpickle.unpacker(lambda: hidden)\nhidden()"
    done = run(installed, "envpickle_spec", 'return envpickle.RuntimeType(name, (), {"by": "maker"})', f"pass{nested}")
    assert "over as arguments. Install another version of it" in done.stderr


def test_a_maker_of_a_plugin_is_compared(installed: Path) -> None:
    """What cannot be compared refuses the class; the plugin's author is told which hook is for that."""
    text = (installed / "harbour_plugin.py").read_text()
    (installed / "harbour_plugin.py").write_text(text.replace('"maker"}', '"maker", "mark": object()}'))
    error = run(installed, "envpickle_made").stderr
    assert "looks like what <envpickle builder harbour_plugin:made> makes, and is not the same: mark. Objects without" in error
    assert "can answer from envpickle_spec" in error


def test_a_plugin_may_refuse_a_class(installed: Path) -> None:
    """What envpickle_spec raises of envpickle's errors is the answer; a maker's is one reason among others."""
    refusal = "exec('raise envpickle.errors.RegistrationError(\\'it sank\\')')"
    of_spec = run(installed, "envpickle_spec", NAMED, refusal).stderr.strip().splitlines()
    assert of_spec[-1] == "envpickle.errors.RegistrationError: it sank"
    text = (installed / "harbour_plugin.py").read_text()
    (installed / "harbour_plugin.py").write_text(text.replace('"maker"}', '"maker", "mark": object()}'))  # no other maker's
    of_maker = run(installed, "envpickle_made", MADE, refusal).stderr.strip().splitlines()
    assert "- it sank" in of_maker
    assert any("nobody knows how" in line for line in of_maker)
