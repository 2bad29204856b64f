"""Tagged values of wrong forms, for every kind: what a sender of another mind, or an attacker, would write."""

from collections.abc import Iterator
from typing import Any

REF = {"$ref": "harbour.cargo:Point"}
FUNCTION = {"$ref": "harbour.cargo:named_function"}

GENERIC: list[Any] = [
    None, True, 5, -1, 2**63, 1.5, "", "abc", b"", b"abc", [], {}, {"a": 1}, {"$ref": 5},
    *([item] * count for count in range(1, 11) for item in (None, 1, 1.5, "a", b"a", [1], [1, 2], {"a": 1})),
]  # fmt: skip

WRONG: dict[str, list[Any]] = {
    "$int": ["5", "ff", "0x10000000000000000", "+10000000000000000", "1_0000000000000000", "FFFFFFFFFFFFFFFFF",
              " 10000000000000000",
             "010000000000000000", "10000000000000000\n", "-0", "-8000000000000000", "ffffffffffffffff", "f" * 100_000],
    "$tuple": [{"0": 1}],
    "$set": [[1, 1], [2, 1], ["b", "a"], [[1], [1]], [{"$tuple": [2]}, {"$tuple": [1]}], [1, {"$set": [2, 1]}]],
    "$frozenset": [[1, 1], [2, 1], ["b", "a"]],
    "$dict": [[["a", 1]], [["$a", 1], ["b", 2]], [["a", 1], ["a", 2]], [[1, 1], [1, 2]], [[1]], [[1, 2, 3]], [{"a": 1}],
              [["a", 1], ["$b", 2]]],
    "$odict": [[["a", 1], ["a", 2]], [[1, 1], [1, 2]], [["a"]], [["a", 1, 2]], {"a": 1}],
    "$slice": [[], [1], [1, 2], [1, 2, 3, 4]],
    "$range": [[1], [0, 5], ["0", "5", "1"], [0.0, 5.0, 1.0], [False, True, True], [0, {"$int": "5"}, 1], [None, 5, None]],
    "$partial": [[FUNCTION], [FUNCTION, []], [FUNCTION, [], []], [FUNCTION, {}, {}], [FUNCTION, [], {}, 1], [FUNCTION,
              {"$tuple": []}, {"$set": []}]],
    "$complex": [[1, 2], [1.0], ["1", "2"], ["1+2j"], [1.0, 2.0, 3.0], 1.5, [1.0, 2]],
    "$decimal": [5, 1.5, "", "hello", "+1.10", " 1.1", "1.1 ", "1e5", "1_0", "01", ".5", "5.", "infinity", "nan", "\u0661",
              "1" * 20_000, ["1", "2"]],
    "$fraction": [[0.5], ["1e9999999"], ["1/3"], [1], [2, 4], [1, 0], [1, -3], [-1, -3], [0, 5], [1.0, 3.0], [True, 3], ["1",
              "3"], "1/3",
                  [1, {"$int": "3"}], [{"$int": "zz"}, 1], [{"$int": "3" * 50_000}, 7]],
    "$uuid": [b"12345", b"x" * 17, "00000000-0000-0000-0000-000000000005", 5],
    "$date": [[2026], [2026, 1], [2026, 1, 1, 1], ["2026", "1", "1"], [2026.0, 1, 1], [True, 1, 1], "2026-01-01"],
    "$time": [[1, 2, 3, 4, 0], [1, 2, 3, 4, 0, None, None], [1.0, 2, 3, 4, 0, None], [1, 2, 3, 4, False, None], [1, 2, 3, 4,
              0, "UTC"],
              [1, 2, 3, 4, 0, {"$ref": "datetime:UTC"}]],
    "$datetime": [[2026, 1, 1], [2026, 1, 1, 1, 2, 3, 4, 0], [2026, 1, 1, 1, 2, 3, 4, 0, 0], [2026, 1, 1, 1, 2, 3, 4, True,
              None]],
    "$timedelta": [[1], [1, 2], [0, 86_400, 0], [0, -1, 0], [0, 0, 1_000_000], [0, 0, -1], [0.5, 0, 0], [1, 2, 3, 4], [True,
              0, 0]],
    "$timezone": [[], [[0, 0, 0]], [[0, 0], None], [[0, 0, 0], 5], ["UTC", None], [3600, None], [[0, 3600.0, 0], None], "UTC"],
    "$zoneinfo": [5, None, ["Europe/Paris"], b"Europe/Paris"],
    "$path": [["Path"], ["system", "echo"], ["PosixPath", "a"], ["Path", "a//b"], ["Path", "a/."], ["Path", "./a"], ["Path",
              "a/"], ["Path", ""],
              ["PureWindowsPath", "c:/x"], ["Path", b"a"], ["Path", "a", "b"], [5, "a"], "a"],
    "$secret": [5, {"a": 1}, ["TOKEN"], b"TOKEN", None],
    "$ref": [5, None, ["os", "system"], "", "os", "os:", ":system", "os:a:b", "os.:system", ".os:system", "os:system.",
              "os :system", "os\n:system",
             "os\x00:system", "\u043es:system", "os:__name__", "os:path.__name__", "__main__.x:y", "unittest.__main__:x",
             "a.__init__:x", "os:" + "a" * 2_000],
    "$script": [5, [], [b"x" * 16], ["x" * 16, "a"], [b"x" * 15, "a"], [b"x" * 16, 5], [b"x" * 16, "a b"], [b"x" * 16,
              "__a__"], [b"x" * 16, ""], [b"x" * 16, "a", 1]],
    "$class": [5, [], [b"x"], {"a": 1}, [1, 2], ["EP", "x"], [b"", b""], [b"EP\x01", b""], [b"x" * 40, b"y"], None],
    "$member": [[REF], [REF, 5], [5, "a"], ["os", "path"], [REF, "a", 1], [{"$set": []}, "a"], [{"$ref": "os:__name__"}, "a"]],
    "$enum": [[REF], [REF, "A"], [REF, 5, None], [REF, "A", 1], [5, "A", None], [{"$tuple": []}, "A", None], [REF, "A", None,
              None]],
    "$packed": [[["a"], 1], [5, 6], ["os", 1], ["os:__name__", 1], ["os:system"], ["os:system", 1, 2], [{"$ref": "os:system"},
              1]],
    "$fields": [[REF], [REF, []], [REF, [["x", 1]]], [5, {}], ["os:path", {}], [{"$tuple": []}, {}], [REF, {}, 1]],
    "$struct": [[REF], [REF, []], [5, {}], [{"$set": [1]}, {}], [REF, {}, 1]],
    "$model": [[REF], [REF, []], [5, {}], [None, {}], [REF, {}, 1]],
}  # fmt: skip

UNKNOWN = ["$", "$nope", "$Int", "$tuple ", "$REF", "$$ref", "$class\x00", "$exec", "$object", "$pickle", "$t", "$\u0131nt"]

RIGHT: dict[str, list[Any]] = {
    "$tuple": [content for content in GENERIC if type(content) is list],
    "$set": [[], *([item] for item in (None, 1, 1.5, "a", b"a", [1], [1, 2], {"a": 1}))],
    "$odict": [[]],
    "$dict": [[[1, 2]]],
    "$slice": [content for content in GENERIC if type(content) is list and len(content) == 3],
    "$range": [[1, 1, 1]],
    "$complex": [[1.5, 1.5]],
    "$date": [[1, 1, 1]],
    "$timedelta": [[1, 1, 1]],
    "$timezone": [None],
    "$zoneinfo": ["", "abc"],
    "$secret": ["", "abc"],
    "$fraction": [[1, 1]],
}
RIGHT["$frozenset"] = RIGHT["$set"]
RIGHT["$odict"] = [[], [[1, 2]]]


def _is_among(content: Any, others: list[Any]) -> bool:
    return any(repr(content) == repr(other) for other in others)


def wrong() -> Iterator[tuple[str, Any]]:
    """Every wrong tree, each with a name."""
    for tag, contents in WRONG.items():
        for content in contents:
            yield f"{tag} {repr(content)[:60]}", {tag: content}
        for content in GENERIC:
            if not _is_among(content, RIGHT.get(tag, [])):
                yield f"{tag} generic {content!r}", {tag: content}
    for tag in UNKNOWN:
        yield f"unknown {tag!r}", {tag: []}


def places(tree: Any) -> dict[str, Any]:
    """The tree in every kind of place that a tree can stand in."""
    return {
        "alone": tree,
        "in a list": [1, [tree]],
        "in a dict": {"a": 1, "b": {"c": tree}},
        "in a tuple": {"$tuple": [1, tree]},
        "in a set": {"$set": [tree]},
        "as a key": {"$dict": [[tree, 1]]},
        "as a value": {"$dict": [[1, tree]]},
        "in an ordered dict": {"$odict": [["a", tree]]},
        "in a slice": {"$slice": [None, tree, None]},
        "in a partial": {"$partial": [FUNCTION, [tree], {}]},
        "in a partial's keywords": {"$partial": [FUNCTION, [], {"a": tree}]},
        "as a partial's function": {"$partial": [tree, [], {}]},
        "in fields": {"$fields": [REF, {"x": tree}]},
        "in a struct": {"$struct": [REF, {"x": tree}]},
        "in a model": {"$model": [REF, {"x": tree}]},
        "as a member's value": {"$enum": [REF, None, tree]},
        "in a plugin's data": {"$packed": ["harbour.cargo:named_function", [tree]]},
    }
