"""The environments: that they can be made and reset, and that their servers have room for all of them at once."""

from collections.abc import Iterator
from typing import Any

from envpickle.errors import EnvpickleError

from .. import rooms
from ..report import Finding
from ..setups import NotChecked, Played, Setup

NAME = "environment"
FINDINGS = {
    "environment.factory": "A factory raises when it is called without arguments, as the trainer does, or gives no instance.",
    "environment.reset": "An environment has no `reset`.",
    "environment.capacity": "An environment's server has room for fewer sessions than are played at once.",
    "environment.unreachable": "An environment's server cannot be asked for sessions.",
}


def check(setup: Setup) -> Iterator[Finding]:
    """Look at every environment's class, and open sessions on the servers that it plays on."""
    try:
        environments = setup.environments
    except NotChecked as error:
        yield Finding(
            "environment.factory",
            "environment_factory",
            "error",
            f"{error}.",
            "Hand over a class, or what returns an instance; the trainer calls it without arguments, so bind them with a "
            "partial, or a builder.",
        )
        return
    servers: dict[str, tuple[Any, list[Played]]] = {}
    for played in environments:
        if "reset" not in played.functions():
            yield Finding(
                "environment.reset",
                played.subject,
                "error",
                f"{played.cls.__name__} has no plain method reset, with which every episode begins.",
                "Give it a reset(self, **task).",
            )
        server = played.arguments.get("server")
        if server is not None:
            servers.setdefault(repr(server), (server, []))[1].append(played)
    if setup.probe_sessions:
        for server, players in servers.values():
            yield from _room(setup, server, players)


def _room(setup: Setup, server: Any, players: list[Played]) -> Iterator[Finding]:
    subject, wanted, setting = " and ".join(played.subject for played in players), setup.inflight, setup.inflight_setting
    try:
        room = rooms.find_room(server, wanted)
    except (rooms.NoAnswer, EnvpickleError) as error:
        yield Finding(
            "environment.unreachable",
            subject,
            "error",
            f"Its server could not be asked for a session ({error}), and one failed reset ends the rollout process.",
            "Start the server, or look at its address and headers.",
        )
        return
    if room.opened < wanted:
        most = "" if room.most is None else f" (its max_concurrent_envs is {room.most})"
        yield Finding(
            "environment.capacity",
            subject,
            "error",
            f"{wanted} episodes are played at once, and its server had room for {room.opened}{most}: {room.refused} Sessions "
            "stay open between episodes, so waiting does not help.",
            f"Start the server with max_concurrent_envs={wanted} or more, or set {setting}={max(room.opened, 1)}.",
        )
