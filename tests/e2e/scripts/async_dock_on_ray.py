"""AsyncGRPO on the dock as in ``async_dock.py``, its rollouts played by two Ray actors instead of TRL's process."""

from datasets import Dataset
from no_gpu import stand_in
from settings import adapter, settings
from trl.experimental.async_grpo import AsyncGRPOTrainer
from watching import Progress, WatchedQueue, read_plan, save

import envpickle_ray
import envpickle_trl


def main() -> None:
    plan = read_plan()
    with envpickle_trl.environment(plan["dock"], name="Dock", on_error="unscored") as dock:
        trainer = AsyncGRPOTrainer(
            model=plan["model"],
            environment_factory=dock.factory,
            train_dataset=Dataset.from_list([{"prompt": [{"role": "user", "content": ""}], **plan["task"]}]),
            args=settings(plan),
            peft_config=adapter(),
            callbacks=[Progress()],
        )
        envpickle_trl.wire(trainer, dock, worker=envpickle_ray.RayRolloutWorker(actors=2))
        trainer.rollout_queue = WatchedQueue(trainer.rollout_queue, trainer.processing_class)
        trainer.train()
        save(plan, trainer, samples=trainer.rollout_queue.seen)


if __name__ == "__main__":
    stand_in()
    main()
