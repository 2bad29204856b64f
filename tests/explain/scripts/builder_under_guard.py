"""The builder of the environment stands where the script runs, under its main guard."""

import multiprocessing

import envpickle


def play(env_class: type) -> None:
    print(env_class().url())


if __name__ == "__main__":

    @envpickle.builder
    def dock_env(url: str) -> type:
        class Dock:
            def url(self) -> str:
                return url

        return Dock

    Env = dock_env("http://127.0.0.1:8000")
    worker = multiprocessing.get_context("spawn").Process(target=play, args=(Env,))
    worker.start()
    worker.join()
