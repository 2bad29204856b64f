"""What teaches one family of picklers, or encodes: one file a backend, a third-party library imported in exactly one."""

from typing import Any, Protocol


class Backend(Protocol):
    """What a backend offers; a module with these names is one.

    Attributes:
        name: How it is called in lists; envpickle's own optional ones also in ``ENVPICKLE_DISABLE`` and by
            :func:`envpickle.enable`.
    """

    @property
    def name(self) -> str:
        """How the backend is called."""
        raise NotImplementedError

    def teach(self, metaclass: type) -> None:
        """Have the picklers of this family ask envpickle for classes of this metaclass."""

    def dumps(self, obj: Any) -> bytes:
        """Turn an object into bytes."""

    def loads(self, data: bytes) -> Any:
        """Make the object of what :meth:`dumps` made; at home, the same classes."""
