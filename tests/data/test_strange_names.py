"""Files whose names are no text, beside files whose names are."""

import os

import polars as pl
import pytest

from evenhand.io.columns import ReadOptions
from evenhand.io.loading import read


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_names_of_both_kinds_in_one_folder(tmp_path, ending):
    frame = pl.DataFrame({"t": ["a", "b"], "p": ["a", "a"]})
    write = frame.write_parquet if ending == "parquet" else frame.write_ipc
    for name in (b"plain", b"\xff"):
        path = tmp_path / os.fsdecode(name + b"." + ending.encode())
        with open(path, "wb") as file:
            write(file)
    found = read(ReadOptions((str(tmp_path / f"*.{ending}"),), true="t", pred=("p",))).data
    assert found.cells.tolist() == [[2, 0], [2, 0]]
