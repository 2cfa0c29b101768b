"""``python -m benchmarks.make_text ROWS``: the Parquet file of as many rows as CSV and as lines."""

from __future__ import annotations

import sys

import polars as pl


def main(rows: int) -> None:
    """Write the labels with an id and a text beside them, plain and quoted, and one a line."""
    data = pl.read_parquet(f"benchmarks/data/{rows}.parquet").with_row_index("id")
    for name, form in (("plain", "text {}"), ("quoted", "text, {}")):
        whole = data.with_columns(pl.format(form, "id").alias("text"))
        whole.write_csv(f"benchmarks/data/{rows}-{name}.csv")
    for column in ("true", "pred"):
        path = f"benchmarks/data/{rows}-{column}.txt"
        data.select(column).write_csv(path, include_header=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
