"""The rewards that TRL brings along, plain and with arguments, and a user's that builds on one."""

from typing import Any

from wharf.pieces import piece

CHATS = [[{"content": "<think>\nA crane.\n</think>\nA crane."}], [{"content": "A crane."}]]
IDS = [[1, 2, 3, 1, 2, 3, 1, 2, 3], [4, 5, 6, 7]]


@piece(CHATS)
def think_format() -> Any:
    from trl.rewards import think_format_reward

    return think_format_reward


@piece(completion_ids=IDS)
def repetition_penalty() -> Any:
    from trl.rewards import get_repetition_penalty_reward

    return get_repetition_penalty_reward(ngram_size=2)


@piece(completion_ids=IDS)
def soft_overlong_punishment() -> Any:
    from trl.rewards import get_soft_overlong_punishment

    return get_soft_overlong_punishment(max_completion_len=8, soft_punish_cache=4)


@piece(CHATS)
def built_on_one_of_them() -> Any:
    from trl.rewards import think_format_reward

    weight = 0.5
    return lambda completions, **kwargs: [weight * score for score in think_format_reward(completions, **kwargs)]


def not_installed(fn: Any) -> Any:
    """Call a reward that needs a package which may be missing; what it says then is the same on both sides."""

    def said(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except ImportError as error:
            return str(error)

    return said


@piece(CHATS, solution=["1", "2"])
def accuracy() -> Any:
    from trl.rewards import accuracy_reward

    return not_installed(accuracy_reward)


@piece(CHATS, solution=["1", "2"])
def reasoning_accuracy() -> Any:
    from trl.rewards import reasoning_accuracy_reward

    return not_installed(reasoning_accuracy_reward)


@piece(CHATS, solution=["1", "2"], completion_ids=IDS[:2])
def cosine_scaled() -> Any:
    from trl.rewards import get_cosine_scaled_reward

    return not_installed(get_cosine_scaled_reward(max_len=100))
