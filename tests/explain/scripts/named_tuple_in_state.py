"""Rows of a file become named tuples whose fields are the file's header, and lie in an environment's state."""

import collections
import multiprocessing


class Env:
    def __init__(self, header: str, lines: list[str]) -> None:
        row = collections.namedtuple("Cargo", header.split(","))
        self.rows = [row(*line.split(",")) for line in lines]


env = Env("name,weight", ["crate,3", "barrel,5"])


def play(env: Env) -> int:
    return len(env.rows)


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(play, [env]))
