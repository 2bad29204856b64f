"""Trains at the top level."""

import good
from trl.experimental.async_grpo import AsyncGRPOTrainer


def main():
    trainer = AsyncGRPOTrainer(**good.kwargs())
    trainer.train()


main()
