"""Dask and Spark: what counting through evenhand costs over the engine's own group-by."""

from __future__ import annotations

from benchmarks.harness import Case, Interleaved

ROUNDS = 9

DASK = """
import dask.dataframe as dd, evenhand as eh
from distributed import Client, LocalCluster
cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
client = Client(cluster)
frame = dd.read_parquet("benchmarks/data/400000000.parquet", split_row_groups=5)
"""
DASK_BY_HAND = "frame.groupby(['true', 'pred'], dropna=False, observed=True).size().compute()"

SPARK = """
import evenhand as eh
from pyspark.sql import SparkSession
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "4")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
frame = spark.read.parquet({paths})
"""
SPARK_BY_HAND = "frame.groupBy('true', 'pred').count().toArrow()"
OURS = "eh.Confusion.from_frame(frame, true='true', pred='pred')"


def cases() -> list[Case | Interleaved]:
    """Both engines on the same rows, ours and theirs by turns."""
    from benchmarks.counting import parquet

    parquet(100_000_000)
    parquet(400_000_000)
    file = "'benchmarks/data/100000000.parquet'"
    return [
        Interleaved(
            "Dask, local cluster of two workers",
            "400 million rows of Parquet; runs by turns in one process.",
            DASK,
            {"Confusion.from_frame": OURS, "groupby().size(), by hand": DASK_BY_HAND},
            "within 10 % of the group-by written by hand",
            ROUNDS,
        ),
        Interleaved(
            "Spark, local[2] on Java 17",
            "500 million rows of Parquet (the same file five times); runs by turns in one process.",
            SPARK.format(paths="*[" + ", ".join([file] * 5) + "]"),
            {"Confusion.from_frame": OURS, "groupBy().count(), by hand": SPARK_BY_HAND},
            "within 10 % of the group-by written by hand",
            ROUNDS,
        ),
    ]
