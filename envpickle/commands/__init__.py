"""The subcommands of ``envpickle``, one file each; they import click, which :mod:`envpickle.cli` found to be there."""
