"""The JSON view of a spec is read from people and files: bad text is an EnvpickleError like bad bytes."""

import json
from typing import Any

import pytest
from harbour import docks

import envpickle
from envpickle import errors


def tree() -> Any:
    view = envpickle.describe(docks.lighthouse([1, {"a": (2,)}])).to_json()
    return json.loads(view) if isinstance(view, str) else view


BAD = [
    "",
    "{",
    "null",
    "5",
    '"text"',
    "[]",
    "{}",
    '{"a": 1}',
    "[" * 100_000,
    '{"a":' * 50_000,
    "NaN",
    "\ud800",
    "x" * (1 << 21),
]


@pytest.mark.parametrize("text", BAD, ids=lambda text: ascii(text)[:20])
def test_text_that_is_no_view_is_refused(text: str) -> None:
    """Bad JSON, other JSON, deep and large JSON."""
    with pytest.raises(errors.EnvpickleError):
        envpickle.Spec.from_json(text)


def changed(value: Any) -> Any:
    """Every tree that differs from the view in one place: a key missing, or a value of another kind."""
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
            for other in changed(value[key]):
                yield {**value, key: other}
    elif isinstance(value, list):
        for index in range(len(value)):
            yield value[:index] + value[index + 1 :]
            for other in changed(value[index]):
                yield [*value[:index], other, *value[index + 1 :]]
    else:
        yield from (v for v in (None, -1, "\x00", [], {}, 2**80, 1.5, True) if v != value or type(v) is not type(value))


def test_every_change_of_the_view_is_refused_or_another_spec() -> None:
    """A changed view is refused when read or when rebuilt, or is another spec; it is never taken for the original."""
    view = tree()
    spec = envpickle.Spec.from_json(json.dumps(view))
    count = 0
    for other in changed(view):
        count += 1
        try:
            read = envpickle.Spec.from_json(json.dumps(other))
        except errors.EnvpickleError:
            continue
        assert read != spec or other == view, other
        try:
            envpickle.rebuild(read)
        except errors.EnvpickleError:
            continue
        except TypeError as error:  # arguments that the builder's signature does not take
            assert "argument" in str(error), error  # noqa: PT017
    assert count > 20
