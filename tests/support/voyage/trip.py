"""Carry cargo into one fresh child and back: each piece is loaded there before anything is built there.

A *hold* is an importable module with a function `make_NAME()` for each piece, which returns what is sent, and
`check_NAME(arrived)`, which raises where it is not right; `home_NAME(sent, back)` may add what must hold at home.
A trip's outcome is `{name: verdict}`; a verdict is "ok" or says at which of make, dumps, loads, check, return and home it
went wrong.
"""

import importlib
import multiprocessing
import traceback
from typing import Any

from voyage import picklers
from voyage.fresh import run

PROGRAM = """
import sys
from voyage.fresh import report
from voyage.trip import main

if __name__ == "__main__":
    report(main(*sys.argv[1:]))
"""


def _told(stage: str, error: BaseException) -> str:
    where = "" if stage in ("dumps", "loads") else "".join(traceback.format_exception(error)[-3:])
    return f"{stage}: {type(error).__name__}: {error} {where}".strip()


def receive(conn: Any, hold: str, tool: str) -> None:
    """The child: load all pieces, check each, send each back."""
    pieces = conn.recv()
    arrived = {}
    for name, payload in pieces.items():
        try:
            arrived[name] = ("ok", picklers.loads(tool, payload))
        except BaseException as error:
            arrived[name] = (_told("loads", error), None)
    checks = importlib.import_module(hold)
    answers = {name: _checked(checks, tool, name, *found) for name, found in arrived.items()}
    conn.send(answers)


def _checked(checks: Any, tool: str, name: str, verdict: str, piece: Any) -> tuple[str, bytes]:
    if verdict != "ok":
        return verdict, b""
    stage = "check"
    try:
        getattr(checks, f"check_{name}")(piece)
        stage = "return"
        return "ok", picklers.dumps(tool, piece)
    except BaseException as error:
        return _told(stage, error), b""


def _home(module: Any, tool: str, name: str, sent: Any, payload: bytes) -> str:
    try:
        back = picklers.loads(tool, payload)
        if isinstance(sent, type):
            assert back is sent, f"{back!r} came home, and not {sent!r} itself"
        elif not callable(sent) and not isinstance(sent, (tuple, list, dict)):
            assert type(back) is type(sent), f"a {type(back)!r} came home, and {type(sent)!r} was sent"
        getattr(module, f"home_{name}", lambda sent, back: None)(sent, back)
    except BaseException as error:
        return _told("home", error)
    return "ok"


def _child(method: str, hold: str, tool: str, pieces: dict[str, bytes]) -> dict[str, tuple[str, bytes]]:
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=receive, args=(theirs, hold, tool), daemon=True)
    process.start()
    theirs.close()
    try:
        ours.send(pieces)
        assert ours.poll(50), "the child gives no answer"
        answers: dict[str, tuple[str, bytes]] = ours.recv()
        process.join(10)
        return answers
    finally:
        process.kill()
        process.join()


def main(hold: str, tool: str, method: str, *names: str) -> dict[str, str]:
    """The sender's half; returns the verdict on each piece."""
    module = importlib.import_module(hold)
    verdicts: dict[str, str] = {}
    sent, pieces = {}, {}
    for name in names:
        try:
            sent[name] = getattr(module, f"make_{name}")()
            pieces[name] = picklers.dumps(tool, sent[name])
        except BaseException as error:
            verdicts[name] = _told("dumps" if name in sent else "make", error)
    for name, (verdict, payload) in (_child(method, hold, tool, pieces) if pieces else {}).items():
        verdicts[name] = verdict if verdict != "ok" else _home(module, tool, name, sent[name], payload)
    return verdicts


def carried(hold: str, names: list[str], tool: str = "pickle", method: str = "spawn") -> dict[str, str]:
    """Run one trip in fresh interpreters and return the verdict on each piece."""
    verdicts: dict[str, str] = run(PROGRAM, hold, tool, method, *names)
    return verdicts


def pieces(hold: str) -> list[str]:
    """The names of the pieces of a hold, in the order they are written in."""
    return [name[5:] for name in vars(importlib.import_module(hold)) if name.startswith("make_")]
