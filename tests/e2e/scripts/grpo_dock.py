"""GRPO in one process, generation by transformers: the same class trains, is evaluated, and is never pickled."""

import copyreg
import pickle
from typing import Any

import httpx
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from watching import Progress, read_plan, save

import envpickle_trl

TRAINED, EVALUATED = 16, 18


class Pickles:
    """Counts how often a class of one metaclass is pickled, through the registry that every pickler asks."""

    def __init__(self, metaclass: type) -> None:
        self.count = 0
        self.reduce: Any = copyreg.dispatch_table[metaclass]
        copyreg.pickle(metaclass, self)

    def __call__(self, cls: type) -> Any:
        self.count += 1
        return self.reduce(cls)


class Scores:
    """A reward function that adds nothing and notes what each environment gives."""

    __name__ = "noted"

    def __init__(self) -> None:
        self.seen: list[float | None] = []

    def __call__(self, environments: list[Any], **_: Any) -> list[None]:
        self.seen += [environment.get_reward() for environment in environments]
        return [None] * len(environments)


def main() -> None:
    plan = read_plan()
    rows = [{"prompt": [{"role": "user", "content": ""}], **plan["task"]}]
    scores = Scores()
    with envpickle_trl.environment(plan["dock"], name="Dock") as dock:
        pickles = Pickles(type(dock.factory))
        trainer = GRPOTrainer(
            model=plan["model"],
            reward_funcs=scores,
            environment_factory=dock.factory,
            train_dataset=Dataset.from_list(rows * TRAINED),
            eval_dataset=Dataset.from_list(rows * EVALUATED),
            args=settings(plan),
            callbacks=[Progress()],
        )
        with envpickle_trl.wire(trainer, dock):
            trainer.train()
            trainer.evaluate()
            pickled = pickles.count
            live = httpx.get(plan["status"], trust_env=False).json()["dock"]["sessions"]["live"]
            pickle.dumps(dock.factory)  # which the count does not miss
            save(plan, trainer, rewards=scores.seen, pickled=pickled, counted=pickles.count - pickled, live=live)


def settings(plan: dict[str, Any]) -> GRPOConfig:
    """Two steps of 16 rollouts, and each row of the evaluation once."""
    return GRPOConfig(
        output_dir="run",
        max_steps=2,
        seed=plan["seed"],
        per_device_train_batch_size=TRAINED,
        num_generations=TRAINED,
        per_device_eval_batch_size=EVALUATED,
        num_generations_eval=1,  # else each row is rolled out `num_generations` times
        max_completion_length=256,  # the whole conversation
        max_tool_calling_iterations=4,
        chat_template_kwargs={"enable_thinking": False},
        min_p=0.05,
        learning_rate=1e-4,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )


if __name__ == "__main__":
    main()
