"""A factory that closes over a URL is handed to a rollout process that Python spawns."""

import multiprocessing


def play(make_env) -> None:
    print(make_env())


def main() -> None:
    url = "http://127.0.0.1:8000"

    def make_env() -> str:
        return url

    worker = multiprocessing.get_context("spawn").Process(target=play, args=(make_env,))
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
