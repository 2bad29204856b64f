"""What benchmarks keep in the documentation: a section of a page between two marks, and pictures."""

from pathlib import Path
from typing import Any

__all__ = ["MEASURED", "keep_picture", "keep_section"]

MEASURED = "<!-- measured: begin -->", "<!-- measured: end -->"


def keep_section(page: Path, text: str, marks: tuple[str, str] = MEASURED) -> None:
    """Put a text into a page, in place of the one that was there.

    Args:
        page: The page.
        text: The text.
        marks: Between which it belongs; they stay.

    Raises:
        ValueError: The page has not both marks.
    """
    begin, end = marks
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page} has no {begin} and {end}, between which the section belongs")
    page.write_text(f"{before}{begin}\n\n{text}\n{end}{after}", encoding="utf-8")


def keep_picture(figure: Any, file: Path) -> None:
    """Save a picture of matplotlib's, such that the same figures give the same file.

    Args:
        figure: The picture.
        file: Where to write; its suffix chooses the format.
    """
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "envpickle"}):
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
