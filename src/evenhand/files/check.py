"""What is amiss with a file, said in one line that names the place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from evenhand.catalogue.strays import folded
from evenhand.count.exact import exact
from evenhand.count.trim import trim
from evenhand.errors import InputError, Option, shown
from evenhand.files.blocks import blocks
from evenhand.files.json_lines import check_json_lines
from evenhand.files.sources import Source, json_sources, scan

_TYPED = ("parquet", "arrow")
"""Kinds of files that are no text themselves."""
_MARKS = {";": "semicolons", "\t": "tabs", ",": "commas"}
_TEXTS = ("String", "Categorical", "Enum", "Binary")
EXACT = 1 << 53
"""Up to here, decimals tell integers apart."""


@contextmanager
def explained(*sources: Source) -> Iterator[None]:
    """Turn a reader's error into one line that names the file and, for text, the place."""
    import polars as pl
    from narwhals.exceptions import NarwhalsError

    try:
        yield
    except (pl.exceptions.PolarsError, NarwhalsError, OSError, pl.exceptions.PanicException) as e:
        for source in sources:
            check(source)
            with suppress(pl.exceptions.PolarsError):
                _refuse_bytes(source, str(e))
        names = " and ".join(s.name for s in sources)
        reason = (str(e).strip().splitlines() or [type(e).__name__])[0]
        raise InputError(f"{names} cannot be read: {reason}") from None


def check(source: Source) -> None:
    """Read text once more, slowly, to name the place where it is not as it should be."""
    refuse_empty_lines(source)
    if source.kind == "ndjson":
        for path, name in source.files:
            check_json_lines(path, name)


def _refuse_bytes(source: Source, reason: str) -> None:
    """Columns of text must be in UTF-8; those of the first file that are not are named."""
    if source.kind not in _TYPED or not _is_encoding(reason):
        return
    for path, name in source.files:
        frame = scan(replace(source, paths=(path,)))
        types = {c: str(dtype) for c, dtype in frame.collect_schema().items()}
        texts = [c for c, dtype in types.items() if any(text in dtype for text in _TEXTS)]
        bad = [c for c in texts if not _is_readable(frame, c)]
        # Arrow reads all dictionaries at once: a bad one makes every column unreadable.
        bad = [c for c in bad if "Categorical" in types[c]] or bad
        if bad:
            raise InputError(f"{name}, column {shown(bad)}: expected UTF-8 text, got other bytes")


def _is_encoding(reason: str) -> bool:
    return "utf" in reason.lower()


def _is_readable(frame: Any, column: str) -> bool:
    """Whether a column is in UTF-8; a hash has to look at every value, and keeps none."""
    import polars as pl

    text = trim(frame.select(pl.col(exact(column)).alias("")), [""])
    try:
        text.select(pl.col("").hash().max()).collect(engine="streaming")
    except pl.exceptions.PolarsError as e:
        return not _is_encoding(str(e))
    return True


def columns_of(source: Source, have: Iterable[str], *wanted: str | Option) -> InputError:
    """Which columns a file has and what is wanted, with a hint if another mark separates them."""
    names = list(have)
    kind = "one column" if len(names) == 1 else "columns"
    hint = ""
    if source.kind in ("csv", "tsv") and len(names) == 1:
        found = next((name for mark, name in _MARKS.items() if mark in names[0]), None)
        if found:
            hint = f"; is it separated by {found}? Columns must be separated by "
            hint += "commas (.csv) or tabs (.tsv)"
    return InputError(f"{source.name} has {kind} {shown(names, 12)}", *wanted, hint)


def wanted_columns(frame: Any, source: Source, wanted: Sequence[str]) -> list[str]:
    """The columns of a file; those wanted must be there."""
    have = frame.collect_schema().names()
    absent = [c for c in wanted if c not in have]
    if absent:
        near = {folded(c): c for c in have}
        alike = [f"{near[folded(c)]!r} and {c!r}" for c in absent if folded(c) in near]
        said = f"; {', '.join(alike)} differ in case or spaces only" if alike else ""
        raise columns_of(source, have, f", expected {shown(absent)} too{said}")
    twice = [c for c in wanted if f"{c}_duplicated_0" in have]
    if twice:
        raise InputError(f"{source.name} has more than one column called {shown(twice)}")
    return list(have)


def which_columns(source: Source, *options: str) -> InputError:
    """What to say when a file does not tell which of its columns hold labels."""
    return columns_of(
        source, scan(source).collect_schema(), ": say which with ", *named_options(*options)
    )


def named_options(*names: str) -> list[str | Option]:
    """Options in a row, for a message."""
    return [part for name in names for part in (" and ", Option(name))][1:]


def refuse_empty_lines(source: Source) -> None:
    """Name the empty line of a file with one label a line: a missing answer is no empty line."""
    import polars as pl

    for path, name in source.files if source.kind == "lines" else ():
        for block in blocks(path, name):
            lines = trim(pl.read_lines(block.text, name="line"), ["line"])["line"]
            for at in lines.is_null().arg_true().head(1):
                raise InputError(
                    f"{name}, line {block.line + at}: expected a label, got an empty line"
                )


def refuse_mixed(values: Iterable[Any], sources: Sequence[tuple[Source, Sequence[str]]]) -> None:
    """JSON Lines must have values of one type in each of the columns named.

    ``values`` are what was read from them: only such as JSON may have written otherwise are worth
    a second look.
    """
    if any(_is_doubtful(v) for v in values):
        for source, columns in sources:
            refuse_unlike(source, columns)


def refuse_unlike(source: Source, columns: Sequence[str]) -> None:
    """Columns of JSON Lines must have values of one type, which it takes another reading to see."""
    if source.kind == "ndjson":
        _refuse_texts(source, list(columns))
        _refuse_rounded(source, list(columns))


def _is_doubtful(value: Any) -> bool:
    """Whether a value may have been something else: a number, a list, a longer integer."""
    if isinstance(value, float):
        return abs(value) >= EXACT
    if not isinstance(value, str):
        return False
    try:
        return isinstance(json.loads(value), int | float | list | dict)
    except (ValueError, RecursionError):
        return False


def _refuse_texts(source: Source, columns: list[str]) -> None:
    """Text, and lists of text, must hold nothing that was read as text."""
    import polars as pl

    others = {
        "numbers": pl.Float64(),
        "booleans": pl.Boolean(),
        "lists": pl.List(pl.String),
        "objects": pl.Struct([]),
    }
    for name, dtype in others.items():
        mixed = _any(source, columns, pl.String(), dtype, lambda found: found.is_not_null())
        if mixed:
            raise InputError(
                f"{source.name}, column {shown(mixed)} must be of one type, got {name} and text; "
                "1, '1', 1.0 and True are different labels"
            )


def _refuse_rounded(source: Source, columns: list[str]) -> None:
    """Integers beside decimals are read as decimals, which must not round them."""
    import polars as pl

    rounded = _any(source, columns, pl.Float64(), pl.Int128(), lambda found: found.abs() > EXACT)
    if rounded:
        raise InputError(
            f"{source.name}, column {shown(rounded)} must be of one type, got decimals and "
            "integers too large to be decimals"
        )


def _any(
    source: Source, columns: list[str], read: Any, other: Any, wanted: Callable[[Any], Any]
) -> list[str]:
    """Columns read as one type, or lists of it, in which something wanted is of another type."""
    import polars as pl

    schema = scan(source).collect_schema()
    types = {c: other for c in columns if schema[c] == read}
    types |= {c: pl.List(other) for c in columns if schema[c] == pl.List(read)}
    values = {
        c: pl.col(exact(c)).explode() if dtype != other else pl.col(exact(c))
        for c, dtype in types.items()
    }
    # What is of the first type becomes null.
    frame = pl.scan_ndjson(json_sources(source), schema=types, ignore_errors=True)
    found = frame.select(wanted(v).any() for v in values.values()).collect(engine="streaming")
    return [c for c in types if found[c][0]]
