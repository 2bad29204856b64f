"""What the demo says and what it insists on."""

from typing import Any

from rich.console import Console

__all__ = ["Stage"]


class Stage:
    """Prints steps and remembers what was not as promised.

    Attributes:
        console: Where it prints.
        broken: The promises that were not kept.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.broken: list[str] = []

    def step(self, text: str) -> None:
        """Print a heading."""
        self.console.print(f"\n[bold]{text}[/bold]")

    def say(self, label: str, text: Any) -> None:
        """Print one line of facts, or several under one label."""
        for number, line in enumerate(str(text).splitlines()):
            self.console.print(f"  {'' if number else label:<18}{line}", markup=False, highlight=False, soft_wrap=True)

    def check(self, promise: str, kept: bool, seen: object = "") -> None:
        """Print whether a promise was kept, and remember it if not.

        Args:
            promise: The promise, as a sentence.
            kept: Whether it was.
            seen: What was seen instead.
        """
        mark = "[green]yes[/green]" if kept else "[bold red]NO [/bold red]"
        self.console.print(f"  {mark} {promise}" + ("" if kept else f" (seen: {seen})"), highlight=False)
        if not kept:
            self.broken.append(promise)
