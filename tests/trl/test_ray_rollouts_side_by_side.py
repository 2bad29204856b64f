"""What Ray actors are for: resets, which one of TRL's loops awaits one by one, go on side by side in several of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted.rays import Reader, a_small_ray, make_worker
from scripted.slow import most_at_once, slow_to_begin

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    with a_small_ray():
        yield


@pytest.mark.parametrize("actors", [1, 2])
def test_resets_at_once(tokenizer: Any, model: Any, tmp_path: Path, actors: int) -> None:
    """As many as there are actors; no rate is asserted, as a loaded machine would make another."""
    worker = make_worker(
        slow_to_begin(tmp_path), tokenizer=tokenizer, url=model.url, actors=actors, ray_options={"num_cpus": 0.25}
    )
    try:
        worker.start()
        Reader(worker).read_through(6 * actors)
        assert most_at_once(tmp_path) == actors
        assert len(list(tmp_path.iterdir())) == actors
    finally:
        worker.stop()
