"""Settings of Sphinx for the site, which docs/website.py builds."""

from pathlib import Path

from evenhand._version import __version__

project = "evenhand"
version = release = __version__
author = "evenhand contributors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"evenhand {__version__}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_use_index = False
html_search_scorer = str(Path(__file__).with_name("search.js"))
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
smartquotes = False
nitpicky = True
