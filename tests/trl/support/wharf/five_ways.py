"""A training script with the five ways in which environment classes are written for trainers, each rewritten with envpickle.

``python five_ways.py TOKENIZER COMPLETIONS-URL DOCK-URL CLASS-FILE`` plays each of them in TRL's rollout process and
reports the rewards by column.
"""

import functools
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import envpickle
import envpickle_trl


@envpickle.builder
def inside_main(bays: list[int], name: str = "InsideMain") -> type:
    """1. It was a class inside `main()` that closed over what `main()` knew: now that comes as arguments."""

    class InsideMain:
        """Closes over the bays."""

        def __init__(self, worth: float = 1.0) -> None:
            self._worth, self._bay = worth, 0

        def reset(self, **task: Any) -> str:
            self._bay = 0
            return f" There are bays {bays}."

        def move_container(self, container: str, bay: int) -> str:
            """Move a container.

            Args:
                container: Its name.
                bay: Where to.
            """
            self._bay = bay
            return "moved"

        def get_reward(self) -> float:
            return self._worth if self._bay in bays else 0.0

    InsideMain.__name__ = name
    return InsideMain


class AtTheTop:
    """2. A class at the top of the script needs nothing: it is found by its name."""

    def reset(self, **task: Any) -> None:
        self._bay = 0

    def move_container(self, container: str, bay: int) -> str:
        """Move a container.

        Args:
            container: Its name.
            bay: Where to.
        """
        self._bay = bay
        return "moved"

    def get_reward(self) -> float:
        return 2.0 if self._bay == 3 else 0.0


class Maker:
    """4. A callable instance, which holds a class made while the script runs."""

    def __init__(self, kind: Callable[..., Any], worth: float) -> None:
        self.kind, self.worth = kind, worth

    def __call__(self) -> Any:
        return self.kind(worth=self.worth)


@envpickle.builder
def from_a_file(path: Path, name: str) -> type:
    """5. A class from a file that is no module of anybody's: both processes read the file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cls: type = module.__dict__.pop(name)  # the module is not to keep what the builder makes
    return cls


def main(model: str, url: str, dock: str, file: str) -> None:
    from scripted.worker import samples_of
    from transformers import AutoTokenizer
    from voyage.fresh import report

    with envpickle_trl.environment(dock, name="Served") as port:
        ways = {
            "inside main": inside_main([1, 2, 3]),
            "inside main, from a server": port.factory,
            "at the top": AtTheTop,
            "partial": functools.partial(inside_main([3], "Partial"), worth=3.0),
            "instance": Maker(inside_main([3], "OfAnInstance"), 4.0),
            "from a file": from_a_file(Path(file), "OfAFile"),
        }
        prompt = [{"role": "user", "content": "Go."}]
        weights = {"C1": 30}

        def weigh(container: str) -> int:
            """Weigh a container.

            Args:
                container: Its name.
            """
            return weights[container]

        samples = samples_of(
            ways,
            tools=[envpickle_trl.portable(weigh)],
            count=4 * len(ways),
            tokenizer=AutoTokenizer.from_pretrained(model),
            model_url=url,
            rows=[{"prompt": prompt, "environment": name, "seed": 1} for name in ways],
            reward_funcs=[envpickle_trl.portable(lambda completions, **kwargs: [float(len(ways)) for _ in completions])],
        )
    report([sample.metrics for sample in samples])


if __name__ == "__main__":
    from scripted.trainer import quiet_surroundings

    quiet_surroundings()
    main(*sys.argv[1:])
