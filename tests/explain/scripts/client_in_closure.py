"""A reward function closes over a client with an open connection, and joblib's cloudpickle is to copy it."""

import socket

import cloudpickle


class Client:
    def __init__(self) -> None:
        self.retries = 3
        self.connection = socket.socket()


def make_reward(client: Client):
    def reward(completions: list[str]) -> list[float]:
        return [float(client.retries) for _ in completions]

    return reward


reward = make_reward(Client())

if __name__ == "__main__":
    cloudpickle.dumps(reward)
