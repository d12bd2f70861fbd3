"""How the site is built: see CONTRIBUTING."""

import sys
from pathlib import Path

import whippletree

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Whippletree"
version = release = whippletree.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "public_names",
    "gallery_pages",
    "speed_figures",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "speed/*.md", "**sg_execution_times.rst"]

# Pages are plain Markdown, as other readers show them, too: a fence "math" is a formula.
myst_enable_extensions = ["dollarmath", "attrs_block", "colon_fence"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = "Whippletree"
html_static_path = ["_static"]
html_css_files = ["whippletree.css"]
html_show_sourcelink = False
html_sidebars = {"index": [], "gallery/*": [], "speed": []}
html_context = {"default_mode": "auto"}
html_math_renderer = "mathml"
html_theme_options = {
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "collapse_navigation": True,
    "show_nav_level": 1,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = "Whippletree, MIT licence"

# Docstrings: one backtick is code, a link where it names something public; "Args:" as Google writes them.
default_role = "py:obj"
suppress_warnings = ["ref.python"]  # `nv` in a docstring is that of several classes
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
napoleon_use_param = False
napoleon_use_rtype = False
autosummary_generate = True

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/recipes"],
    "gallery_dirs": ["recipes"],
    "filename_pattern": r"\.py$",
    "ignore_pattern": "__init__",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "capture_repr": (),
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "within_subsection_order": "FileNameSortKey",
}
