"""Distributions of others: `tests/release/test_third_party.py` builds, installs and tests each in an environment of its own."""

collect_ignore_glob = ["*"]
