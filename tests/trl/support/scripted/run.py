"""A training script as a user's, which tests interrupt and kill from outside.

``python -m scripted.run MODEL COMPLETIONS-URL DOCK-URL IN-FLIGHT``
"""

import sys
from pathlib import Path

import envpickle_trl
from scripted.trainer import make_trainer, quiet_surroundings


def main(model: str, url: str, dock: str, in_flight: str) -> None:
    with envpickle_trl.environment(dock, name="Dock") as port:
        trainer = make_trainer(Path(model), url, port.factory, max_inflight_tasks=int(in_flight), max_steps=1_000_000)
        envpickle_trl.wire(trainer, port)
        trainer.train()


if __name__ == "__main__":
    quiet_surroundings()
    main(*sys.argv[1:])
