"""Environments share a counter that is guarded by a lock, deep inside their configuration."""

import multiprocessing
import threading


class Counter:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.value = 0


class Env:
    def __init__(self, config: dict) -> None:
        self.config = config


envs = [Env({"seed": seed, "metrics": {"steps": Counter()}}) for seed in range(4)]


def play(env: Env) -> int:
    return env.config["seed"]


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(play, envs))
