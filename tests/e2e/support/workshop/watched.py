"""Runs a command that ends when whoever started it is gone: ``python watched.py COMMAND...``, with standard input a pipe.

Nobody writes to that pipe; it ends when its writing end is closed, by its owner or by the owner's death. A check that is killed
would otherwise leave a server behind that takes a core for ever.
"""

import os
import subprocess
import sys
import threading

GRACE_SECONDS = 15.0


def main(command: list[str]) -> int:
    """Run a command to its end, or to that of standard input."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def watch() -> None:
        while os.read(0, 4096):
            pass
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()

    threading.Thread(target=watch, daemon=True).start()
    status = process.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
