"""The examples in docstrings of a bridge need its tool: they run where the tests of the tool do."""

from importlib.util import find_spec
from pathlib import Path

import pytest

BRIDGES = Path(__file__).parent / "evenhand" / "bridges"
MARKS = {"torch": "torch", "jax.py": "jax"}

collect_ignore = [] if find_spec("torchmetrics") else [str(BRIDGES / "torch" / "accumulator.py")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the examples of a bridge as the tests of its tool are marked."""
    for item in items:
        if item.path.is_relative_to(BRIDGES):
            mark = MARKS.get(item.path.relative_to(BRIDGES).parts[0])
            if mark:
                item.add_marker(getattr(pytest.mark, mark))
