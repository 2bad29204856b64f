"""What is read from a training script's source: whether it would train again in the rollout process."""

from pathlib import Path

import pytest

from envpickle_trl import Finding
from envpickle_trl.preflighting import preflight_script

UNGUARDED = {
    "t = AsyncGRPOTrainer()": 2,
    "with open(f) as g:\n    AsyncGRPOTrainer().train()": 3,
    "def main():\n    go()\ndef go():\n    AsyncGRPOTrainer()\nimport fire\nfire.Fire(main)": 7,
    "class Mine(AsyncGRPOTrainer): ...\ntry:\n    Mine()\nfinally:\n    pass": 4,
    "def make():\n    return AsyncGRPOTrainer()\nif __name__ == '__main__':\n    make()\nelse:\n    make()": 7,
    "trainer = make_it()\ntrainer.train()": 3,
}
GUARDED = [
    "def main():\n    AsyncGRPOTrainer().train()\nif __name__ == '__main__':\n    main()",
    "def main():\n    AsyncGRPOTrainer()\nif '__main__' == __name__ and True:\n    main()",
    "model = load()\nmodel.train()\nif __name__ == '__main__':\n    AsyncGRPOTrainer()",
    "main = lambda: AsyncGRPOTrainer()\nclass A:\n    def train(self): AsyncGRPOTrainer()",
]
IMPORT = "from trl.experimental.async_grpo import AsyncGRPOTrainer\n"


def script_findings(tmp_path: Path, source: str) -> list[Finding]:
    path = tmp_path / "train.py"
    path.write_text(source, encoding="utf-8")
    return [finding for finding in preflight_script(path) if finding.check.startswith("script")]


@pytest.mark.parametrize("source", UNGUARDED)
def test_work_at_the_top_level_is_found(tmp_path: Path, source: str) -> None:
    (finding,) = script_findings(tmp_path, IMPORT + source)
    assert finding.subject == f"train.py:{UNGUARDED[source]}"


@pytest.mark.parametrize("source", GUARDED)
def test_guarded_work_is_none(tmp_path: Path, source: str) -> None:
    assert script_findings(tmp_path, IMPORT + source) == []


def test_an_alias_is_followed_and_another_trainer_is_not_meant(tmp_path: Path) -> None:
    assert script_findings(tmp_path, f"{IMPORT.strip()} as T\nT()")[0].subject == "train.py:2"
    assert script_findings(tmp_path, "from trl import GRPOTrainer\ntrainer = GRPOTrainer()\ntrainer.train()") == []
