"""What arrives, beyond the class itself: each line is tried, by both contenders, when the benchmark runs."""

import inspect
import pickle
import threading
import typing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Literal

from envpickle import Owner
from envpickle_openenv import environment_class
from envpickle_trl import errors, portable

from ..spawn_roundtrip.measure import ask_child
from .contenders import CONTENDERS, listed
from .wrapper import Shipped

__all__ = ["LINES", "verdicts"]

Bay = Literal["north", "south"]
CARRY: dict[str, Callable[[Any], Any]] = {"envpickle": portable, "the wrapper": Shipped}


def crosses(contender: str) -> str:
    """A class made while the script runs."""
    arrived = ask_child("spawn", name_of, pickle.dumps(CONTENDERS[contender](listed(8))))
    return "yes" if arrived == "Dock" else "no"


def closure_crosses(contender: str) -> str:
    """A reward function that closes over plain data."""
    weights = {"a": 2.0}
    reward = CARRY[contender](lambda completions: [weights[text] for text in completions])
    return "yes" if ask_child("spawn", score_of, pickle.dumps(reward)) == [2.0] else "no"


def same_class(contender: str) -> str:
    """The class in environment_factory and the class in a reward function, on the other side."""
    factory = CONTENDERS[contender](listed(8))
    kind = factory if contender == "envpickle" else factory.value
    reward = CARRY[contender](lambda env: isinstance(env, kind))
    return "one" if ask_child("spawn", is_one, pickle.dumps((factory, reward))) else "two"


def comes_home(contender: str) -> str:
    """What comes back from the other process is the class that was sent."""
    factory = CONTENDERS[contender](listed(8))
    kind = factory if contender == "envpickle" else factory.value
    return "the same class" if pickle.loads(pickle.dumps(factory)) is kind else "another class"


def loaded_again(contender: str) -> str:
    """What the other process has changed on the class, after the same class came once more."""
    payload = pickle.dumps(CONTENDERS[contender](listed(8)))
    return "kept" if ask_child("spawn", keeps_changes, payload) else "undone, silently"


def column(contender: str) -> str:
    """What TRL's in-process trainer calls the column of a reward function named `short`."""

    def short(completions: list[str]) -> list[float]:
        return [0.0 for _ in completions]

    carried: Any = CARRY[contender](short)
    inner = carried.func if hasattr(carried, "func") else carried  # TRL looks through partials
    return f"`{getattr(inner, '__name__', type(inner).__name__)}`"


def awaited(contender: str) -> str:
    """Whether TRL's in-process trainer awaits a coroutine function."""

    async def judged(completions: list[str]) -> list[float]:
        return [0.0 for _ in completions]

    carried: Any = CARRY[contender](judged)
    inner = carried.func if hasattr(carried, "func") else carried
    known = inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(inner.__call__)
    return "awaited" if known else "never awaited"


def schema(contender: str) -> str:
    """The annotations of a tool that closes over data and whose annotations are text."""
    heights = [1, 2]

    def stack(bay: "Bay") -> str:
        return f"{bay} {heights}"

    return str(ask_child("spawn", hints_of, pickle.dumps(CARRY[contender](stack))))


def lock(contender: str) -> str:
    """What is said of a reward function that closes over a lock, deep inside."""
    config = {"deep": [threading.Lock()]}

    def reward(completions: list[str]) -> list[float]:
        with config["deep"][0]:
            return [0.0 for _ in completions]

    try:
        pickle.dumps(CARRY[contender](reward))
    except (errors.NotPortable, TypeError) as error:
        return f"`{str(error).partition(': ')[0]}`"
    return "nothing"


def shared_variable(contender: str) -> str:
    """Two functions that share a variable which one of them sets."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    def reward() -> int:
        step()
        return count

    try:
        arrived = pickle.loads(pickle.dumps(CARRY[contender](reward)))
    except errors.NotPortable:
        return "refused, with the reason"
    return "right" if arrived() == 1 else "a wrong result, silently"


def many(contender: str) -> str:
    """Bytes of a hundred classes of one owner on one toolset of 64."""
    tools, owner = listed(64), Owner()
    urls = [f"http://127.0.0.1:9/{number}" for number in range(100)]
    if contender == "envpickle":
        given = [owner.build(environment_class, "Dock", tools, url) for url in urls]
    else:
        given = [CONTENDERS[contender](tools, url) for url in urls]
    return f"{len(pickle.dumps(given)):,} B"


LINES: dict[str, Callable[[str], str]] = {
    "a class made while the script runs gets there": crosses,
    "a closure over plain data gets there": closure_crosses,
    "the class in `environment_factory`, and the same class in a reward function: there they are": same_class,
    "sent and come back, it is": comes_home,
    "a method that the other process has replaced on it, when the class comes once more": loaded_again,
    "the reward column of a function `short`, in process": column,
    "an `async def` reward, in process, is": awaited,
    "the type hints of a tool whose annotations are text, there": schema,
    "a lock deep in a closure: the message": lock,
    "two functions that share a variable one of them sets": shared_variable,
    "100 classes of one owner, on one toolset of 64": many,
}


def verdicts(tick: Callable[[], None]) -> list[dict[str, str]]:
    """Try every line by every contender.

    Args:
        tick: Called after each line.

    Returns:
        One row per line: ``line``, and what was found by contender.
    """
    rows = []
    for line, tried in LINES.items():
        rows.append({"line": line, **{name: tried(name) for name in CONTENDERS}})
        tick()
    return rows


def name_of(payload: bytes, connection: Connection) -> None:
    """Say what an environment of the class that came is an instance of (runs in a child, as those below)."""
    connection.send(type(pickle.loads(payload)()).__name__)


def keeps_changes(payload: bytes, connection: Connection) -> None:
    """Count calls of a method, as a process may; load the class again; say whether they are still counted."""
    cls = pickle.loads(payload)
    counted = cls.move_1 = lambda self, **arguments: None
    pickle.loads(payload)
    connection.send(cls.move_1 is counted)


def score_of(payload: bytes, connection: Connection) -> None:
    """Score something by the reward function that came."""
    connection.send(pickle.loads(payload)(["a"]))


def is_one(payload: bytes, connection: Connection) -> None:
    """Say whether the reward function knows the factory's environments."""
    factory, reward = pickle.loads(payload)
    connection.send(reward(factory()))


def hints_of(payload: bytes, connection: Connection) -> None:
    """Resolve the annotations of the tool that came."""
    try:
        typing.get_type_hints(pickle.loads(payload))
    except NameError as error:
        connection.send(f"`{error}`")
    else:
        connection.send("as at home")
