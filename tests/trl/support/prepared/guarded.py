"""A reward function that a spawned process does not find, because it is defined under the main guard."""

import sys

import good


def kwargs():
    return good.kwargs(reward_funcs=[sys.modules["__main__"].late])


if __name__ == "__main__":

    def late(completions, **columns):
        return [1.0 for _ in completions]

    from envpickle_trl import preflight

    print(preflight(kwargs(), server=sys.argv[1]).to_json())
