"""Reward functions in a table, one of them a lambda, go to a pool of processes."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor


def length(text: str) -> float:
    return float(len(text))


def score(rewards: dict, text: str) -> float:
    return sum(reward(text) for reward in rewards.values())


def main() -> None:
    rewards = {"length": length, "polite": lambda text: float("please" in text)}
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        print(pool.submit(score, rewards, "lower it, please").result())


if __name__ == "__main__":
    main()
