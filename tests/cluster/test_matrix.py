"""The pickler matrix: every cell is what its page says, tried in the carrier itself."""

import functools

import pytest

from benchmarks.pickler_matrix.expected import ROWS
from benchmarks.pickler_matrix.pieces import COLUMNS
from benchmarks.pickler_matrix.trying import expected, try_group, written

tried = functools.cache(try_group)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("title", ROWS)
def test_a_cell_says_what_happens(title: str, column: str) -> None:
    """The first cell of a group starts its carriers, and they answer all of them."""
    assert tried(ROWS[title].group)[title][column] == ROWS[title].cells[column]


def test_the_page_has_the_table() -> None:
    """What stands in the docs is what the tests expect."""
    assert written() == expected()
