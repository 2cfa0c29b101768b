"""The folder in which pages are run: the example shared task, and what their examples name."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

TASK = Path(__file__).parents[1] / "examples" / "shared-task"


@contextmanager
def folder() -> Iterator[str]:
    """A copy of the example shared task, from which Python also imports."""
    with TemporaryDirectory() as place:
        shutil.copytree(TASK, place, dirs_exist_ok=True)
        before = set(sys.modules)
        sys.path.insert(0, place)
        try:
            yield place
        finally:
            sys.path.remove(place)
            for name in set(sys.modules) - before:
                if str(getattr(sys.modules[name], "__file__", "")).startswith(place):
                    del sys.modules[name]
