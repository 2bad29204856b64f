"""A reward function that is called like the environment's class."""

import good


def Dock(completions, **columns):
    return [1.0 for _ in completions]


def kwargs():
    return good.kwargs(reward_funcs=[Dock])
