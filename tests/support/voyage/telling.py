"""What a message must say, in a form that can be checked: what, of which object, why, and what to do next."""

import pickle
import re
from typing import Any

import cloudpickle

# the first words of an advice
_ADVICE = frozenset([
    "add", "ask", "build", "call", "check", "connect", "define", "derive", "describe", "do", "give", "hand", "have",
    "import", "install", "keep", "leave", "let", "list", "load", "look", "make", "mark", "mend", "move", "name",
    "pass", "pickle", "pin", "put", "raise", "read", "register", "reinstall", "remove", "rename", "rerun", "return",
    "run", "say", "see", "send", "set", "show", "start", "switch", "take", "teach", "train", "try", "use",
    "wait", "wire", "write",
])  # fmt: skip
_FEWEST_WORDS = 5  # of what is said before the advice: what, of which object, and why


def faults(text: str, subject: str) -> list[str]:
    """What a message lacks.

    Args:
        text: The message.
        subject: A pattern that the name of the object it is about matches.
    """
    found = [] if re.search(subject, text, re.DOTALL) else [f"it does not name its object ({subject})"]
    clauses = [clause.strip(" ->") for clause in re.split(r"[.;:,?!]\s+(?:so |and |or )?|\n| or ", text)]
    advice = [number for number, clause in enumerate(clauses) if clause.split(" ")[0].lower() in _ADVICE]
    if not advice:
        found.append("it does not say what to do next")
    before = " ".join(clauses[: advice[0]] if advice else clauses)
    if len(before.split()) < _FEWEST_WORDS:
        found.append("it does not say what happened, and why")
    return [f"{fault}: {text}" for fault in found]


def changed_by_pickling(error: BaseException) -> list[str]:
    """What of an error is lost by pickle's protocols and by cloudpickle: its type, its text, its attributes."""
    ways: dict[str, Any] = {f"protocol {protocol}": lambda error, p=protocol: pickle.dumps(error, p) for protocol in range(6)}
    ways["cloudpickle"] = cloudpickle.dumps
    whole = (type(error), str(error), error.args, vars(error))
    found = []
    for name, dumps in ways.items():
        back = pickle.loads(dumps(error))
        if (type(back), str(back), back.args, vars(back)) != whole:
            found.append(name)
    plain = all(isinstance(value, str | int | float | bool | tuple | type(None)) for value in vars(error).values())
    return found if plain else [*found, f"its attributes are no plain values: {vars(error)}"]
