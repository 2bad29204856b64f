"""The driver of the two-node test: a class built in a script plays the dock and the pantry in actors on both nodes."""

__all__ = ["PROGRAM"]

PROGRAM = '''
import sys
import time

import ray

import envpickle
import envpickle_ray
from benchmarks.portsim.players import play_dock, play_pantry
from envpickle_openenv import AgentEnv
from harbour.berths import told
from ships import driving

PLAYERS = {"dock": play_dock, "pantry": play_pantry}
NODES = ("head", "far")


@envpickle.builder
def crew(base: type, which: str) -> type:
    """A class of this script: an environment that plays itself."""

    class Crew(base):
        def play(self, seed: int) -> float:
            self.reset(seed=seed)
            PLAYERS[which](self)
            return self.get_reward()

        def kind(self) -> type:
            return type(self)

        def node(self) -> str:
            return ray.get_runtime_context().get_node_id()

    Crew.__name__ = f"{which.title()}Crew"
    return Crew


def main(home: str, dock_url: str, pantry_url: str) -> None:
    driving.connect()
    driving.await_nodes(2)
    ports = {"dock": AgentEnv(dock_url), "pantry": AgentEnv(pantry_url)}
    classes = {which: crew(port.factory, which) for which, port in ports.items()}
    actors = {
        (which, node): envpickle_ray.actor(cls, num_cpus=0.1, resources={node: 1}, name=f"{which}-{node}").remote()
        for which, cls in classes.items()
        for node in NODES
    }
    scores = ray.get([one.play.remote(seed) for seed in range(2) for one in actors.values()])
    nodes = {node: {ray.get(actors[which, node].node.remote()) for which in classes} for node in NODES}
    same = [ray.get(one.kind.remote()) is classes[which] for (which, _), one in actors.items()]
    told(home, "ready", repr((scores, [len(ids) for ids in nodes.values()], len(set.union(*nodes.values())), same)))
    lost = set()
    while len(lost) < 2:
        for (which, node), one in actors.items():
            try:
                assert ray.get(one.play.remote(2)) == 1.0
            except ray.exceptions.RayActorError:
                lost.add((which, node))
    went_on = ray.get([actors[which, "head"].play.remote(seed) for seed in range(3, 6) for which in classes])
    told(home, "lost", repr((sorted(lost), went_on)))
    while True:
        time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
'''
