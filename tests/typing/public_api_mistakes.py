"""Read by mypy in `test_typing.py`, never run: mistakes that a type checker finds before a process does."""

import envpickle


@envpickle.builder
def dock(tools: list[str], *, size: int = 1) -> type:
    return type("Dock", (), {})


envpickle.rebuild(5)  # mistake
envpickle.Secret(5)  # mistake
envpickle.Spec.from_bytes("text")  # mistake
envpickle.Owner().build(len)  # mistake
envpickle.no_such_name  # mistake
