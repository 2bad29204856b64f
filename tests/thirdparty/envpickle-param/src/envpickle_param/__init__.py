"""Parameterized classes that are made at run time, through envpickle."""
