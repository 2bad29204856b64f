"""AsyncGRPO on the dock and the pantry at once: TRL's dict of factories, and a column that says which one a row is for."""

import pickle

from datasets import Dataset, concatenate_datasets
from no_gpu import stand_in
from settings import adapter, settings
from trl.experimental.async_grpo import AsyncGRPOTrainer
from watching import Progress, WatchedQueue, read_plan, save

import envpickle_trl


def main() -> None:
    plan = read_plan()
    with (
        envpickle_trl.environment(plan["dock"], name="Dock", tasks=[plan["task"]], on_error="unscored") as dock,
        envpickle_trl.environment(plan["pantry"], name="Pantry", tasks=[plan["pantry_task"]], on_error="unscored") as pantry,
    ):
        prompt = [{"role": "user", "content": ""}]
        # Not Dataset.from_list on all rows: it takes the columns of the first.
        rows = [Dataset.from_list([{"prompt": prompt, **task} for task in environment.tasks]) for environment in (dock, pantry)]
        trainer = AsyncGRPOTrainer(
            model=plan["model"],
            environment_factory=pickle.loads(pickle.dumps(envpickle_trl.factories(dock, pantry))),  # as good as the first
            train_dataset=concatenate_datasets(rows),
            args=settings(plan, num_generations=8),  # a step is two groups, mostly one of each
            peft_config=adapter(),
            callbacks=[Progress()],
        )
        envpickle_trl.wire(trainer, dock, pantry)
        trainer.rollout_queue = WatchedQueue(trainer.rollout_queue, trainer.processing_class)
        trainer.train()
        tools = {"Dock": sorted(dock.toolset.names), "Pantry": sorted(pantry.toolset.names)}
        save(plan, trainer, samples=trainer.rollout_queue.seen, tools=tools)


if __name__ == "__main__":
    stand_in()
    main()
