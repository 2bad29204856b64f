"""Tools as servers list them, and what a trainer reads back where that is something else."""

from .cases import Case, becomes, called, describes, explains, loses, parameter, same, tool

__all__ = ["CASES", "LOST", "PLAIN", "REWRITTEN"]

PLAIN = [
    same("integer", {"type": "integer"}),
    same("number", {"type": "number"}),
    same("string", {"type": "string"}),
    same("boolean", {"type": "boolean"}),
    same("null", {"type": "null"}),
    same("anything", {}),
    same("object", {"type": "object"}),
    same("array", {"type": "array"}),
    same("array of integers", {"type": "array", "items": {"type": "integer"}}),
    same("array of anything", {"type": "array", "items": {}}),
    same("array of arrays", {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
    same("array of a nullable", {"type": "array", "items": {"type": "integer", "nullable": True}}),
    same("array of choices", {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}),
    same("fixed row", {"type": "array", "prefixItems": [{"type": "string"}, {"type": "array"}]}),
    same("dictionary", {"type": "object", "additionalProperties": {"type": "number"}}),
    same("dictionary of anything", {"type": "object", "additionalProperties": {}}),
    same("dictionary of nulls", {"type": "object", "additionalProperties": {"type": "null"}}),
    same("nullable", {"type": "string", "nullable": True}),
    same("nullable anything", {"nullable": True}),
    same("several types", {"type": ["array", "integer", "object"]}),
    same("several types or null", {"type": ["integer", "string"], "nullable": True}),
    same("any of, one of them anything", {"anyOf": [{"type": "integer"}, {}]}),
    same("any of, with mixed choices", {"anyOf": [{"type": ["integer", "string"], "enum": [1, "a"]}, {"type": "boolean"}]}),
    same("a type or null", {"type": ["integer", "null"]}),
    same("any of, with null a choice", {"anyOf": [{"type": ["integer", "null"], "enum": [1, None]}, {"type": "string"}]}),
    same("choices", {"type": "string", "enum": ["north", "south"]}),
    same("choices of integers", {"type": "integer", "enum": [3, 1, 2]}),
    same("choices of many types", {"type": ["string", "integer", "null"], "enum": ["a", 1, None]}),
    same("choices or null", {"type": "string", "enum": ["a"], "nullable": True}),
    same("choices without a type", {"enum": ["a", 1, {"b": [2]}]}),
    same("choices of whole numbers", {"type": "number", "enum": [1, 2]}),
    same("choices of true and one", {"type": ["boolean", "integer"], "enum": [True, 1]}),
    same("choices with a section in them", {"enum": ["Returns: all", "(choices: none)"]}),
    same("choices in unicode", {"type": "string", "enum": ["Zürich", "東京", "🚢"]}),
]

REWRITTEN = [
    becomes("any of, with null", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "integer", "nullable": True}),
    becomes("any of types", {"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": ["integer", "string"]}),
    becomes("one of", {"oneOf": [{"const": "a"}, {"const": "b"}]}, {"type": "string", "enum": ["a", "b"]}),
    becomes("const", {"const": 5}, {"type": "integer", "enum": [5]}),
    becomes("type list in another order, with null", {"type": ["string", "null"]}, {"type": ["null", "string"]}),
    becomes(
        "array or null, of integers",
        {"type": ["array", "null"], "items": {"type": "integer"}},
        {"type": "array", "items": {"type": "integer"}, "nullable": True},
    ),
    becomes("type list in another order", {"type": ["string", "boolean"]}, {"type": ["boolean", "string"]}),
    becomes("array without a type", {"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}),
    becomes("all of one", {"allOf": [{"type": "integer"}]}, {"type": "integer"}),
    becomes("title", {"type": "integer", "title": "X"}, {"type": "integer"}),
    becomes("default null", {"type": "integer", "nullable": True, "default": None}, {"type": "integer", "nullable": True}),
    becomes("objects welcome", {"type": "object", "additionalProperties": True}, {"type": "object"}),
]

LOST = [
    loses("default", {"type": "integer", "default": 5}, {"type": "integer"}),
    loses("bounds", {"type": "integer", "minimum": 0, "maximum": 9}, {"type": "integer"}),
    loses("pattern", {"type": "string", "pattern": "^C[0-9]+$"}, {"type": "string"}),
    loses("format", {"type": "string", "format": "date"}, {"type": "string"}),
    loses("length", {"type": "array", "maxItems": 2}, {"type": "array"}),
    loses("examples", {"type": "string", "examples": ["C1"]}, {"type": "string"}),
    loses("closed object", {"type": "object", "additionalProperties": False}, {"type": "object"}),
    loses("row of one", {"type": "array", "prefixItems": [{"type": "string"}]}, {"type": "array"}),
    loses("never", {"type": "string", "not": {"enum": ["a"]}}, {"type": "string"}),
    loses("if and then", {"type": "integer", "if": {"minimum": 1}, "then": {"maximum": 5}}, {"type": "integer"}),
    loses("unknown type", {"type": "image"}, {}),
    loses("all of several", {"allOf": [{"type": "integer"}, {"minimum": 1}]}, {}),
    loses("reference elsewhere", {"$ref": "https://example.org/bay"}, {}),
    loses("choices of lists with blanks", {"type": "array", "enum": [[1], " b"]}, {"type": "array"}),
    loses(
        "nested object",
        {"type": "object", "properties": {"bay": {"type": "integer"}}, "required": ["bay"]},
        {"type": "object"},
    ),
    becomes(
        "array of objects",
        {"type": "array", "items": {"type": "object", "properties": {"bay": {"type": "integer"}}}},
        {"type": "array", "items": {"type": "object"}},
        '{"items": {"type": "object", "properties": {"bay": {"type": "integer"}}}}',
    ),
    becomes(
        "description inside",
        {"type": "array", "items": {"type": "integer", "description": "A bay."}},
        {"type": "array", "items": {"type": "integer"}},
        '{"items": {"type": "integer", "description": "A bay."}}',
    ),
    becomes(
        "union that loses its items",
        {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "integer"}]},
        {"type": ["array", "integer"]},
        '{"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "integer"}]}',
    ),
]

INPUTS = [
    Case("no parameters", tool({})),
    Case("many required, listed in another order", tool({n: {"type": "string", "description": n} for n in "abc"}, ["c", "a"])),
    Case("no schema at all", {**tool({}), "inputSchema": {}}, {"parameters": {"type": "object", "properties": {}}}),
    Case(
        "closed input",
        {**tool({}), "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False, "title": "Move"}},
        {"parameters": {"type": "object", "properties": {}}},
    ),
    Case(
        "required but not described",
        {**tool({}), "inputSchema": {"type": "object", "properties": {}, "required": ["bay"]}},
        {"parameters": tool({"bay": {"description": "bay"}}, ["bay"])["inputSchema"]},
    ),
    Case(
        "open input",
        {**tool({}), "inputSchema": {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}}},
        {
            "description": 'Move a container.\n\n{"additionalProperties": {"type": "integer"}}',
            "parameters": {"type": "object", "properties": {}},
        },
    ),
    Case(
        "references",
        {
            **tool({}),
            "inputSchema": {
                "type": "object",
                "properties": {"x": {"$ref": "#/$defs/Side", "description": "Which."}},
                "$defs": {"Side": {"type": "string", "enum": ["port", "starboard"], "description": "A side."}},
            },
        },
        {"parameters": tool({"x": {"type": "string", "enum": ["port", "starboard"], "description": "Which."}})["inputSchema"]},
    ),
    Case(
        "a tree",
        {
            **tool({}),
            "inputSchema": {
                "type": "object",
                "properties": {"x": {"$ref": "#/$defs/Node", "description": "Root."}},
                "$defs": {"Node": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
            },
        },
        {
            "parameters": tool(
                {"x": {"type": "array", "items": {}, "description": 'Root. {"items": {"$ref": "#/$defs/Node"}}'}}
            )["inputSchema"]
        },
    ),
]

DESCRIPTIONS = [
    describes("lines", "Move it.\n\nSlowly.\n  Indented.\nnote: with care"),
    describes("indented second line", "Move it.\n    Slowly."),
    describes("unicode", "Déplace le conteneur 🚢 — «vite»."),
    describes("quotes and backslashes", "Say \"C:\\new\" or '\\n', \\u0041."),
    describes("returns", "Move it.\n\nReturns: the bay.", "Move it.\n\nReturns : the bay."),
    describes("args of its own", "Move it.\n\nArgs:\n    x: a bay", "Move it.\n\nArgs :\n    x: a bay"),
    describes("raises inside a word", "kwArgs: and Raises: end it", "kwArgs : and Raises : end it"),
    describes("tab", "a\tb", "a       b"),
    describes("blanks around", "  Move it. \n", "Move it."),
    describes("none", "", "Call move."),
    explains("note", "note: handle with care"),
    explains("args", "Args: are fine here"),
    explains("unicode in a parameter", "Ziel — 目的地 🚢"),
    explains("returns in a parameter", "Returns: nothing", "Returns : nothing"),
    explains("lines in a parameter", "A bay.\nnote: free ones only\n\nx: y", "A bay. note: free ones only x: y"),
    explains("looks like choices", "a bay (choices: 1 or 2)", "a bay (choices : 1 or 2)"),
    explains("choices in the middle", "a bay (choices: 1 or 2), free"),
    explains("tab in a parameter", "a\tb", "a       b"),
    explains("no description", "", "x"),
]

NAMES = [
    called("my-tool"),
    called("browser.open/tab"),
    called("import"),
    called("größe"),
    called("two words"),
    called("close"),
    called("mro"),
    called("reset", "tool_reset"),
    called("get_reward", "tool_get_reward"),
    called("_x", "tool__x"),
    called("_close", "tool__close"),
    called("__init__", "tool___init__"),
    parameter("from"),
    parameter("self"),
    parameter("cls"),
    parameter("class"),
    parameter("None"),
    parameter("größe"),
    parameter("args"),
    parameter("kwargs"),
    parameter("_private"),
    parameter("file-path", "file_path"),
    parameter("return", "p_return"),
    parameter("2nd", "p_2nd"),
    parameter("", "p_"),
    parameter("a b.c", "a_b_c"),
    parameter("कि", "क_"),
]

CASES = [*PLAIN, *REWRITTEN, *LOST, *INPUTS, *DESCRIPTIONS, *NAMES]
