"""Guards of a script: plain pickle refuses a builder that no child would find, and sends each that one finds."""

import textwrap
from pathlib import Path

import pytest
from voyage.fresh import run

BUILDER = """
@envpickle.builder
def dock(berths):
    class Dock:
        free = berths
    return Dock
"""
TAKEN = "multiprocessing.parent_process() is None"
GUARDS = {  # the lines around the builder, and whether a child comes to it
    "if True:": True,
    "if __name__ in ('__main__', '__mp_main__'):": True,
    "if multiprocessing.cpu_count():": True,
    "with contextlib.nullcontext():": True,
    "for number in range(1):": True,
    "while not globals().get('dock'):": True,
    "if __name__ == '__main__':": False,
    "if not __name__ != '__main__':": False,
    "if '__main__' == __name__ and len(sys.argv):": False,
    "if not __name__.startswith('__mp'):": False,
    f"if {TAKEN}:": False,
    "MAIN = __name__ == '__main__'\nif MAIN:": False,
    "while __name__ == '__main__' and not globals().get('dock'):": False,
    f"while {TAKEN} and 'dock' not in globals():": False,
    "match __name__:\n  case '__main__':": False,
}
CHOSEN = {
    "harbour = envpickle.builder(made, name='harbour') if __name__ == '__main__' else None": False,
    "harbour = None if __name__ != '__main__' else envpickle.builder(made, name='harbour')": False,
    "harbour = envpickle.builder(made, name='harbour') if len(sys.argv) else None": True,
}
SENDING = """
def play(cls):
    return cls.free, cls


if __name__ == "__main__":
    from voyage.fresh import report
    try:
        data = pickle.dumps(BUILT)
    except envpickle.errors.ScriptBuilderRefused as error:
        report(["refused", "NAME" in str(error)])
    else:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            got = pool.apply_async(play, [BUILT]).get(timeout=40)
        report(["sent", got == (3, BUILT)])
"""
HEAD = "import contextlib, envpickle, multiprocessing, pickle, sys\n"


@pytest.mark.parametrize("guard", GUARDS)
def test_a_builder_behind_a_guard_is_sent_or_refused(guard: str, tmp_path: Path) -> None:
    """Whatever the guard looks like: what no child would find is refused before anything is sent, and nothing else is."""
    text = HEAD + guard + textwrap.indent(BUILDER, "    ") + SENDING.replace("BUILT", "dock(3)").replace("NAME", "dock")
    (tmp_path / "train.py").write_text(text)

    assert run(tmp_path / "train.py") == ["sent" if GUARDS[guard] else "refused", True]


@pytest.mark.parametrize("line", CHOSEN)
def test_a_builder_that_a_line_chooses_is_sent_or_refused(line: str, tmp_path: Path) -> None:
    """The same of a builder that a conditional expression gives its name."""
    made = BUILDER.replace("@envpickle.builder\ndef dock", "def made")
    text = HEAD + made + line + "\n" + SENDING.replace("BUILT", "harbour(3)").replace("NAME", "harbour")
    (tmp_path / "train.py").write_text(text)

    assert run(tmp_path / "train.py") == ["sent" if CHOSEN[line] else "refused", True]
