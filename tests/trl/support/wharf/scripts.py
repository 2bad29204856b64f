"""Scripts as users write them, whose rewards live in the file that is run."""

SCRIPT = '''
import multiprocessing, pickle, sys
import envpickle_trl
from voyage.fresh import report

SCALE = {{"factor": 1 if __name__ == "__mp_main__" else 10}}

def plain(text):
    return len(text) * SCALE["factor"]

@envpickle_trl.portable
def decorated(text):
    """Score."""
    return len(text) * SCALE["factor"]

class Judge:
    def __call__(self, text):
        return len(text) * SCALE["factor"]

def work(conn, callables):
    conn.send([fn("abc") for fn in callables] + [callables[0] is decorated])

def sent(*callables):
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs, callables))
    process.start()
    theirs.close()
    answer = ours.recv() if ours.poll(40) else "no answer"
    process.join(10)
    return answer

if __name__ == "__main__":
{main}
'''

EVERY_KIND = """
    scale = 10
    def guarded(text):
        return len(text) * scale
    lambdas = envpickle_trl.portable(lambda text: len(text) * scale)
    report(sent(decorated, envpickle_trl.portable(plain), envpickle_trl.portable(Judge()),
                envpickle_trl.portable(guarded), lambdas))
"""

FROM_A_PATH = """
    import importlib.util, pathlib
    path = pathlib.Path("rules.py")
    path.write_text("import math\\nFLOOR = 2\\ndef reward(text):\\n    return math.floor(len(text) * helper())\\n"
                    "def helper():\\n    return FLOOR\\n")
    spec = importlib.util.spec_from_file_location("rules_of_the_port", path)
    module = sys.modules["rules_of_the_port"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.unlink()
    report(sent(envpickle_trl.portable(module.reward)))
"""


def script(main: str) -> str:
    """A script that reports what its rewards gave in a spawned process."""
    return SCRIPT.format(main=main.strip("\n"))
