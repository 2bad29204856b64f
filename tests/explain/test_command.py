"""The command: what it takes, prints and writes, and its exit status."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from harbour import explained

import envpickle
from envpickle.explaining.parts import MARKS

SUPPORT = Path(explained.__file__).parents[1]
SCRIPT = """
import json, sys, threading
print("running as", __name__)
class Env:
    def __init__(self): self.lock = threading.Lock()
env = Env()
fine = [1, json]
if __name__ == "__main__":
    trained = Env()
    def play(): ...
"""


def run(*words: str, cwd: Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENVPICKLE_"))}
    kept |= {"COLUMNS": "80", "PYTHONWARNINGS": "error", **environ}
    return subprocess.run(
        [sys.executable, "-m", "envpickle", "explain", *words], cwd=cwd, env=kept, capture_output=True, text=True, timeout=100
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT)
    (tmp_path / "crew.py").write_text(
        "import threading\nlock = {'a': threading.Lock()}\nfine = {'a': [1]}\nclass Deck:\n    mate = 1\n"
    )
    (tmp_path / "sinks.py").write_text("raise RuntimeError('sunk')\n")
    (tmp_path / "half.py").write_text("def (\n")
    (tmp_path / "sinks.pkl").write_bytes(b"N.")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["crew:fine"], 0, r"^crew:fine crosses by pickle: \d+ bytes\."),
        (["crew:Deck.mate"], 0, r"^crew:Deck\.mate crosses"),
        (["crew:lock"], 1, r"first: crew:lock\['a'\]"),
        (["--for", "dill", "crew:lock"], 0, r"crosses by dill"),
        (["--for", "cloudpickle", "crew:lock"], 1, r"does not cross by cloudpickle"),
        (["train.py:env"], 1, r"first: train\.py:env\.lock"),
        (["train.py:fine"], 1, r"A module cannot be pickled.*Import it inside"),
        (["train.py:trained"], 1, r"does not have it.*under the main guard.*above the main guard"),
        (
            ["train.py"],
            1,
            r"^What train\.py has at its top level does not cross.*--run train\.py.*Not looked at, therefore: play, trained\.",
        ),
    ],
)
def test_what_it_is_pointed_at_decides_what_it_says_and_its_status(
    folder: Path, words: list[str], status: int, says: str
) -> None:
    done = run(*words, cwd=folder)
    assert done.returncode == status, done.stdout + done.stderr
    assert re.search(says, re.sub(r"\s+", " ", done.stdout.removeprefix("running as __mp_main__\n"))), done.stdout
    assert done.stderr == ""


def test_a_script_that_does_all_its_work_later_is_not_said_to_cross(folder: Path) -> None:
    (folder / "later.py").write_text("def main(): ...\nif __name__ == '__main__':\n    main()\n")
    lines = run("later.py", cwd=folder).stdout.splitlines()
    assert lines[0].startswith("What later.py has at its top level crosses by pickle")
    assert "not looked at. Next: envpickle explain --run later.py" in " ".join(lines[1:3])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["crew"], r"names no object.*MODULE:OBJECT, FILE\.py or FILE\.py:OBJECT"),
        (["nosuch:thing"], r"importing nosuch failed: ModuleNotFoundError"),
        (["sinks:thing"], r"importing sinks failed: RuntimeError: sunk"),
        (["crew:nosuch.thing"], r"crew has no nosuch\.thing: there is no attribute 'nosuch'"),
        (["sinks.py"], r"sinks\.py raises RuntimeError when it is run as a child runs it: sunk"),
        (["nosuch.py"], r"there is no script nosuch\.py"),
        (["--run", "nosuch.py"], r"^Error: there is no script nosuch\.py"),
        (["--run", "half.py"], r"^Error: half\.py cannot be run: SyntaxError: .*\(half\.py, line 1\)"),
        (["half.py"], r"^Error: half\.py cannot be run: SyntaxError"),
        (["--html", "nosuch/report.html", "crew:fine"], r"^Error: nosuch/report\.html cannot be written: No such file"),
        (["sinks.pkl"], r"names no object.*envpickle inspect"),
        (["crew:fine", "more"], r"arguments are for a script that is run: say --run"),
        (["--run", "crew:fine"], r"--run takes a script"),
        (["--for", "joblib", "crew:fine"], r"'joblib' is not one of 'pickle', 'cloudpickle', 'dill'"),
        ([], r"Missing argument 'TARGET'"),
    ],
)
def test_used_wrongly_it_says_how_and_ends_with_2(folder: Path, words: list[str], says: str) -> None:
    done = run(*words, cwd=folder)
    assert done.returncode == 2, done.stdout + done.stderr
    assert re.search(says, re.sub(r"\s+", " ", done.stderr)), done.stderr


@pytest.mark.parametrize("words", [["explain", "crew:fine"], ["inspect", "sinks.pkl"], ["plugins"], ["--help"]])
def test_without_a_standard_output_the_status_is_the_same(folder: Path, words: list[str]) -> None:
    command = [sys.executable, "-m", "envpickle", *words]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command], cwd=folder, stderr=subprocess.PIPE, text=True, timeout=100
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_script_runs_as_a_child_would_run_it_or_with_run_as_itself(folder: Path) -> None:
    assert run("train.py:env", cwd=folder).stdout.startswith("running as __mp_main__\n")
    done = run("--run", "train.py", cwd=folder)
    assert done.stdout == "running as __main__\ntrain.py ran to its end; nothing that it sent was refused in this process.\n"
    assert done.returncode == 0


def test_with_run_a_script_gets_its_arguments_and_its_own_errors_stay_its_own(folder: Path) -> None:
    (folder / "exits.py").write_text("import sys\nprint(sys.argv)\nraise SystemExit(len(sys.argv) - 1)\n")
    done = run("--run", "exits.py", "--epochs", "3", cwd=folder)
    assert done.returncode == 2, done.stdout + done.stderr  # click takes --epochs for an option of its own
    done = run("--run", "exits.py", "--", "--epochs", "3", cwd=folder)
    assert (done.stdout, done.returncode) == ("['exits.py', '--epochs', '3']\n", 2)
    (folder / "fails.py").write_text("raise KeyError('mine')\n")
    done = run("--run", "fails.py", cwd=folder)
    assert done.returncode == 1
    assert "KeyError: 'mine'" in done.stderr
    (folder / "inside.py").write_text("import envpickle\ndef main():\n    @envpickle.builder\n    def ship(): ...\nmain()\n")
    done = run("--run", "inside.py", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert "BuilderError: the builder __main__.main.<locals>.ship is defined inside a function" in done.stderr
    assert "inside.py" in done.stderr


FAILS = {
    "cloudpickle": "import cloudpickle, threading\nlock = threading.Lock()\ncloudpickle.dumps(lambda: lock)\n",
    "pickle": "import pickle, threading\ndef save(env):\n    return pickle.dumps(\n        env)\nsave([threading.Lock()])\n",
    "dill": "import dill\ndill.dumps([x for x in [(n for n in [])]])\n",
}


@pytest.mark.parametrize("pickler", FAILS)
def test_with_run_the_pickler_that_failed_is_the_one_explained(folder: Path, pickler: str) -> None:
    (folder / "sends.py").write_text(FAILS[pickler])
    done = run("--run", "sends.py", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.startswith(f"what was sent does not cross by {pickler}: 1 of "), done.stdout + done.stderr
    assert "_thread.lock" in done.stdout or "generator" in done.stdout
    assert run("--run", "--for", "pickle", "sends.py", cwd=folder).stdout.startswith("what was sent does not cross by pickle:")


def test_with_run_an_error_that_leads_to_no_object_says_what_to_do_next(folder: Path) -> None:
    (folder / "sends.py").write_text("import pickle\npickle.dumps([lambda: 1])\n")
    done = run("--run", "sends.py", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert "PicklingError" in done.stderr
    assert "Next: envpickle explain sends.py:OBJECT" in done.stderr


def test_json_holds_every_part_with_the_documented_fields(folder: Path) -> None:
    done = run("--json", "crew:lock", cwd=folder)
    told = json.loads(done.stdout)
    page = (Path(__file__).parents[2] / "docs" / "reference" / "explain.md").read_text(encoding="utf-8")
    fields = set(re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE))
    documented = {
        name for cell in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE) for name in re.findall(r"\w+", cell)
    }
    assert set(told) | set(told["parts"][0]) <= documented, fields
    assert told["parts"][0]["parent"] is None
    first = told["parts"][told["first"]]
    assert (first["path"], first["mark"], first["type"]) == ("crew:lock['a']", "refused", "_thread.lock")
    assert {f"`{mark}`" for mark in MARKS} <= fields
    for part in told["parts"][1:]:
        assert told["parts"][part["parent"]]["path"] + part["step"] == part["path"]


class _Outside(HTMLParser):
    """Finds what a page would load or run, and the text of it."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if tag in ("script", "img", "link", "iframe", "object", "embed", "base", "b") or {"src", "href", "style"} & set(names):
            self.outside.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_page_that_loads_nothing_and_escapes_everything(folder: Path) -> None:
    value = {"<script>alert(1)</script>": lambda: 1, "\" onload='x'": [type("<b>", (), {})()]}
    page = envpickle.explain(value, name="<b>it</b>").to_html()
    parser = _Outside()
    parser.feed(page)
    assert parser.outside == []
    assert parser.open == []
    assert "url(" not in page
    assert "<script>alert(1)</script>" in parser.text
    assert run("--html", "a.html", "crew:lock", cwd=folder).returncode == 1
    assert "make it where it is first used" in (folder / "a.html").read_text()


def test_a_deep_report_can_be_written_in_every_form() -> None:
    def nested(levels: int) -> object:
        value: object = lambda: 1  # noqa: E731
        for _ in range(levels):
            value = explained.Crate(x=[value])
        return value

    report = envpickle.explain(nested(60))
    assert report.first is not None
    assert "with def" in str(report)
    assert max(map(len, str(report).splitlines())) <= 120
    parser = _Outside()
    parser.feed(report.to_html())
    assert parser.open == []
    json.dumps(report.to_dict())


def test_without_rich_the_report_is_plain_text(folder: Path) -> None:
    seen = (
        "import sys; sys.modules['rich'] = None; import crew, envpickle; print(envpickle.explain(crew.lock, name='crew:lock'))"
    )
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", seen], env=environ, capture_output=True, text=True, timeout=100)
    assert done.stdout == run("crew:lock", cwd=folder).stdout


def test_on_a_terminal_it_is_a_tree_in_colours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from envpickle.explaining import coloured

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    report = envpickle.explain([[lambda: 1], *[explained.Crate() for _ in range(20)]])
    coloured.show(report, 80)
    shown = capsys.readouterr().out
    assert "\x1b[" in shown
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert re.sub(r"[\s│├└─]+", "", plain) == re.sub(r"[\s│├└─]+", "", str(report))  # long names are broken elsewhere


def test_a_process_that_uses_envpickle_loads_neither_click_nor_rich_nor_this() -> None:
    seen = "import sys, pickle; from harbour import docks; pickle.dumps(docks.dock(['a'])); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", seen], env={"PYTHONPATH": str(SUPPORT)}, capture_output=True, text=True, timeout=100
    )
    assert not {"click", "rich", "envpickle.explaining"} & set(done.stdout.split())
