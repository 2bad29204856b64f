"""What TRL and transformers ask of a reward function or a tool, asked of one."""

import asyncio
import inspect
from typing import Any

from transformers.utils import get_json_schema
from trl.trainer.utils import get_callable_name, is_async_callable


def schema(fn: Any) -> Any:
    """The schema a chat template is given of a tool, None if there is none to be had."""
    try:
        return get_json_schema(fn)
    except Exception:
        return None


def signature(fn: Any) -> Any:
    """Names, kinds and defaults of the parameters; annotations may have been text and be resolved."""
    return [(p.name, p.kind.name, repr(p.default)[:12]) for p in inspect.signature(fn).parameters.values()]


def asked(fn: Any) -> dict[str, Any]:
    """Everything they look at."""
    return {
        "column": get_callable_name(fn),
        "tool name": getattr(fn, "__name__", None),
        "qualified": getattr(fn, "__qualname__", None),
        "async reward": is_async_callable(fn),
        "async tool": inspect.iscoroutinefunction(fn),
        "a function or a method": (inspect.isfunction(fn), inspect.ismethod(fn)),  # else a chat template takes it for no tool
        "docstring": inspect.getdoc(fn),
        "schema": schema(fn),
        "signature": signature(fn),
    }


def answer(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """What a call gives, awaited where TRL would."""
    result = fn(*args, **kwargs)
    return asyncio.run(result) if is_async_callable(fn) else result


def assert_same(arrived: Any, raw: Any, *args: Any, **kwargs: Any) -> None:
    """A callable that came is what the plain one is, to whoever asks."""
    assert asked(arrived) == asked(raw), f"{asked(arrived)}\n{asked(raw)}"
    assert answer(arrived, *args, **kwargs) == answer(raw, *args, **kwargs)
