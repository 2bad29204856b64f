"""What a trainer reads back of a method is what the server listed, wherever its reader can express that at all."""

import inspect
import json
import os
import string
import types
import typing
from collections.abc import Callable
from typing import Any, Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from quay.cases import Case
from quay.corpus import CASES
from transformers.utils import get_json_schema
from transformers.utils.chat_template_utils import _parse_type_hint

from envpickle_openenv import Toolset, environment_class

NOWHERE = "http://127.0.0.1:9"


def read_back(tool: dict[str, Any], method: str | None = None) -> dict[str, Any]:
    """The function that transformers reads of the bound method, as trainers ask for it."""
    toolset = Toolset.from_listing([tool])
    built = environment_class.fn("Quay", toolset.plain(), NOWHERE)
    found: dict[str, Any] = get_json_schema(getattr(built(), method or toolset.methods[tool["name"]]))["function"]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_corpus_is_read_back(case: Case) -> None:
    found = read_back(case.tool)
    assert found == case.wanted
    assert list(found["parameters"]["properties"]) == list(case.wanted["parameters"]["properties"])
    assert "return" not in found


def test_the_corpus_is_large_and_has_no_duplicates() -> None:
    assert len(CASES) >= 40
    assert len({case.id for case in CASES}) == len(CASES)
    assert sum(case.read is None for case in CASES) >= 40


@pytest.mark.parametrize("case", [case for case in CASES if "self" not in case.id], ids=lambda case: case.id)
def test_the_function_in_the_class_reads_like_the_bound_method(case: Case) -> None:
    """Except that a tool with a parameter called ``self`` can only be read from an instance."""
    toolset = Toolset.from_listing([case.tool])
    built = environment_class.fn("Quay", toolset.plain(), NOWHERE)
    assert get_json_schema(getattr(built, toolset.methods[case.tool["name"]]))["function"] == case.wanted


LITERALS = st.one_of(
    st.lists(st.text(max_size=4), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-5, 5), min_size=1, max_size=4, unique=True),
    st.lists(st.one_of(st.text(max_size=2), st.integers(-3, 3), st.booleans(), st.none()), min_size=1, max_size=4),
)


def unions(members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(members, min_size=1, max_size=3).map(lambda found: typing.Union[tuple(found)])  # noqa: UP007


HINTS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.sampled_from([int, float, str, bool, type(None), Any, dict, typing.List]),  # noqa: UP006
        LITERALS.map(lambda values: Literal[tuple(values)]),
    ),
    lambda inner: st.one_of(
        inner.map(lambda hint: list[hint]),  # type: ignore[valid-type]
        inner.map(lambda hint: dict[str, hint]),  # type: ignore[valid-type]
        inner.map(lambda hint: typing.Optional[hint]),  # noqa: UP045
        st.lists(inner, min_size=2, max_size=3).map(lambda hints: tuple[tuple(hints)]),  # type: ignore[misc]
        unions(inner),
    ),
    max_leaves=6,
)


def is_valid(schema: Any) -> bool:
    """Whether a schema is one: the reader writes a type twice for `list[int] | list[str]`, which JSON Schema forbids."""
    if isinstance(schema, list):
        return all(map(is_valid, schema))
    if not isinstance(schema, dict):
        return True
    types_listed = schema.get("type")
    unique = not isinstance(types_listed, list) or len(set(types_listed)) == len(types_listed)
    return unique and all(map(is_valid, schema.values()))


@given(HINTS)
def test_every_schema_the_reader_can_write_comes_through_unchanged(hint: Any) -> None:
    """Whatever get_json_schema makes of some annotation, it makes of our method when a server lists that."""
    schema = _parse_type_hint(hint)
    assume(is_valid(schema))
    tool = {
        "name": "move",
        "description": "Move.",
        "inputSchema": {
            "type": "object",
            "properties": {"x": {**schema, "description": "It."}, "y": {**schema, "description": "Also."}},
            "required": ["y"],
        },
    }
    assert read_back(tool)["parameters"] == tool["inputSchema"]


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)
WORDS = [
    "type",
    "items",
    "prefixItems",
    "properties",
    "required",
    "additionalProperties",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
]
MORE_WORDS = [*WORDS, "nullable", "description", "default", "title", "minimum", "$ref", "$defs", "x-y"]
KINDS = st.sampled_from(["integer", "string", "array", "object", "null", "image", 3])
ANY_SCHEMA = st.recursive(
    st.one_of(KINDS.map(lambda kind: {"type": kind}), st.booleans(), JSON),
    lambda inner: st.dictionaries(st.sampled_from(MORE_WORDS), st.one_of(inner, st.lists(inner, max_size=3)), max_size=4),
    max_leaves=12,
)


@given(ANY_SCHEMA, ANY_SCHEMA)
def test_no_schema_is_too_odd(one: Any, other: Any) -> None:
    """Whatever a server lists, the method can be read, has its parameters, and says what it could not express."""
    schema = {"type": "object", "properties": {"x": one, "y": other}, "required": ["x"]}
    found = read_back({"name": "move", "description": "Move.", "inputSchema": schema})
    assert set(found["parameters"]["properties"]) == {"x", "y"}
    assert found["parameters"]["required"] == ["x"]
    json.dumps(found)


TEXT = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(
            [
                "Move",
                " ",
                "\n",
                "\n\n",
                "    ",
                "\t",
                "Args:",
                "Returns:",
                "Raises:",
                "x:",
                "note: y",
                "(choices:",
                ")",
                '["a"]',
                "\r",
                "é",
            ]
        ),
        max_size=8,
    ).map("".join),
)


def documented(text: str, parameter: str) -> Callable[..., None]:
    def move(x: int, y: int) -> None: ...

    del move.__annotations__["return"]
    move.__doc__ = f"{text}\n\nArgs:\n    x: {parameter}\n    y: Last.\n"
    return move


@given(TEXT, TEXT)
def test_every_description_the_reader_can_write_comes_through_unchanged(text: str, parameter: str) -> None:
    """What get_json_schema reads of some docstring is read again of our method when a server lists that."""
    try:
        listed = get_json_schema(documented(text, parameter))["function"]
    except Exception:  # a docstring the reader refuses is not one it can write
        assume(False)
    x = listed["parameters"]["properties"]["x"]
    assume(listed["description"] and x["description"])
    tool = {"name": "move", "description": listed["description"], "inputSchema": listed["parameters"]}
    assert read_back(tool) == listed


@given(TEXT, TEXT)
def test_no_description_is_cut(text: str, parameter: str) -> None:
    """Every word of a description is read back, whatever stands in it."""
    schema = {"x": {"type": "integer", "description": parameter}, "y": {"type": "integer", "description": "Last."}}
    tool = {"name": "move", "description": text, "inputSchema": {"type": "object", "properties": schema}}
    found = read_back(tool)

    def letters(said: str) -> str:
        return "".join(said.split())

    assert letters(text) in (letters(found["description"]), "")
    assert letters(parameter) in (letters(found["parameters"]["properties"]["x"]["description"]), "")
    assert found["parameters"]["properties"]["y"] == {"type": "integer", "description": "Last."}


ODD_NAMES = st.sampled_from(
    ["self", "_self", "from", "class", "return", "a-b", "a_b", "p_return", "Returns", "numRaises", "Args"]
)
PARAMETERS = st.dictionaries(st.text(min_size=1, max_size=6) | ODD_NAMES, st.just({"type": "integer"}), max_size=5)


@given(PARAMETERS, st.data())
def test_every_parameter_can_be_given_by_the_name_that_is_read(properties: dict[str, Any], data: st.DataObject) -> None:
    """Whatever parameters are called, each can be read, and a call by what was read sends the server's own names."""
    required = data.draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    tool = {
        "name": "move",
        "description": "M",
        "inputSchema": {"type": "object", "properties": properties, "required": required},
    }
    built = environment_class.fn("Quay", Toolset.from_listing([tool]).plain(), NOWHERE)
    read = get_json_schema(built().move)["function"]["parameters"]
    assert len(read["properties"]) == len(properties)
    assert len(read.get("required", [])) == len(required)
    sent: list[dict[str, Any]] = []
    env = built()
    env._session = types.SimpleNamespace(pid=os.getpid(), call=lambda tool, given: sent.append(given))
    env.move(**dict.fromkeys(read["properties"], 1))
    assert sent == [dict.fromkeys(properties, 1)]
    env.move(*range(len(read["properties"])))
    assert set(sent[1]) == set(properties)


@pytest.mark.parametrize("schema", [{"type": "string", "nullable": True}, {"type": "string"}], ids=["nullable", "plain"])
def test_the_order_of_choices_is_each_tool_s_own(schema: dict[str, Any]) -> None:
    """`typing` takes ``Literal["a", "b"]`` for ``Literal["b", "a"]``, and answers a union with one made before."""
    for values in (["a", "b"], ["b", "a"]):
        listed = {**schema, "enum": values, "description": "It."}
        mixed = {"anyOf": [{"enum": [*values, 1], "type": ["string", "integer"]}, {}], "description": "It."}
        properties = {"x": listed, "y": mixed}
        tool = {"name": "move", "description": "M", "inputSchema": {"type": "object", "properties": properties}}
        read = read_back(tool)["parameters"]["properties"]
        assert read["x"] == listed
        assert read["y"]["anyOf"][0]["enum"] == [*values, 1]


def test_methods_look_hand_written() -> None:
    """Signature, hints, name, documentation and defaults are those of a function written by hand."""
    properties = {
        "side": {"type": "string", "enum": ["port", "starboard"], "description": "Which."},
        "bay": {"type": "integer", "description": "Where."},
        "note": {"type": "string", "default": "-", "description": "Why."},
        "fast": {"type": "boolean", "description": "How."},
    }
    tool = {
        "name": "move",
        "description": "Move.",
        "inputSchema": {"type": "object", "properties": properties, "required": ["bay"]},
    }
    built = environment_class.fn("Quay", Toolset.from_listing([tool]).plain(), NOWHERE)
    move = built.__dict__["move"]
    assert inspect.isfunction(move)
    assert move.__name__ == "move"
    signature = "(self, bay: int, side: Literal['port', 'starboard'] = Ellipsis, note: str = '-', fast: bool = Ellipsis)"
    assert str(inspect.signature(move)).replace("typing.", "") == signature
    assert typing.get_type_hints(move) == {"side": Literal["port", "starboard"], "bay": int, "note": str, "fast": bool}
    assert list(inspect.signature(built().move).parameters) == ["bay", "side", "note", "fast"]
    assert string.capwords(inspect.getdoc(move) or "").startswith("Move. Args:")


def test_half_characters_are_none_of_a_description() -> None:
    """No tokenizer takes them, and a model's first prompt holds every description."""
    schema = {"type": "object", "properties": {"x": {"type": "integer", "description": "b\ud800", "default": "c\udfff"}}}
    found = read_back({"name": "move", "description": "a\ud83d, Łódź", "inputSchema": schema})
    assert found["description"] == "a?, Łódź"
    assert found["parameters"]["properties"]["x"]["description"] == 'b? {"default": "c?"}'
