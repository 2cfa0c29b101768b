"""Hive partitions: folders named ``key=value`` around Parquet files, as columns of text."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

_PATH = "evenhand:path"
_NULL = "__HIVE_DEFAULT_PARTITION__"


def partition(path: str) -> dict[str, str | None]:
    """What the folders of a path say of its file, as text.

    >>> partition("data/lang=de/day=__HIVE_DEFAULT_PARTITION__/part-0.parquet")
    {'lang': 'de', 'day': None}
    """
    pairs = [folder.partition("=") for folder in Path(path).parent.parts]
    return {_decoded(k): None if v == _NULL else _decoded(v) for k, mark, v in pairs if k and mark}


def partition_keys(paths: Sequence[str]) -> list[str]:
    """The keys that the folders of every path have."""
    first, *others = map(partition, paths)
    return [key for key in first if all(key in other for other in others)]


def scan_parquet(paths: Sequence[Any]) -> Any:
    """Parquet files, their partitions beside their columns; a column of their own is kept."""
    import polars as pl

    named = all(isinstance(p, str) for p in paths)
    keys = partition_keys(paths) if named else []
    if not keys:
        return pl.scan_parquet(list(paths), glob=False)
    frame = pl.scan_parquet(list(paths), glob=False, include_file_paths=_PATH)
    own = frame.collect_schema()
    said = {p: partition(p) for p in paths}
    return frame.with_columns(_values(said, key) for key in keys if key not in own).drop(_PATH)


def _values(said: Mapping[str, Mapping[str, str | None]], key: str) -> Any:
    """What the path of each row says of a key; by the batch, or all rows would be in memory."""
    import polars as pl

    def values(paths: Any) -> Any:
        known = {p: said[p][key] for p in paths.unique()}
        return paths.replace_strict(known, return_dtype=pl.String)

    path = pl.col(_PATH).map_batches(values, return_dtype=pl.String, is_elementwise=True)
    return path.alias(key)


def _decoded(text: str) -> str:
    return unquote_to_bytes(os.fsencode(text)).decode("utf-8", "backslashreplace")
