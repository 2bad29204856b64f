"""A reward function that closes over a lock."""

import threading

import good


def kwargs():
    lock = threading.Lock()

    def reward(completions, **columns):
        with lock:
            return [1.0 for _ in completions]

    return good.kwargs(reward_funcs=[reward])
