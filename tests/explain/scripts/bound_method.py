"""A bound method goes to a pool; its object holds a connection to a server, with its TLS settings."""

import multiprocessing
import socket
import ssl


class Session:
    def __init__(self) -> None:
        self.connection = socket.socket()
        self.tls = ssl.create_default_context()


class Env:
    def __init__(self) -> None:
        self.session = Session()

    def step(self, action: int) -> int:
        return action


def main() -> None:
    env = Env()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(env.step, [1, 2, 3]))


if __name__ == "__main__":
    main()
