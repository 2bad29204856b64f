"""Sphinx settings: MyST sources, furo theme, reference pages from docstrings; nothing is fetched while building."""

from importlib.metadata import version as installed_version

project = "envpickle"
author = "The envpickle authors"
copyright = "2026, the envpickle authors"
release = version = installed_version("envpickle")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
autodoc_mock_imports = ["distributed"]  # envpickle.dask derives from it, and the docs are built without it
nitpicky = False  # annotations name typing internals that no page documents

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"envpickle {release}"
html_static_path = ["_static"]
html_show_sourcelink = False
