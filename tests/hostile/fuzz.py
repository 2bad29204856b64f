"""Fuzz the readers of foreign bytes: ``python tests/hostile/fuzz.py --inputs 10000000 --seed 1``."""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from voyage import fuzzing


def main() -> None:
    """Run as many inputs as are asked for, for as long as is asked at most, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="how many, spread over the three readers")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same inputs")
    parser.add_argument("--seconds", type=float, default=1e9, help="how long at most")
    words = parser.parse_args()
    found = fuzzing.run(words.inputs, words.seed, words.seconds)
    print(json.dumps(found, indent=2))
    raise SystemExit(1 if found["wrong"] else 0)


if __name__ == "__main__":
    main()
