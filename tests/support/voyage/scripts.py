"""Scripts as users write them, for builders that live in `__main__`."""

BUILDER = """
import envpickle

@envpickle.builder
def dock(tools: list, server: str = "sea") -> type:
    class Dock:
        label: "str" = server
        def version(self) -> "Tag":
            return {version!r}
    for tool in tools:
        setattr(Dock, tool, lambda self, tool=tool: tool)
    return Dock

class Tag: ...
"""

SPAWN = """
def work(conn):
    import pickle, sys, typing
    try:
        cls = pickle.loads(conn.recv_bytes())
        hints = typing.get_type_hints(cls.version)["return"].__name__
        answer = [cls().version(), cls is dock(["lift"]), cls.__name__, hints]
    except BaseException as error:
        answer = [type(error).__name__, str(error)]
    conn.send(answer)

def spawned(cls, method="spawn"):
    import multiprocessing, pickle
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    payload = pickle.dumps(cls)
    process = context.Process(target=work, args=(theirs,))
    process.start()
    ours.send_bytes(payload)
    answer = ours.recv() if ours.poll(30) else "no answer"
    process.join(10)
    return answer
"""


def script(version: str = "first", main: str = "") -> str:
    """A script with its builder at the top and `main` under the main guard."""
    body = "".join(f"    {line}\n" for line in ["from voyage.fresh import report", *main.strip().splitlines()])
    return BUILDER.format(version=version) + SPAWN + '\nif __name__ == "__main__":\n' + body


GUARDED = """
import multiprocessing, pickle

if __name__ == "__main__":
    import envpickle
    from voyage.fresh import report

    @envpickle.builder
    def dock(tools: list) -> type:
        return type("Dock", (), {tool: (lambda self, tool=tool: tool) for tool in tools})

    cls = dock(["lift"])
"""
REFUSAL = """
    try:
        pickle.dumps(cls)
        plain = "sent"
    except envpickle.errors.EnvpickleError as error:
        plain = [type(error).__name__, str(error)]
    import cloudpickle
    report(dict(plain=plain, home=cloudpickle.loads(cloudpickle.dumps(cls)) is cls))
"""
ELSEWHERE = "import envpickle, pickle\n" + GUARDED.split('if __name__ == "__main__":\n')[1].replace("\n    ", "\n").lstrip()
OUTSIDE_GUARD = REFUSAL.replace("\n    ", "\n")
