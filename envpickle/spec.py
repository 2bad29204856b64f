"""A spec: the call that makes a class, as an object that can be read, compared, and written as bytes or JSON."""

import json
import math
import struct
from base64 import b64decode, b64encode
from typing import Any

from . import errors
from .payload import MAX_BYTES, VERSION, Call, intern, lay_out, pack, read, unpack

_FIELDS = ["format", "builder", "name", "key", "owner", "script", "surface", "args", "kwargs"]
_KINDS = {"format": int, "builder": str, "name": str, "key": str, "surface": list, "args": list, "kwargs": dict}


class Spec:
    """How to make a class again: the builder's name, its arguments, and what the class looks like.

    Made by :func:`envpickle.describe`, :meth:`from_bytes` or :meth:`from_json`; equal specs have equal bytes.
    """

    __slots__ = ("_call", "_head", "_name", "_parts", "_surface")

    def __init__(self, head: bytes, parts: tuple[bytes, ...]) -> None:
        self._call, self._name, self._surface, _ = read(head, parts)
        self._head, self._parts = head, parts

    @property
    def builder(self) -> str:
        """Name of the builder, ``module:qualname``."""
        return f"{self._call.module}:{self._call.qualname}"

    @property
    def name(self) -> str:
        """Name of the class."""
        return self._name

    @property
    def key(self) -> bytes:
        """The key of the call, 16 bytes; its first digits stand after the ``@`` of the class's qualified name."""
        return self._call.key

    @property
    def owner(self) -> bytes | None:
        """Key of the owner, 16 bytes, or None."""
        return self._call.owner

    @property
    def script(self) -> bytes | None:
        """Digest of the script the builder lives in, 16 bytes, or None for an importable builder."""
        return self._call.script

    @property
    def surface(self) -> tuple[str, ...]:
        """Public names of the class with their parameter names, such as ``"move(self,bay)"``."""
        return tuple(self._surface.split("\n")) if self._surface else ()

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments that can only be passed by position. Reading may import what they refer to."""
        return tuple(self._call.arguments()[0])

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name, defaults applied. Reading may import what they refer to."""
        return self._call.arguments()[1]

    @property
    def arguments(self) -> dict[str, Any]:
        """All arguments by name, those that have none by their position (``"0"``, ``"1"``, ...)."""
        args, kwargs = self._call.arguments()
        return {**{str(index): value for index, value in enumerate(args)}, **kwargs}

    def trees(self) -> list[Any]:
        """The arguments as they are written, in order; nothing is imported."""
        return [unpack(part.data) for part in self._call.values]

    def descriptor(self) -> tuple[bytes, tuple[bytes, ...]]:
        """Head and parts, as they stand in a pickle."""
        return self._head, self._parts

    def to_bytes(self) -> bytes:
        """The descriptor as one piece: msgpack of the list of its head and its parts."""
        return pack([self._head, *self._parts])

    @classmethod
    def from_bytes(cls, data: bytes) -> "Spec":
        """Read a descriptor; nothing is imported, looked up or called.

        Args:
            data: What :meth:`to_bytes` returned.

        Raises:
            DescriptorError: The bytes are no descriptor.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise errors.DescriptorError(f"a descriptor is bytes, not {type(data).__name__}. Give what Spec.to_bytes returned.")
        if len(data) > MAX_BYTES + 5 * 16_384:
            raise errors.DescriptorError(
                f"a descriptor has at most {MAX_BYTES} bytes, and these are {len(data)}. Send less data."
            )
        pieces = unpack(bytes(data))
        if type(pieces) is not list or len(pieces) < 2:
            raise errors.DescriptorError("these bytes are msgpack, but no descriptor. Give what Spec.to_bytes returned.")
        return cls(pieces[0], tuple(pieces[1:]))

    def to_json(self, indent: int | None = None) -> str:
        """The descriptor as JSON: the same tree, with ``$bytes`` and ``$float`` where JSON has no word.

        Args:
            indent: Spaces by which a level is indented; None for one line.
        """
        trees = [_to_json(tree) for tree in self.trees()]
        call = self._call
        document = {
            "format": VERSION,
            "builder": self.builder,
            "name": self.name,
            "key": self.key.hex(),
            "owner": self.owner.hex() if self.owner else None,
            "script": self.script.hex() if self.script else None,
            "surface": list(self.surface),
            "args": trees[: call.positional],
            "kwargs": dict(zip(call.keywords, trees[call.positional :], strict=True)),
        }
        return json.dumps(document, indent=indent)

    @classmethod
    def from_json(cls, text: str) -> "Spec":
        """Read what :meth:`to_json` wrote; nothing is imported, looked up or called.

        Raises:
            DescriptorError: The text is no descriptor.
        """
        try:
            said = json.loads(text)
            if list(said) != _FIELDS or any(type(said[name]) is not kind for name, kind in _KINDS.items()):
                raise ValueError("its fields are others")
            module, _, qualname = said["builder"].partition(":")
            owner, script = (None if said[name] is None else bytes.fromhex(said[name]) for name in ("owner", "script"))
            trees = [_from_json(tree) for tree in [*said["args"], *said["kwargs"].values()]]
            values = [intern(pack(tree)) for tree in trees]
            call = Call(module, qualname, script, owner, len(said["args"]), list(said["kwargs"]), values)
            head, parts = lay_out(call, said["name"], "\n".join(said["surface"]))
            fits = said["format"] == VERSION and said["key"] == call.key.hex()
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, struct.error) as error:
            raise errors.DescriptorError(
                f"the text is no descriptor ({type(error).__name__}: {error}). Give what Spec.to_json returned."
            ) from None
        if not fits:
            raise errors.DescriptorError(
                "the key or the format of the text does not fit its contents: it was edited. Describe the class again."
            )
        return cls(head, tuple(part.data for part in parts))

    def __repr__(self) -> str:
        return (
            f"<Spec {self.builder} -> {self.name}@{self.key.hex()[:12]}, {len(self._head) + sum(map(len, self._parts))} bytes>"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self.descriptor() == other.descriptor()

    def __hash__(self) -> int:
        return hash(self.descriptor())

    def __reduce__(self) -> tuple[Any, ...]:
        return Spec, (self._head, self._parts)


def _to_json(tree: Any) -> Any:
    if type(tree) is list:
        return [_to_json(item) for item in tree]
    if type(tree) is dict:
        return {key: _to_json(value) for key, value in tree.items()}
    if type(tree) is bytes:
        return {"$bytes": b64encode(tree).decode()}
    if type(tree) is float and not math.isfinite(tree):
        return {"$float": struct.pack(">d", tree).hex()}
    return tree


def _from_json(tree: Any) -> Any:
    if type(tree) is list:
        return [_from_json(item) for item in tree]
    if type(tree) is not dict:
        return tree
    if "$bytes" in tree and len(tree) == 1:
        return b64decode(tree["$bytes"], validate=True)
    if "$float" in tree and len(tree) == 1:
        number: float = struct.unpack(">d", bytes.fromhex(tree["$float"]))[0]
        return number
    return {key: _from_json(value) for key, value in tree.items()}
