"""The scripts that make the documentation, as modules."""

import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def scripts():
    """What writes the pages, and what runs their examples."""
    sys.path.insert(0, str(DOCS))
    try:
        import build
        import executed
    finally:
        sys.path.remove(str(DOCS))
    return build, executed
