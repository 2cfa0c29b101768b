"""Files of labels, counted as they stream by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.count.frames import count_frame
from evenhand.count.join import joined
from evenhand.count.sources import Source, check, explained, lines_of, opened, scan
from evenhand.errors import InputError, shown
from evenhand.multilabel import MultiLabel
from evenhand.table import Confusion


@dataclass
class Reading:
    """How files are read, and what a reader of the result ought to know of it."""

    true: str | None = None
    pred: str | None = None
    label: str | None = None
    weights: str | None = None
    by: Sequence[str] = ()
    cluster: str | None = None
    id: str | None = None
    missing: str = "error"
    drop_null_truth: bool = False
    labels: Iterable[Any] | None = None
    notes: list[str] = field(default_factory=list)

    def one(self, name: str) -> Confusion | MultiLabel:
        """One file, or files of one kind, that hold truth and predictions in columns."""
        if not (self.true and self.pred):
            raise InputError(which_columns(name))
        with opened(name, columns=True) as source, explained(source):
            frame = scan(source)
            have = columns(frame, source, [self.true, self.pred])
            if _are_lists(have, self.true, self.pred):
                return _multilabel(frame, self.true, self.pred)
            table = self.counted(frame, self.true, self.pred, source.name)
            if table.missing.any():
                check(source)  # an empty field is a missing answer, a short row is not
            return table

    def two(self, gold: str, pred: str) -> Confusion | MultiLabel:
        """A file of truth and a file of predictions, by line or joined by id."""
        with opened(gold) as a, opened(pred) as b, explained(a, b):
            frame = self.paired(a, b)
            have = dict(frame.collect_schema())
            if _are_lists(have, "true", "pred"):
                return _multilabel(frame, "true", "pred")
            if not (a.has_columns or b.has_columns):
                return self.lines(a, b, frame)
            return self.counted(frame, "true", "pred", f"{gold} and {pred}")

    def paired(self, gold: Source, pred: Source) -> Any:
        """Both files side by side, as columns ``true`` and ``pred``."""
        import polars as pl

        left = self.column(gold, self.true or self.label, "true")
        right = self.column(pred, self.pred or self.label, "pred")
        if self.id is not None:
            return joined(left, right, self.id, self.missing, (gold.name, pred.name))
        kinds = [frame.collect_schema()[c] for frame, c in ((left, "true"), (right, "pred"))]
        if (kinds[0] == pl.String) != (kinds[1] == pl.String):
            at = kinds.index(pl.String)
            if kinds[1 - at].is_integer():
                self.notes.append(
                    f"{(pred, gold)[at].name} holds integers and {(gold, pred)[at].name} text: "
                    "compared as canonical decimals"
                )
                left, right = left.cast({"true": pl.String}), right.cast({"pred": pl.String})
        try:
            return pl.concat([left, right], how="horizontal")
        except pl.exceptions.PolarsError as e:
            raise InputError(f"{gold.name} and {pred.name} cannot be paired: {e}") from None

    def column(self, source: Source, column: str | None, role: str) -> Any:
        """The labels of one file as a column named for its role, and the id beside it."""
        import polars as pl

        frame = scan(source)
        if not source.has_columns:
            if self.id is not None:
                raise InputError(f"{source.name} has no columns to join by {self.id!r}")
            if (self.true if role == "true" else self.pred) is not None:
                raise InputError(f"{source.name} holds one label a line: it has no columns to name")
            if role == "true" and (self.weights or self.by or self.cluster):
                raise InputError(
                    f"{source.name} holds one label a line: --weights, --cluster and --by "
                    "need columns"
                )
            return frame.rename({"line": role})
        if column is None:
            raise InputError(which_columns(source.name, role))
        extra = [c for c in (self.id, *self.beside) if c is not None and role == "true"]
        if role == "pred" and self.id is not None:
            extra = [self.id]
        columns(frame, source, [column, *extra])
        return frame.select(pl.col(column).alias(role), *dict.fromkeys(extra))

    @property
    def beside(self) -> list[str]:
        """The columns of the truth that stand beside the labels."""
        return [c for c in (self.weights, self.cluster, *self.by) if c is not None]

    def lines(self, gold: Source, pred: Source, frame: Any) -> Confusion:
        """Two files with one label a line; what does not fit is found by reading them again."""
        import polars as pl
        from narwhals.exceptions import ShapeError

        try:
            table = self.counted(frame, "true", "pred", (gold.name, pred.name))
        except (pl.exceptions.ShapeError, ShapeError):
            table = None
        if table is None or "" in table.labels or table.missing.any():
            refuse_lines(gold, pred)
        assert table is not None
        return table

    def counted(self, frame: Any, true: str, pred: str, name: str | tuple[str, str]) -> Confusion:
        """The table of two columns of a lazy frame, called by one name or by one each."""
        import polars as pl

        if self.weights and frame.collect_schema().get(self.weights) == pl.String:
            frame = numeric(frame, self.weights, str(name))
        return count_frame(
            frame,
            true=true,
            pred=pred,
            weights=self.weights,
            by=list(self.by) or None,
            labels=self.labels,
            drop_null_truth=self.drop_null_truth,
            name=name,
        )


def numeric(frame: Any, column: str, name: str) -> Any:
    """A text column as numbers; the first that is none is named."""
    import polars as pl

    number = pl.col(column).cast(pl.Float64, strict=False)
    wrong = number.is_null() | ~number.is_finite() | (number < 0)
    bad = frame.with_row_index("row").filter(wrong).select("row", column).head(1)
    first = bad.collect(engine="streaming")
    if len(first):
        raise InputError(
            f"{name}, column {column}, row {first['row'][0] + 1}: "
            f"expected a number{_unless_text(first[column][0])}, got {first[column][0]!r}"
        )
    return frame.with_columns(number)


def _unless_text(value: str | None) -> str:
    try:
        float(value or "")
    except ValueError:
        return ""
    return " that is finite and ≥ 0"


def columns(frame: Any, source: Source, wanted: list[str]) -> dict[str, Any]:
    """The columns of a file and their types; those wanted must be there."""
    have = dict(frame.collect_schema())
    absent = [c for c in wanted if c not in have]
    if absent:
        raise InputError(
            f"{source.name} has columns {shown(have, 12)}, expected {shown(absent)} too"
        )
    return have


def which_columns(name: str, role: str = "") -> str:
    """What to say when a file does not tell which of its columns hold labels."""
    with opened(name) as source:
        if not source.has_columns:
            return f"{name} holds one label a line: give GOLD and PRED"
        have = shown(list(scan(source).collect_schema()), 12)
    option = {"true": "--true COL", "pred": "--pred COL"}.get(role, "--true COL --pred COL")
    return f"{name} has columns {have}: say which with {option}"


def refuse_lines(gold: Source, pred: Source) -> None:
    """Name the empty line, or the two lengths, for which two files cannot be paired."""
    sizes = []
    for source in (gold, pred):
        size = 0
        for size, line in enumerate(lines_of(source), 1):
            if not line:
                raise InputError(f"{source.name}, line {size}: expected a label, got an empty line")
        sizes.append(size)
    raise InputError(
        f"{gold.name} has {sizes[0]:,} labels and {pred.name} has {sizes[1]:,}: "
        "they must have one each for the same items"
    )


def _are_lists(have: dict[str, Any], true: str, pred: str) -> bool:
    import polars as pl

    lists = [isinstance(have[c], pl.List) for c in (true, pred)]
    if lists[0] != lists[1]:
        raise InputError("truth and predictions must both be lists of labels, or neither")
    return lists[0]


def _multilabel(frame: Any, true: str, pred: str) -> MultiLabel:
    found = frame.select(true, pred).collect(engine="streaming")
    for column in (true, pred):
        if found[column].null_count():
            raise InputError(f"column {column!r} must hold a list in every row, got a null")
    sets = [[set(row) for row in found[c].to_list()] for c in (true, pred)]
    return MultiLabel.from_indicators(*sets)
