"""``python -m benchmarks.make_parquet ROWS``: labels of ten classes, for the counting benchmark."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def main(rows: int) -> None:
    """Write the file in row groups of a million."""
    names = pa.array([f"class {i}" for i in range(10)])
    schema = pa.schema([("true", pa.string()), ("pred", pa.string())])
    rng = np.random.default_rng(rows)
    with pq.ParquetWriter(f"benchmarks/data/{rows}.parquet", schema) as writer:
        for _ in range(rows // 1_000_000):
            codes = rng.integers(0, 10, (2, 1_000_000))
            wrong = rng.random(1_000_000) < 0.8
            codes[1] = np.where(wrong, codes[0], codes[1])
            writer.write_table(pa.table([names.take(pa.array(c)) for c in codes], schema))


if __name__ == "__main__":
    main(int(sys.argv[1]))
