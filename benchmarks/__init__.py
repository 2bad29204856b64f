"""The pack that envpickle is played on, and the programs that measure it."""
