"""``python -m benchmarks.make_text ROWS``: a Parquet file's rows as CSV, lines, JSON and Excel."""

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
    some = data.head(1_000_000).with_columns(pl.format("text, {}", "id").alias("text"))
    some.write_json("benchmarks/data/1000000.json")
    some.write_ndjson("benchmarks/data/1000000.jsonl")
    some.head(200_000).write_excel("benchmarks/data/200000.xlsx")


if __name__ == "__main__":
    main(int(sys.argv[1]))
