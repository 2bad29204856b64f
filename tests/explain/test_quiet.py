"""Nothing of the user's runs that pickling would not run, and nothing that raises stops the walk."""

import contextlib
import pickle
from typing import Any

import pytest
from harbour import explained

import envpickle

CASES: dict[str, Any] = {
    "an instance": explained.Loud(),
    "in containers": {"a": [explained.Loud()], "b": (explained.Loud(), {"c": explained.Loud()})},
    "an instance of a class": explained.LoudInstance(),
    "a class": explained.LoudInstance,
    "one that refuses": [explained.Refusing()],
}


def heard(run: Any) -> list[str]:
    explained.Loud.log.clear()
    with contextlib.suppress(explained.Unspeakable):
        run()
    return list(explained.Loud.log)


@pytest.mark.parametrize("case", CASES)
def test_what_runs_is_what_runs_when_it_is_pickled(case: str) -> None:
    value = CASES[case]
    heard(lambda: pickle.dumps(value))  # what Python looks up once for every class
    assert heard(lambda: envpickle.explain(value)) == heard(lambda: pickle.dumps(value))


@pytest.mark.parametrize("case", CASES)
def test_showing_the_report_runs_nothing(case: str) -> None:
    report = envpickle.explain({"it": CASES[case]})
    assert heard(lambda: (str(report), report.to_html(), report.to_dict(), repr(report))) == []


def test_each_reducer_is_asked_once() -> None:
    class Counting:
        asked = 0

        def __reduce__(self) -> Any:
            Counting.asked += 1
            return str, ("x",)

    one = Counting()
    envpickle.explain([one, {"again": one}, (one,)])
    assert Counting.asked == 1


ANSWERS: list[Any] = [
    ValueError("no"),
    SystemExit(3),
    RecursionError(),
    explained.Unspeakable(),
    None,
    7,
    (),
    (explained.Crate,),
    (explained.Crate, [1]),
    ("no callable", ()),
    (explained.Crate, (), None, None, None, None, None),
    (explained.Crate, (), None, 7),
    (explained.Crate, (), None, None, [1]),
    "no_such_name",
    "",
]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_a_reducer_that_answers_nonsense_or_raises_is_refused_and_the_walk_goes_on(answer: Any) -> None:
    value = [explained.Reduced(answer), lambda: 1]
    report = envpickle.explain(value)
    assert [part.path for part in report.refused] == ["obj[0]", "obj[1]"]
    assert all(part.reason and part.remedy for part in report.refused)
    with pytest.raises((Exception, SystemExit)):
        pickle.dumps(value[0])


def test_a_keyboard_interrupt_passes() -> None:
    with pytest.raises(KeyboardInterrupt):
        envpickle.explain(explained.Reduced(KeyboardInterrupt()))


def test_a_dict_that_changes_while_it_is_walked_is_refused() -> None:
    class Growing:
        def __reduce__(self) -> Any:
            table[len(table)] = 1
            return str, ("x",)

    table: dict[int, Any] = {0: Growing(), 1: 2}
    report = envpickle.explain(table)
    assert not report.crosses
    assert "changed size" in report.root.reason
