"""The subcommands of ``envpickle``, one file each. click is imported here and by ``envpickle.cli``, which found that it is there."""
