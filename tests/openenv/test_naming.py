"""Names of methods and parameters: kept where possible, else changed by the documented rules or refused."""

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envpickle_openenv import Toolset
from envpickle_openenv.errors import ToolsetError
from envpickle_openenv.naming import PREFIX, method_names, parameter_names

NAMES = st.one_of(
    st.text(min_size=1, max_size=8),
    st.text("_ab-", min_size=1, max_size=4),
    st.sampled_from(
        ["reset", "get_reward", "_close", "__init__", "tool_reset", "tool__close", "self", "return", "from", "Returns"]
    ),
)


def listed(*names: str, rename: dict[str, str] | None = None) -> Toolset:
    return Toolset.from_listing([{"name": name} for name in names], rename)


@given(st.lists(NAMES, unique=True, max_size=6))
def test_no_tool_takes_our_names(tools: list[str]) -> None:
    """Every tool gets a method of its own, none of them ours; or the collision is refused."""
    ours = [tool for tool in tools if tool in ("reset", "get_reward") or tool.startswith("_")]
    if any(PREFIX + tool in tools for tool in ours):
        with pytest.raises(ToolsetError, match="would both be the method"):
            method_names(tools)
        return
    methods = method_names(tools)
    assert list(methods) == tools
    assert len(set(methods.values())) == len(tools)
    for tool, method in methods.items():
        assert method not in ("reset", "get_reward")
        assert not method.startswith("_")
        assert method in (tool, PREFIX + tool)


@given(st.lists(NAMES | st.just(""), unique=True, max_size=6))
def test_parameters_are_names_a_signature_and_a_docstring_can_carry(names: list[str]) -> None:
    chosen = parameter_names(names)
    assert list(chosen) == names
    assert len(set(chosen.values())) == len(names)
    for name, parameter in chosen.items():
        assert parameter.isidentifier()
        assert all(character.isalnum() or character == "_" for character in parameter)
        assert parameter != "return"
        assert not parameter.endswith(("Returns", "Raises"))
        if set(name) <= set(string.ascii_letters) and name not in ("", "return", "Returns", "Raises"):
            assert parameter == name


def test_no_parameter_looks_like_a_section_of_a_docstring() -> None:
    """Its reader would take ``numReturns:`` for the end of the parameters."""
    chosen = parameter_names(["Returns", "numReturns", "x-Raises", "1Raises", "returns", "Returns_", "Args"])
    assert list(chosen.values()) == ["Returns__2", "numReturns_", "x_Raises_", "p_1Raises_", "returns", "Returns_", "Args"]


def test_collisions_are_told_apart() -> None:
    assert parameter_names(["a-b", "a_b", "a.b"]) == {"a-b": "a_b_2", "a_b": "a_b", "a.b": "a_b_3"}


def test_renaming_as_asked() -> None:
    toolset = listed("reset", "tool_reset", rename={"reset": "restart"})
    assert toolset.methods == {"reset": "restart", "tool_reset": "tool_reset"}
    assert [method["name"] for method in toolset.plain()] == ["reset", "tool_reset"]


@pytest.mark.parametrize(
    ("names", "rename", "message"),
    [
        ([], {}, "lists no tools"),
        ([""], {}, "has no name"),
        (["move", "move"], {}, "'move' is listed twice"),
        (["reset", "tool_reset"], {}, "'reset' and 'tool_reset' would both be the method 'tool_reset'.*rename="),
        (["a", "b"], {"a": "b"}, "would both be the method 'b'"),
        (["a"], {"a": "reset"}, "cannot be the method 'reset'"),
        (["a"], {"a": "_a"}, "cannot be the method '_a'"),
        (["a"], {"a": ""}, "cannot be the method ''"),
        (["a"], ["a"], r"rename is \['a'\]; give a dict"),
        (["a"], {"a": 5}, "rename is {'a': 5}; give a dict"),
        (["a"], {"b": "c"}, r"names \['b'\], which the server does not list; it lists \['a'\]"),
    ],
)
def test_refused(names: list[str], rename: Any, message: str) -> None:
    with pytest.raises(ToolsetError, match=message):
        listed(*names, rename=rename)
