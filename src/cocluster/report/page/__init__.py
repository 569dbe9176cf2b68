"""The report: one HTML file that needs nothing else.

`page(account)` shows an account and computes nothing. Each module here shows some of its parts;
``template.html``, ``style.css`` and ``script.js`` are put into the file as they are. Without
JavaScript all is there but zooming, hovering and searching.
"""

from cocluster.report.page.document import page

__all__ = ["page"]
