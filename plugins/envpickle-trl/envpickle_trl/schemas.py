"""Tool schemas, tokenizers and callbacks, as the trainer has them. The only module that imports transformers."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

__all__ = ["NoSchema", "available", "callback_class", "json_schema", "load_tokenizer"]


class NoSchema(Exception):
    """No schema can be made of a tool; the text says why.

    Attributes:
        kind: What is missing: ``"docstring"``, ``"annotation"``, or ``"unreadable"`` for anything else.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        kinds = {"DocstringParsingException": "docstring", "TypeHintParsingException": "annotation"}
        self.kind = kinds.get(type(error).__name__, "unreadable")


def available() -> bool:
    """Whether transformers is installed here."""
    return find_spec("transformers") is not None


def callback_class() -> type:
    """Return the base class of trainer callbacks."""
    from transformers import TrainerCallback

    base: type = TrainerCallback
    return base


def json_schema(tool: Callable[..., Any]) -> dict[str, Any]:
    """Make the schema of a tool that the model is shown.

    Args:
        tool: A function, or a bound method.

    Returns:
        The schema.

    Raises:
        NoSchema: transformers cannot describe it.
    """
    from transformers.utils import get_json_schema

    try:
        schema: dict[str, Any] = get_json_schema(tool)
    except Exception as error:  # a user's annotation may raise anything when it is evaluated
        raise NoSchema(error) from error
    return schema


def load_tokenizer(model: str) -> Any:
    """Load the tokenizer of a model from this machine; nothing is downloaded.

    Args:
        model: The model's directory or name.

    Returns:
        The tokenizer, or None if it is not here.
    """
    if not available():
        return None
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(model, local_files_only=True)
    except (OSError, ValueError):  # not here, or none that can be loaded without running the model's own code
        return None
