"""The scripts that make the documentation, as modules."""

import sys
from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
TASK = DOCS.parent / "examples" / "shared-task"


def script(name):
    """One of them by name."""
    sys.path.insert(0, str(DOCS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(DOCS))


def scripts():
    """What writes the pages, and what runs their examples."""
    return script("build"), script("executed")


def places():
    """The folders in which examples are run."""
    return script("map")
