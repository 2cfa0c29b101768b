"""The examples run as they are, on the real tools."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_with_sklearn(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / "with_sklearn.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "F1 of mean precision and recall" in done.stdout
    assert "plain − balanced" in done.stdout
    assert (tmp_path / "confusion.svg").read_text().startswith("<svg")
