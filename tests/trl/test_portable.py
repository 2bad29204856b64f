"""`portable`: what crosses into a spawned process is what TRL and transformers would have seen here."""

import copy
import functools
import os
import pickle
import re
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from voyage import trip
from voyage.fresh import run
from wharf import pieces, scripts
from wharf.calls import Judge, crane, decorated, lengths

from envpickle.errors import RebuildMismatch
from envpickle_trl import callables, portable
from envpickle_trl.errors import NotPortable

HOLD = "wharf.hold"
NAMES = trip.pieces(HOLD)
SUPPORT = Path(pieces.__file__).parents[1]
LOCK = threading.Lock()


def reported(program: str, *args: str) -> Any:
    # what TRL and its stack warn of when they are imported is theirs
    folders = [str(SUPPORT), str(SUPPORT.parents[1] / "support"), *filter(None, [os.environ.get("PYTHONPATH")])]
    path = os.pathsep.join(folders)
    return run(program, *args, seconds=110, quiet=False, PYTHONPATH=path, PYTHONWARNINGS="default")


@pytest.fixture(scope="module")
def verdicts() -> dict[str, str]:
    """One trip of all pieces: each is loaded in a spawned process before anything is built there, and comes home again."""
    outcome: dict[str, str] = reported(trip.PROGRAM, HOLD, "pickle", "spawn", *NAMES)
    return outcome


@pytest.mark.parametrize("name", NAMES)
def test_it_arrives_as_it_was(verdicts: dict[str, str], name: str) -> None:
    """Name, signature, schema, docstring, async or not, and what a call gives: the same there, and back home."""
    assert verdicts[name] == "ok"


def test_there_are_pieces() -> None:
    assert len(NAMES) > 50


def test_in_a_script() -> None:
    """What a spawned process finds goes by name and sees that process's globals; what stands under the guard goes by value."""
    assert reported(scripts.script(scripts.EVERY_KIND)) == [3, 3, 3, 30, 30, True]


def test_from_a_module_loaded_from_a_path() -> None:
    """No other process could import it, so its functions go by value."""
    assert reported(scripts.script(scripts.FROM_A_PATH)) == [6, False]


def held_in_a_closure() -> Any:
    lock = threading.Lock()

    def reward(completions: list[str]) -> list[float]:
        with lock:
            return [0.0]

    return reward


def held_deep() -> Any:
    config = {"deep": [1, 2, Judge(1.0)]}
    config["deep"][2].guard = threading.Lock()  # type: ignore[attr-defined]
    return lambda completions: config


def held_by_a_default() -> Any:
    def reward(completions: list[str], lock: Any = threading.Lock(), *, other: int = 1) -> list[float]:  # noqa: B008
        return []

    return reward


def held_by_a_helper() -> Any:
    helper = held_in_a_closure()
    return lambda completions: helper(completions)


def held_by_an_instance() -> Any:
    judge: Any = Judge(1.0)
    judge.lock = threading.Lock()
    return judge


def held_by_a_cache() -> Any:
    lock = threading.Lock()
    return functools.lru_cache(lambda text: lock)


REFUSED = {
    "reward.<closure>.lock": held_in_a_closure,
    "<lambda>.<closure>.config['deep'][2].guard": held_deep,
    "reward.<defaults>[0]": held_by_a_default,
    "<lambda>.<closure>.helper.<closure>.lock": held_by_a_helper,
    "Judge.lock": held_by_an_instance,
    "other.__self__.lock": lambda: held_by_an_instance().other,
    "lengths.keywords['scale']": lambda: functools.partial(lengths, scale=threading.Lock()),
    "lengths.args[0]": lambda: functools.partial(lengths, threading.Lock()),
    "<lambda>.<globals>.LOCK": lambda: lambda completions: LOCK,
    "<lambda>.__wrapped__.<closure>.lock": held_by_a_cache,
    "<lambda>.<closure>.inner.<closure>.lock": lambda: (lambda inner: lambda text: inner(text))(held_in_a_closure()),
}


@pytest.mark.parametrize("path", REFUSED)
def test_what_belongs_to_this_process_is_refused_with_the_path_to_it(path: str) -> None:
    """At once, where the traceback shows the line that hands it over; and the error is one of pickle's, and survives."""
    with pytest.raises(NotPortable, match=re.escape(f"{path} cannot cross into another process: ") + ".*lock") as caught:
        portable(REFUSED[path]())
    assert caught.value.path == path
    assert isinstance(caught.value, pickle.PicklingError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.path) == (NotPortable, str(caught.value), path)


def test_other_live_things_are_refused() -> None:
    with socket.socket() as line, pytest.raises(NotPortable, match=r"<closure>\.line cannot cross.*socket"):
        portable(lambda text: line)
    with Path(__file__).open() as file, pytest.raises(NotPortable, match=r"<closure>\.file cannot cross.*open file"):
        portable(lambda text: file)  # cloudpickle alone would send a copy of its text
    generator = (number for number in [1])
    with pytest.raises(NotPortable, match=r"<closure>\.generator cannot cross.*has begun to run"):
        portable(lambda text: generator)


def test_a_subclass_of_a_built_class_is_never_flattened() -> None:
    """Cloudpickle alone would send a copy of it over the base's call; plain pickle would lose it."""

    class Taller(crane(7)):  # type: ignore[misc]
        def lift(self, crate: str) -> str:
            return "taller"

    for made in (Taller(), Taller().lift, functools.partial(Taller().lift, "C1"), lambda: Taller):
        with pytest.raises(NotPortable, match=r"Taller.*was made at run time by no builder.*register"):
            portable(made)


def test_a_method_in_a_closure_stays_a_method_of_its_class() -> None:
    """Cloudpickle alone would copy its function."""
    lift = crane(7)().lift
    arrived = pickle.loads(pickle.dumps(portable(lambda: lift)))
    assert arrived().__func__ is crane(7).lift


def test_a_changed_built_class_is_refused() -> None:
    kind = crane(8)
    kind.lift = lambda self, crate: "changed"
    with pytest.raises(NotPortable, match=r"is not what .* made"):
        portable(kind().lift)


def test_a_variable_that_two_functions_share_and_one_sets_is_refused() -> None:
    """Cloudpickle alone would give each of them a variable of its own."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    def reward(completions: list[str]) -> int:
        step()
        return count

    with pytest.raises(NotPortable, match=r"share the variable 'count', and one of them sets it.*an object"):
        portable(reward)


def test_a_variable_that_two_portable_functions_share_and_one_sets_is_refused() -> None:
    """Each of them is a parcel of its own, so that they would be told apart silently."""

    def counting() -> Any:
        count, limit = 0, 3

        def step(completions: list[str]) -> int:
            nonlocal count
            count += limit
            return count

        def told(completions: list[str]) -> int:
            return count

        def limited(completions: list[str]) -> int:
            return limit

        return step, told, limited

    step, told, limited = counting()
    first = portable(step)
    with pytest.raises(NotPortable, match=r"step and told share the variable 'count'"):
        portable(told)
    assert portable(limited)("") == 3  # it shares what nobody sets
    assert portable(step) is not first  # the same function once more, for another trainer
    step, told, _ = counting()  # in the other order
    kept = portable(told)
    with pytest.raises(NotPortable, match=r"told and step share the variable 'count'"):
        portable(step)
    assert kept("") == 0


def test_code_by_value_names_the_python_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(portable(lambda text: text))
    monkeypatch.setattr(callables.sys, "version_info", (3, 99, 0))
    with pytest.raises(RebuildMismatch, match=r"'<lambda>' came by value from Python 3\.\d+, and this is Python 3\.99"):
        pickle.loads(data)


def test_what_goes_by_name_carries_no_code() -> None:
    """A decorated function is found by its name, and is that very object again."""
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert len(pickle.dumps(decorated)) < 60
    for made in (functools.partial(lengths, scale=2.0), Judge(1.0), Judge(1.0).other, crane(3)().lift):
        assert b"by_value" not in pickle.dumps(portable(made))
    assert pickle.loads(pickle.dumps(portable(lengths))).func is lengths


def test_a_process_that_is_sent_names_and_data_loads_no_cloudpickle() -> None:
    program = """
import pickle, sys
from voyage.fresh import report
pickle.loads(bytes.fromhex(sys.argv[1]))
report(sorted(name for name in sys.modules if name.startswith("envpickle_trl") or name == "cloudpickle"))
"""
    data = pickle.dumps(portable(functools.partial(lengths, scale=2.0)))
    loaded = reported(program, data.hex())
    assert loaded == ["envpickle_trl", "envpickle_trl.callables", "envpickle_trl.errors"]


def test_a_function_is_looked_at_only_when_it_is_sent_where_it_is_decorated() -> None:
    """At the top of a module its globals may not be there yet; in a function they are."""
    namespace: dict[str, Any] = {"__name__": "not_yet_there", "lock": threading.Lock()}
    exec("def reward(text):\n    return lock\n", namespace)
    made = portable(namespace["reward"])
    with pytest.raises(NotPortable, match=r"reward\.<globals>\.lock"):
        pickle.dumps(made)


def test_the_callable_is_not_changed_and_once_is_enough() -> None:
    def reward(text: str) -> str:
        return text

    before = dict(vars(reward))
    made = portable(reward)
    assert vars(reward) == before
    assert portable(made) is made
    assert repr(made) == f"portable({reward!r})"
    assert copy.copy(made)("a") == copy.deepcopy(made)("a") == "a"
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        made.missing  # type: ignore[attr-defined]


def test_what_is_no_callable_is_refused() -> None:
    with pytest.raises(NotPortable, match="takes a callable, not 'some/reward-model'"):
        portable("some/reward-model")  # type: ignore[type-var]


def test_the_pickler_s_list_of_modules_is_as_it_was() -> None:
    import cloudpickle

    namespace: dict[str, Any] = {"__name__": "made_by_hand"}
    exec("def reward(text):\n    return text\n", namespace)
    import sys
    import types

    sys.modules["made_by_hand"] = types.ModuleType("made_by_hand")
    try:
        sys.modules["made_by_hand"].__dict__.update(namespace)
        made = portable(namespace["reward"])
        assert cloudpickle.list_registry_pickle_by_value() == set()
        assert b"made_by_hand" in pickle.dumps(made)
    finally:
        del sys.modules["made_by_hand"]
    assert pickle.loads(pickle.dumps(made))("a") == "a"


def test_closures_of_one_call_pickled_together() -> None:
    """Two rewards in one list, as a trainer is given them."""
    first, second = pickle.loads(pickle.dumps([portable(held) for held in (lambda text: 1, lambda text: 2)]))
    assert (first(""), second("")) == (1, 2)
