"""Parts of files: ``results.xlsx#sheet``, ``results.db#table``."""

from __future__ import annotations

import os


def split_part(name: str) -> tuple[str, str | None]:
    """A file and the part of it that is meant, if any; a file of the whole name comes first.

    >>> split_part("no such file.xlsx#sheet")
    ('no such file.xlsx#sheet', None)
    """
    path, mark, part = name.rpartition("#")
    if mark and part and not os.path.exists(name) and os.path.isfile(path):
        return path, part
    return name, None
