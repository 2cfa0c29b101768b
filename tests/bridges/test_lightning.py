"""Lightning: a real run logs the accumulator; the number is that of eh.macro_f1."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "with_lightning.py"


@pytest.mark.lightning
def test_a_real_run():
    done = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    assert found["val_macro_f1"] == found["eh.macro_f1"] == found["val_sure_macro_f1"]
    low, high = float(found["val_sure_macro_f1_low"]), float(found["val_sure_macro_f1_high"])
    assert 0.3 < low < float(found["val_macro_f1"]) < high <= 1
    assert {"val_f1_of_averages", "val_mcc", "val_f1:label=2"} <= set(found)
