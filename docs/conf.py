"""How Sphinx builds the documentation: `make docs`. Nothing is fetched from the network."""

import os
from importlib.metadata import version as version_of

# The examples draw into files; they must neither open windows nor depend on the user's settings.
os.environ["MPLBACKEND"] = "Agg"

project = "fsmj"
author = "The fsmj developers"
copyright = "The fsmj developers, BSD-3-Clause"  # noqa: A001  # the name that Sphinx expects
release = version = version_of("fsmj")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",  # formulas are drawn without a network, too
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
mathjax3_config = {"options": {"enableMenu": False}}

# In docstrings, a name between single backticks is a link where Sphinx knows the name.
default_role = "py:obj"
autodoc_typehints = "none"  # numpydoc's sections say the types in words
autosummary_generate = True
numpydoc_show_class_members = False  # the templates list them

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "min_reported_time": 3600,  # how long a script took on this machine is no news
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
}

html_theme = "furo"
html_title = f"fsmj {release}"
html_static_path = ["_static"]
html_css_files = ["fsmj.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5394", "color-brand-content": "#0b5394"},
    "dark_css_variables": {"color-brand-primary": "#8ab4f8", "color-brand-content": "#8ab4f8"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True


def setup(app):
    """Leave out the fields of a named tuple, which stand in its docstring."""

    def skip(_app, _what, _name, member, _skip, _options):
        return str(member.__doc__).startswith("Alias for field") or None

    app.connect("autodoc-skip-member", skip)
