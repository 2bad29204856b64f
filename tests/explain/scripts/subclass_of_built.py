"""A function derives from a built class to add a reward."""

import multiprocessing

import envpickle


@envpickle.builder
def dock_env(tools: list[str]) -> type:
    class Dock:
        def names(self) -> list[str]:
            return tools

    return Dock


def with_reward(base: type, weight: float) -> type:
    class Rewarded(base):
        def get_reward(self) -> float:
            return weight

    return Rewarded


def play(env_class: type) -> float:
    return env_class().get_reward()


if __name__ == "__main__":
    Env = with_reward(dock_env(["lift"]), 0.5)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(play, [Env]))
