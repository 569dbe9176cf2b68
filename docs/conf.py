"""Sphinx configuration (``make docs``). Neither the build nor the pages use the network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

import cocluster  # noqa: E402

project = "cocluster"
author = "the authors of cocluster"
version = release = cocluster.__version__
# A build date would make every build differ.
html_last_updated_fmt = None

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # Extensions of this project, in _ext/.
    "live",
    "mathml",
    "offline",
    "written",
    "trust",
    "outside",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_templates", "_written", "samples", "live/*.py", "gallery/*.py"]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "attrs_block"]
myst_heading_anchors = 3

# -- Reference ---------------------------------------------------------------------------------
# Names in single backticks are Python names; names that are not public are not linked.
default_role = "py:obj"
# Listed by name, because the page is generated after Sphinx has searched for pages.
autosummary_generate = ["reference/names.rst"]
# Two names that differ only in case would share a file on some file systems.
autosummary_filename_map = {"cocluster.Account": "cocluster.Account-class"}
autodoc_typehints = "none"  # the docstrings describe the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# -- Other projects ----------------------------------------------------------------------------
# Inventories are downloaded only if DOCS_ONLINE is set, so that a build needs no network.
intersphinx_mapping = (
    {
        "numpy": ("https://numpy.org/doc/stable/", None),
        "scipy": ("https://docs.scipy.org/doc/scipy/", None),
        "sklearn": ("https://scikit-learn.org/stable/", None),
    }
    if os.environ.get("DOCS_ONLINE")
    else {}
)

# -- Gallery -----------------------------------------------------------------------------------
# The examples are small; with one thread the pages are the same on every machine.
os.environ.setdefault("COCLUSTER_NUM_THREADS", "1")

sphinx_gallery_conf: dict[str, Any] = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 10,
    "write_computation_times": False,
    "matplotlib_animations": False,
    "reference_url": {"cocluster": None},
    "backreferences_dir": None,
}

# -- Pages -------------------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "cocluster"
html_static_path = ["_static"]
html_css_files = ["cocluster.css"]
html_js_files = ["cocluster.js"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": []}
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
project_copyright = "the authors of cocluster, BSD-3-Clause"
suppress_warnings = ["config.cache"]


def setup(app: Any) -> None:
    """Leave out members inherited from scikit-learn, which its own pages document."""
    app.connect("autodoc-skip-member", _skip_inherited)


def _skip_inherited(
    app: Any, what: str, name: str, value: Any, skip: bool, options: Any
) -> bool | None:
    """Return True to leave a member out, None for the default decision."""
    module = getattr(value, "__module__", None) or ""
    return True if module.startswith("sklearn") else None
