"""torch and transformers write into classes that derive from theirs, or that they parse: that is no change of them."""

import itertools
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
import transformers
from wharf import learners

from envpickle import errors

FRESH = map("used {}".format, itertools.count())


def _optimize(cls: Any) -> Any:
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = cls([weight], lr=0.5)
    (weight * 2).sum().backward()
    optimizer.step()
    assert vars(cls)["step"].hooked
    return optimizer


def _model(cls: Any) -> Any:
    sizes = dict.fromkeys(("num_hidden_layers", "num_attention_heads", "num_key_value_heads"), 1)
    model = cls(transformers.Qwen3Config(vocab_size=8, hidden_size=4, intermediate_size=4, head_dim=4, **sizes))
    model(torch.zeros(1, 2, dtype=torch.long))
    return model


def _parse(cls: Any) -> Any:
    (found,) = transformers.HfArgumentParser(cls).parse_args_into_dataclasses(["--steps", "3", "--note", "x"])
    assert (found.steps, found.note, cls.__dataclass_fields__["note"].type) == (3, "x", str)
    return found


USES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "an optimizer": (learners.stepper, _optimize),
    "an optimizer whose step is its base's": (learners.renamed_optimizer, _optimize),
    "a model": (learners.talker, _model),
    "arguments of a command": (learners.settings, _parse),
}


@pytest.mark.parametrize("first", ["used first", "pickled first"])
@pytest.mark.parametrize("what", USES)
def test_use_changes_nothing(what: str, first: str) -> None:
    """The class is itself, and so are its instances, whether it was pickled before or not."""
    builder, use = USES[what]
    cls: Any = builder(next(FRESH))
    if first == "pickled first":
        pickle.dumps(cls)
    instance = use(cls)

    back, one = pickle.loads(pickle.dumps((cls, instance)))
    assert back is type(one) is cls


def test_a_base_is_used_after_the_class() -> None:
    """Torch wraps the step that the class inherits, and then the base's own."""
    cls: Any = learners.late_optimizer(next(FRESH))
    _optimize(cls)
    _optimize(torch.optim.Adagrad)

    assert pickle.loads(pickle.dumps(cls)) is cls


@pytest.mark.parametrize("builder", [learners.stepper, learners.renamed_optimizer])
def test_another_step_is_refused(builder: Any) -> None:
    """Also one that torch has wrapped."""
    cls: Any = builder(next(FRESH))
    pickle.dumps(cls)
    cls.step = lambda self, closure=None: None
    cls([torch.nn.Parameter(torch.ones(1))], lr=0.5)
    assert vars(cls)["step"].hooked

    with pytest.raises(errors.ClassChanged, match="step"):
        pickle.dumps(cls)


def test_what_a_model_gives() -> None:
    """A `ModelOutput` hands its fields on, and has them once more when it comes back."""
    cls: Any = learners.output(next(FRESH))
    back = pickle.loads(pickle.dumps(cls(loss=torch.ones(1), said="x")))

    assert type(back) is cls
    assert (float(back.loss), back["said"], [*back]) == (1.0, "x", ["loss", "said"])
