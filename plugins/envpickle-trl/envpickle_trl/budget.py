"""How many tokens a conversation can come to, against what the server takes.

AsyncGRPO sends the whole conversation before every turn of the model and asks for ``max_completion_length`` new tokens each
time, so the server's ``max_model_len`` must hold the longest conversation *and* one more answer.
"""

from dataclasses import dataclass

__all__ = ["Budget"]

_AROUND = 16  # tokens that a chat template puts around a turn's answer and a tool's result


@dataclass(frozen=True, slots=True)
class Budget:
    """The tokens of one conversation.

    Attributes:
        max_model_len: The most the server takes, conversation and new tokens together.
        answer: New tokens asked for on every turn (``max_completion_length``).
        rounds: Tool calls of a conversation (``max_tool_calling_iterations``); None for any number.
        prompt: The longest prompt with the tool schemas, as the chat template writes it.
        result: The longest result of a tool.
        observation: The longest text that a reset adds to the prompt.
    """

    max_model_len: int
    answer: int
    rounds: int | None
    prompt: int
    result: int
    observation: int = 0

    @property
    def room(self) -> int:
        """What is left for the conversation before its last turn."""
        return self.max_model_len - self.answer

    @property
    def first_turn(self) -> int:
        """What the first turn needs."""
        return self.prompt + self.answer

    @property
    def answers(self) -> int:
        """What prompt and answers alone need, should every answer be as long as it may, and no tool say anything."""
        return self.prompt + self.answer * ((self.rounds or 0) + 1)

    @property
    def whole(self) -> int:
        """What the longest conversation needs."""
        rounds = self.rounds or 0
        return self.answers + self.observation + rounds * (self.result + _AROUND)

    @property
    def left_for_a_result(self) -> int:
        """What is left for each tool result, should every answer be as long as it may."""
        left = self.max_model_len - self.answers - self.observation
        return max(0, left // self.rounds - _AROUND) if self.rounds else max(0, left)

    @property
    def rounds_that_fit(self) -> int:
        """How many tool calls fit."""
        return max(0, (self.room - self.prompt - self.observation) // (self.answer + self.result + _AROUND))
