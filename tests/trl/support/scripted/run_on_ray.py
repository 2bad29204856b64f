"""A training script whose rollouts are played by Ray actors, which tests kill from outside; it starts Ray by itself.

``python -m scripted.run_on_ray MODEL COMPLETIONS-URL DOCK-URL``
"""

import sys
from pathlib import Path

import envpickle_ray
import envpickle_trl
from scripted.trainer import make_trainer, quiet_surroundings


def main(model: str, url: str, dock: str) -> None:
    with envpickle_trl.environment(dock, name="Dock") as port:
        trainer = make_trainer(Path(model), url, port.factory, max_steps=1_000_000)
        envpickle_trl.wire(trainer, port, worker=envpickle_ray.RayRolloutWorker(actors=2))
        trainer.train()


if __name__ == "__main__":
    quiet_surroundings()
    main(*sys.argv[1:])
