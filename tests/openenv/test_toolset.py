"""Tools as listed, and the builder's own checks of what it is given."""

import pickle
from typing import Any

import pytest
from quay.helpers import nowhere, toolset

from envpickle_openenv import Tool, Toolset, environment_class
from envpickle_openenv.errors import ServerSettingsError, ToolsetError


def test_both_spellings_of_the_input_schema_are_read() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}
    for word in ("inputSchema", "input_schema"):
        assert Tool.from_listing({"name": "move", word: schema}).input_schema == schema
    assert Tool.from_listing({"name": "move", "inputSchema": None}).input_schema == {}
    assert Tool.from_listing({"name": "move", "description": None, "title": "Move it"}).description == "Move it"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("move", "'move', which is no tool"),
        ({"title": "Move"}, "which is no tool"),
        ({"name": 3}, "which is no tool"),
        ({"name": "move", "inputSchema": [1]}, r"'move' has the input schema \[1\]"),
    ],
)
def test_what_is_no_tool_is_refused(entry: Any, message: str) -> None:
    with pytest.raises(ToolsetError, match=message):
        Toolset.from_listing([entry])


def test_a_toolset_is_a_collection() -> None:
    tools = toolset("a", "b")
    assert len(tools) == 2
    assert [tool.name for tool in tools] == ["a", "b"]
    assert tools["b"].name == "b"
    with pytest.raises(KeyError):
        tools["c"]


def test_equal_listings_give_equal_classes() -> None:
    one, other = (environment_class("Quay", toolset("a", "b").plain(), nowhere()) for _ in range(2))
    assert one is other
    assert environment_class("Quay", toolset("b", "a").plain(), nowhere()) is not one


def test_the_builder_takes_a_listing_too() -> None:
    """Tools as the server lists them are described where the class is built."""
    listing = [{"name": "move", "description": "Move.", "inputSchema": {"properties": {"from": {"type": "integer"}}}}]
    built = environment_class("Quay", listing, nowhere())
    assert pickle.loads(pickle.dumps(built)) is built
    assert built.move.__annotations__ == {"from": int}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("no name", toolset("a").plain(), nowhere()), {}, "'no name' is no class name"),
        (("Quay", [], nowhere()), {}, "Quay would have no tools"),
        (("Quay", toolset("a").plain(), 8000), {}, "the server's address is 8000; give a text"),
        (("Quay", toolset("a").plain(), {"url": b"http://quay"}), {}, "the server's address is b'http://quay'"),
        (("Quay", toolset("a").plain(), nowhere()), {"on_error": "ignore"}, "on_error is 'ignore'"),
        (("Quay", toolset("a").plain(), nowhere()), {"max_result_chars": 0}, "max_result_chars is 0"),
        (("Quay", [{**toolset("a").plain()[0], "method": "reset"}], nowhere()), {}, "cannot be the method 'reset'"),
        (("Quay", [{**toolset("a").plain()[0], "method": "_call"}], nowhere()), {}, "cannot be the method '_call'"),
        (("Quay", toolset("a"), nowhere()), {}, r"the tools of Quay are a Toolset; give Toolset\.plain\(\)"),
        (("Quay", list(toolset("a")), nowhere()), {}, r"give Toolset\.plain\(\)"),
        (("Quay", toolset("a").plain(), nowhere()), {"max_result_chars": "5"}, "max_result_chars is '5'"),
        (("Quay", toolset("a").plain(), {}), {}, "have no url"),
        (("Quay", toolset("a").plain() * 2, nowhere()), {}, "cannot be the method 'a', which is taken"),
    ],
)
def test_what_the_builder_refuses(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    """Also when a descriptor was made by hand: no tool takes the place of what is ours."""
    with pytest.raises(ToolsetError, match=message):
        environment_class(*arguments, **options)


@pytest.mark.parametrize(
    "server",
    [
        "http://docker:swordfish@host",
        {"url": "http://host/?key=swordfish"},
        {"url": "http://host", "headers": {"Authorization": "Bearer swordfish"}},
    ],
)
def test_the_builder_refuses_credentials_in_clear(server: Any) -> None:
    with pytest.raises(ServerSettingsError, match=r"envpickle\.Secret") as caught:
        environment_class("Quay", toolset("a").plain(), server)
    assert "swordfish" not in str(caught.value)


def test_a_listing_may_have_words_of_ours() -> None:
    built: Any = environment_class("Quay", [{"name": "a", "doc": "x"}, {"name": "b", "parameters": {}}], nowhere())
    assert callable(built.a)
    assert callable(built.b)


def test_a_schema_that_grows_without_end_is_refused() -> None:
    """References that double at every step would fill the memory."""
    doubling = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {**doubling, "d40": {"type": "integer"}}}
    with pytest.raises(ToolsetError, match=r"more than 20000 values|deeper than 64 levels"):
        Toolset.from_listing([{"name": "move", "inputSchema": schema}]).plain()


def test_a_schema_that_nests_too_deep_is_refused() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(100):
        schema = {"type": "array", "items": schema}
    with pytest.raises(ToolsetError, match="deeper than 64 levels"):
        Toolset.from_listing([{"name": "move", "inputSchema": {"properties": {"x": schema}}}]).plain()
