"""A method of a built class is replaced before training, to log what it does."""

import multiprocessing

import envpickle


@envpickle.builder
def dock_env(tools: list[str]) -> type:
    class Dock:
        def lift(self) -> str:
            return tools[0]

    return Dock


Env = dock_env(["lift", "lower"])
_lift = Env.lift


def logged(self) -> str:
    print("lifting")
    return _lift(self)


Env.lift = logged


def play(env_class: type) -> str:
    return env_class().lift()


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(play, [Env]))
