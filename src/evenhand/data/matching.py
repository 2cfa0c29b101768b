"""Matching the rows of two frames by a column of ids."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from functools import reduce
from itertools import combinations, permutations, product
from numbers import Number
from operator import add
from typing import Any, NamedTuple

from evenhand.data.factorize import escape_column, refuse_other_order, trim, with_index
from evenhand.errors import Command, InputError, Option, nearest, shown, warn
from evenhand.text import counted
from evenhand.warnings import TruthDiffers

ID_NAMES = (
    r"(.* )?(id|ids|idx|index|guid|uuid|uid|qid|key|nr|no)|item|example|instance|question|"
    r"tweet|problem|row|sample|file|filename|file name|image|path"
)
"""Names of columns that hold ids, in lower case and with spaces between words."""
_ITEM_NAMES = (
    r"(.* )?(url|uri|link|text|sentence|utterance|comment|message|prompt|query|input|passage|"
    r"review|title|time|timestamp)|name"
)
FIRST = 1000
"""Rows that are looked at before a whole column is."""
FEW_ROWS = 10
"""Rows from which on the order of a column is no chance."""
ID_COLUMN, SAMPLE_COLUMN, MATCHED = "evenhand:id", "evenhand:sample", "evenhand:matched"
"""The columns of ids and of an item's samples: names that no frame has."""
BY_ROW = Option("by_row")
AS_THEY_STAND = ("; ", BY_ROW, " takes rows as they stand")
EVERY_ROW = ("; ", BY_ROW, " takes every row for an item")
"""How to go on by row."""
REPEATED = (
    *("; several rows per item need ", Option("system"), ", ", Option("sample"), ", "),
    *(Option("run"), " or ", Option("cluster")),
)
"""How to read a frame with several rows per item."""
_SHORTENED = r"^[0-9](\.[0-9]+)?[eE]\+?[0-9]{2,}$"
"""A long number as spreadsheets show it: 1.60014E+18."""
_DECIMAL = r"^-?[0-9]*\.[0-9]+([eE][-+]?[0-9]+)?$"
_WHOLE = r"^(?:(-?[0-9]+)\.0|([0-9-]{10}(?: [0-9:]{8})??)(?:[ T]00:00:00)?(?:\.0+)?)$"
"""A whole number as a decimal, or a day or second as a time: 7.0, 2024-01-31 00:00:00.000."""


def words(name: str) -> str:
    """A name in lower case with spaces between words: ``tweetID`` is ``tweet id``.

    >>> words("tweetID"), words("y_true"), words("Question.Id")
    ('tweet id', 'y true', 'question id')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return " ".join(re.split(r"[\W_]+", apart.lower())).strip()


def is_id_name(name: str) -> bool:
    """Whether a column of that name probably holds ids.

    >>> is_id_name("Tweet_ID"), is_id_name("text")
    (True, False)
    """
    return re.fullmatch(ID_NAMES, words(name)) is not None


def names_item(name: str) -> bool:
    """Whether a column of that name says which item a row is, though it is no id.

    >>> names_item("tweet_text"), names_item("label")
    (True, False)
    """
    return re.fullmatch(_ITEM_NAMES, words(name)) is not None


def names_count(name: str) -> bool:
    """Whether a column of that name holds numbers of items."""
    return re.fullmatch(r"n|(.* )?(counts?|freq|frequency|number)|items", words(name)) is not None


class Side(NamedTuple):
    """A lazy Polars frame with its name, the columns that may be ids, and if it has a header.

    ``samples`` are the columns that may tell the rows of one item apart, ``tasks`` those of labels
    of other tasks.
    """

    name: str
    frame: Any
    columns: Sequence[str]
    has_header: bool = True
    samples: Sequence[str] = ()
    tasks: Collection[str] = ()

    def ids(self, column: str) -> Any:
        """The values of a column as text, under the name ``""``."""
        return ids(self.frame, column)

    def first(self, column: str) -> Any:
        """The first of them."""
        return ids(self.frame.head(FIRST), column).collect()[""]


class Match(NamedTuple):
    """A column of each of two frames that share values.

    ``rows`` and ``distinct`` are the numbers of rows and of distinct values of each frame,
    ``shared`` that of the values in both.
    """

    left: str
    right: str
    rows: tuple[int, int]
    distinct: tuple[int, int]
    shared: int
    in_order: bool = False

    @property
    def is_named(self) -> bool:
        """Whether both have the name of an id."""
        return is_id_name(self.left) and is_id_name(self.right)

    @property
    def is_same(self) -> bool:
        """Whether both have one name."""
        return words(self.left) == words(self.right)

    @property
    def is_index(self) -> bool:
        """Whether it is the unnamed index of pandas."""
        return re.fullmatch(r"(unnamed( \d+)?)?", words(self.left)) is not None

    @property
    def repeats(self) -> bool:
        """Whether a value occurs more than once on either side."""
        return self.rows != self.distinct

    @property
    def is_certain(self) -> bool:
        """Whether at least half of the values of the smaller frame are in the other."""
        return not self.repeats and 2 * self.shared >= min(self.distinct)


def match(left: Side, right: Side, *, files: bool = True, is_told: bool = False) -> Match | None:
    """The columns of ids that match the rows of two frames, if there are any.

    If several columns could be meant, or too few values are shared, the error has the commands
    that choose one; frames that are no ``files`` have no option for it. ``is_told`` says that the
    column of ids of the first is known.
    """
    matches: list[Match] = []
    for pairs in _pairs(left, right):
        matches += [_counted(left, right, *pair) for pair in pairs]
        if any(m.is_certain for m in matches):
            break
    certain = [m for m in matches if m.is_certain]
    certain = [m for m in certain if not m.is_index] or certain
    best = [m for m in certain if m.is_named] or certain
    first = next(iter(best), None)
    counts = first is not None and _is_counter(left, first.left)
    rivals = [m for m in best if m.left == best[0].left]
    if first and first.in_order and counts:
        known = {m.right for m in rivals}
        rest = [p for pairs in _pairs(left, right) for p in pairs if p[0] == first.left]
        if first.is_same:  # a number of the row that has the name of ids
            rest = [pair for pair in rest if is_id_name(pair[1])]
        others = (_counted(left, right, *pair) for pair in rest if pair[1] not in known)
        rivals += [m for m in others if m.is_certain]
    if first and len(rivals) > 1:
        raise InputError(
            f"{right.name} has {_either([m.right for m in rivals])} for {first.left!r} of "
            f"{left.name}: call the column of ids {first.left!r} in both",
            *AS_THEY_STAND,
        )
    if first and (len(best) > 1 or not all(_agree(left, right, first, m) for m in certain)):
        columns = dict.fromkeys(m.left for m in certain)
        raise InputError(
            f"{left.name} and {right.name} can be matched by {_either(columns)}: ",
            *_ways(files, *columns),
        )
    if first:
        if not is_told:
            _refuse_contradiction(left, right, first, files=files)
        if first.in_order and counts and not is_told:
            _refuse_other_items(left, right)
        have_headers = left.has_header and right.has_header
        is_known = is_told or first.is_same or first.is_named or not have_headers
        if is_known or first.in_order or not counts:
            return first
    else:
        for m in (m for m in matches if m.is_named):
            _refuse_shortened(left, m.left)
            _refuse_shortened(right, m.right)
    _refuse_other_order(left, right)
    similar = [m for m in matches if m.is_same or is_id_name(m.left) or is_id_name(m.right)]
    schema = left.frame.collect_schema()
    keys = {m.left for m in similar if not (files or schema[m.left].is_numeric())}
    named = [m for m in similar if m.is_named or m.shared or names_item(m.left) or m.left in keys]
    for m in best or named:
        if m.repeats and m.shared:
            raise _repeated(left, right, m)
        is_doubted = m.is_same or m.is_certain
        counters = not is_doubted and (_is_counter(left, m.left) or _is_counter(right, m.right))
        if not (m.repeats or counters):
            raise _doubtful(left, right, m, files=files)
    _refuse_other_items(left, right)
    return None


def _refuse_shortened(side: Side, column: str) -> None:
    """Refuse ids that a spreadsheet has written with fewer digits than they have."""
    values = side.first(column).drop_nulls()
    if len(values) and values.str.contains(_SHORTENED).all():
        raise InputError(
            f"{side.name}: the ids in {column!r} have lost digits, such as {values[0]!r}: a "
            "spreadsheet has taken them for numbers; export them as text",
            *AS_THEY_STAND,
        )


def _doubtful(left: Side, right: Side, m: Match, *, files: bool) -> InputError:
    """What to say of ids of which few or none are shared, or whose names are those of no ids."""
    columns = repr(m.left) if m.is_same else f"{m.left!r} and {m.right!r}"
    text = f"{left.name} and {right.name} share {m.shared:,} of {min(m.distinct):,} values of "
    if m.shared:
        return InputError(f"{text}{columns}: ", *_ways(files, m.left, leave="it"))
    first, second = left.first(m.left)[0], right.first(m.right)[0]
    if pair := written_otherwise(left.frame, right.frame, m.left, m.right):
        spelled = f"{left.name} has {pair[0]!r} for {pair[1]!r} of {right.name}"
        return InputError(f"{text}{columns}: {spelled}; an id must be written alike in both")
    long = all(re.fullmatch("[0-9]{16,}", str(v)) for v in (first, second))
    hint = ", and spreadsheets keep 15 digits of a number" if long else ""
    return InputError(
        f"{text}{columns}, which have {first!r} and {second!r} first: an id must be written alike "
        f"in both{hint}; rows that stand in the same order are read with ",
        Command((BY_ROW,)),
    )


def written_otherwise(left: Any, right: Any, first: str, second: str) -> tuple[str, str] | None:
    """An id of each of two frames that differ in case, zeros, folder or ending alone."""
    import polars as pl

    text = pl.col("").str.to_lowercase().str.replace(r"^.*[/\\]", "")
    bare = text.str.replace(r"(?i)\.[a-z][a-z0-9]{0,4}$", "").str.replace(r"^0+(.)", "$1")
    sides = [ids(f, c).with_columns(bare=bare) for f, c in ((left, first), (right, second))]
    both = sides[0].join(sides[1], on="bare", maintain_order="left")
    unlike = both.filter(pl.col("") != pl.col("_right"))
    rows = unlike.head(1).collect(engine="streaming").rows()
    return (rows[0][0], rows[0][2]) if rows else None


def is_shuffled_counter(side: Side, column: str) -> bool:
    """Whether a column counts rows from 0 or 1, as ``q7`` does, which stand in another order."""
    import polars as pl

    if not _may_be_id(side, column):
        return False
    x = pl.col("")
    number = x.str.extract(r"^[^0-9]*([0-9]{1,18})(\.[A-Za-z]\w*)?$").cast(pl.Int64)
    is_shuffled = (x.n_unique() == pl.len()) & ~x.is_sorted()
    return _counts(side.ids(column).select(number), is_shuffled)


def _is_counter(side: Side, column: str) -> bool:
    """Whether a column counts from 0 or 1, as ids of any other rows may."""
    import polars as pl

    return _counts(side.ids(column).select(pl.col("").cast(pl.Int64, strict=False)))


def _counts(numbers: Any, is_such: Any = True) -> bool:
    """Whether numbers are all those from 0 or 1 to the largest, and meet a condition."""
    import polars as pl

    if numbers.head(FIRST).collect()[""].null_count():
        return False
    x = pl.col("")
    counts = (x.min() >= 0) & (x.min() <= 1) & (x.max() - x.min() == x.n_unique() - 1)
    fits = counts & (x.null_count() == 0) & is_such
    return bool(numbers.select(fits).collect(engine="streaming").item())


def _refuse_other_order(left: Side, right: Side) -> None:
    """Refuse rows that cannot stand in the same order: a column of both shows that they do not."""
    for first, second in _same_columns(left, right):
        differ, same = compared(left.frame, right.frame, None, first, second)
        if differ and not same:
            m = _counted(left, right, first, second)
            rows, distinct = m.rows[0], min(m.distinct)
            same = 2 * min(differ, distinct) >= rows and 2 * m.shared >= distinct
        if differ and same:
            raise InputError(
                f"{left.name} and {right.name} have values of {first!r} in different orders: both "
                "need a column of ids that are all different",
                *AS_THEY_STAND,
            )


def _refuse_other_items(left: Side, right: Side) -> None:
    """Refuse rows in another order by a column, or a few together, under any names and spellings.

    Numbers alone show that only if they are the same in both: any two grids share most of theirs.
    """
    single = [_item_keys(side) for side in (left, right)]
    keys = [[p for key in side for p in permutations(key)] for side in single]
    both = [(a, b) for a, b in product(*keys) if a in single[0] or len(b) == 1]
    pairs: list[tuple[Any, ...]] = []
    for rows in (FIRST, None) if both else ():
        one, two = (_key_texts(s, k, rows) for s, k in zip((left, right), keys, strict=True))
        pairs = [(a, b, *_cut(one[a], two[b])) for a, b in both]
        if any(len(x) != len(y) or 2 * (x == y).sum() > len(x) for _, _, x, y in pairs):
            return
    for first, second, x, y in pairs:
        values, others = x.unique(), y.unique()
        distinct, shared = min(len(values), len(others)), values.is_in(others.implode()).sum()
        words = all(texts.head(FIRST).str.contains(r"\pL").any() for texts in (x, y))
        is_same = 2 * shared >= distinct if words else x.sort().equals(y.sort())
        if is_same and 5 * distinct >= 4 * len(x):
            names = [" and ".join(map(repr, columns)) for columns in (second, first)]
            raise InputError(
                f"{right.name} has in {names[0]} what {left.name} has in {names[1]}, in another "
                "order: both need one column of ids that are all different",
                *AS_THEY_STAND,
            )


def _item_keys(side: Side) -> list[tuple[str, ...]]:
    """The columns, or up to three together, whose values are nearly all different.

    Numbers that are all different would match by themselves, if they were no counters.
    """
    import polars as pl

    heads: dict[str, Any] = {}
    for c, dtype in side.frame.collect_schema().items():
        if not (dtype.is_nested() or dtype in (pl.Boolean, pl.Null)):
            values = side.first(c)
            is_text = values.str.contains(r"\s").any()
            if len(values) >= FEW_ROWS and (is_text or c in side.columns):
                heads[c] = values
    names = {str(i): c for i, c in enumerate(heads)}
    frame = pl.DataFrame(dict(zip(names, heads.values(), strict=True)))
    keys: list[tuple[str, ...]] = []
    few = list(names)[:8]
    for key in (*combinations(names, 1), *combinations(few, 2), *combinations(few, 3)):
        is_new = not any(set(known) <= set(key) for known in keys)
        if is_new and 5 * frame.n_unique(key) >= 4 * len(frame):
            keys.append(key)
    counters = [k for k in keys if len(k) == 1 and frame[k[0]].str.contains("^[0-9]+$").all()]
    return [tuple(names[i] for i in key) for key in keys if key not in counters]


def _key_texts(side: Side, keys: Sequence[tuple[str, ...]], rows: int | None) -> dict[Any, Any]:
    """Letters and digits alone of some columns together, of so many rows, of files their names."""
    import polars as pl

    text = pl.col("").str.normalize("NFKD").str.to_lowercase()
    bare = text.str.replace(r"^(?:.*[/\\])?([^/\\]+)\.[a-z][a-z0-9]{0,4}$", "$1")
    plain = pl.when(text.str.contains(r"\s")).then(text).otherwise(bare)
    letters = plain.str.replace_all(r"[^\pL\pN&]+|&(#?[a-z0-9]+;)?", "")
    frame = side.frame if rows is None else side.frame.head(rows)
    columns = dict.fromkeys(c for key in keys for c in key)
    texts = {c: ids(frame, c).select(letters).collect(engine="streaming")[""] for c in columns}
    return {key: reduce(add, map(texts.__getitem__, key)) for key in keys}


def _cut(one: Any, two: Any) -> tuple[Any, Any]:
    """Texts without what all of their side begin with, cut to the shortest of the shorter side."""
    longest = [texts.str.len_chars().max() or 0 for texts in (one, two)]
    if min(longest) <= 20 or longest[0] == longest[1]:
        return one, two
    sides = []
    for texts in (one, two):
        ends = zip(texts.min(), texts.max(), strict=False)
        start = next((i for i, (a, b) in enumerate(ends) if a != b), 0)
        sides.append(texts.str.slice(start))
    lengths = [texts.str.len_chars() for texts in sides]
    shorter = min(lengths, key=lambda sizes: sizes.max()).min()
    return sides[0].str.head(shorter), sides[1].str.head(shorter)


def _same_columns(left: Side, right: Side) -> Iterator[tuple[str, str]]:
    """The columns of one name in both frames that hold neither lists nor objects."""
    schema, other = (side.frame.collect_schema() for side in (left, right))
    for a, b in product(left.columns, right.columns):
        is_one = words(a) == words(b) and left.has_header and right.has_header
        if is_one and not (schema[a].is_nested() or other[b].is_nested()):
            yield a, b


def _refuse_contradiction(left: Side, right: Side, m: Match, *, files: bool) -> None:
    """Refuse ids by which a column of both has all its values, but on other rows."""
    for first, second in _same_columns(left, right):
        if first == m.left or first in left.tasks or _is_counter(left, first):
            continue
        differ, same = compared(left.frame, right.frame, m[:2], first, second)
        if differ and same:
            key = repr(m.left) if m.left else "the column without a name"
            raise InputError(
                f"{left.name} and {right.name} have the same values of {first!r}, but {differ:,} "
                f"stand on other rows if {key} matches them: ",
                *_ways(files, m.left),
            )


def compared(
    left: Any, right: Any, keys: tuple[str, str] | None, first: str, second: str
) -> tuple[int, bool]:
    """On how many rows columns of two frames differ, and whether they hold the same values in all.

    Rows match by two columns of ids, or as they stand.
    """
    import polars as pl

    sides = [ids(left, first), ids(right, second)]
    sums = [s.select((pl.col("").hash() % 2**31).sum(), rows=pl.len()) for s in sides]
    one, two = pl.collect_all(sums, engine="streaming")
    sides[1] = sides[1].rename({"": "other"})
    if keys is not None:
        columns = [f.rename({"": "key"}) for f in (ids(left, keys[0]), ids(right, keys[1]))]
        frames = [pl.concat(pair, how="horizontal") for pair in zip(columns, sides, strict=True)]
        both = frames[0].join(frames[1], on="key")
    elif one["rows"].equals(two["rows"]):
        both = pl.concat(sides, how="horizontal")
    else:
        return 0, False
    apart = both.select(pl.col("").ne_missing(pl.col("other")).sum())
    return int(apart.collect(engine="streaming").item()), one.equals(two)


def _repeated(left: Side, right: Side, m: Match) -> InputError:
    at = int(m.rows[0] == m.distinct[0])
    side, column = ((left, m.left), (right, m.right))[at]
    size = f"{m.distinct[at]:,} values in {m.rows[at]:,} rows"
    text = f"{side.name}: {column!r} comes more than once ({size})"
    if m.rows[0] > m.rows[1] == m.distinct[1]:
        return InputError(
            f"{text}: the truth has one row an item: give it the label of most annotators, or "
            "that of one"
        )
    if m.rows[0] != m.rows[1]:
        sample = Option("sample", next(iter(side.samples), ""))
        return InputError(
            f"{text}: one row per item is expected; if these are samples of it: ",
            Command((sample, Option("id", m.left))),
        )
    rows = Command((Option("by_row"), Option("cluster", m.left)))
    return InputError(f"{text}: ", rows, " or, if rows are items apart, ", Command((BY_ROW,)))


def _either(columns: Collection[str]) -> str:
    return " or ".join(map(repr, columns))


def _ways(files: bool, *columns: str, leave: str = "one") -> Iterable[str | Command]:
    """How to match: frames that are no ``files`` have no option for the column of ids."""
    return match_commands(*columns) if files else (f"leave {leave} out, or ", Command((BY_ROW,)))


def match_commands(*columns: str) -> Iterator[str | Command]:
    """The commands that match by one of the columns, or by row."""
    for column in columns:
        yield Command((Option("id", column),))
        yield " or "
    yield Command((BY_ROW,))


def _pairs(left: Side, right: Side) -> Iterator[list[tuple[str, str]]]:
    """The columns that may hold the same ids: of one name, then named as ids, then any."""
    keys = [[c for c in side.columns if _may_be_id(side, c)] for side in (left, right)]
    pairs = list(product(keys[0], keys[1]))
    if left.has_header and right.has_header:
        same = [(a, b) for a, b in pairs if words(a) == words(b)]
        yield same
        named = [(a, b) for a, b in pairs if is_id_name(a) and is_id_name(b)]
        yield [pair for pair in named if pair not in same]
        pairs = [pair for pair in pairs if pair not in [*same, *named]]
    yield pairs


def _may_be_id(side: Side, column: str) -> bool:
    """Whether the first values are distinct and no decimals; names of ids are looked at anyway.

    A column without a type has no value, or values of several types: it can hold no ids.
    """
    import polars as pl

    dtype = side.frame.collect_schema()[column]
    if dtype.is_nested() or dtype in (pl.Boolean, pl.Null):
        return False
    if is_id_name(column) or dtype.is_float():
        return is_id_name(column)
    values = side.first(column)
    repeats = values.null_count() or values.n_unique() < len(values)
    return not (repeats or values.str.contains(_DECIMAL).all())


def ids(frame: Any, column: str) -> Any:
    """The values of a column as text, under the name ``""``."""
    import polars as pl

    text = trim(frame.select(pl.col(escape_column(column)).cast(pl.String).alias("")), [""])
    return text.select(as_id(pl.col("")))


def as_id(text: Any) -> Any:
    """An expression of ids as text, where ``7.0`` is ``7``, and midnight the day."""
    return text.str.replace(_WHOLE, "$1$2")


def _counted(left: Side, right: Side, first: str, second: str) -> Match:
    import polars as pl

    hashes = pl.when(pl.col("").is_not_null()).then(pl.col("").hash())  # less than text
    queries = [f.select(hashes.alias("")) for f in (left.ids(first), right.ids(second))]
    one, two = (f[""] for f in pl.collect_all(queries, engine="streaming"))
    rows, distinct = (len(one), len(two)), one.n_unique()
    if rows[0] == rows[1] and (one == two).all(ignore_nulls=False):
        return Match(first, second, rows, (distinct, distinct), distinct, in_order=True)
    known = two.drop_nulls().unique()
    shared = one.drop_nulls().unique().to_frame().join(known.to_frame(), on="", how="semi")
    return Match(first, second, rows, (distinct, two.n_unique()), len(shared))


def _agree(left: Side, right: Side, one: Match, other: Match) -> bool:
    """Whether two matches pair the same rows."""
    return one is other or not compared(left.frame, right.frame, one[:2], *other[:2])[0]


def joined(
    frames: Sequence[Any],
    names: Sequence[str],
    column: str | None,
    *,
    may_lack: bool = False,
    advice: Sequence[str | Option] = (),
) -> Any:
    """Lazy frames brought into the order of the first, the truth, by their ids.

    Ids must be unique and the same in all, unless predictions ``may_lack`` some; ``advice`` is how
    to go on without these. Frames without ids are in that order. Predictions may have several
    samples an item, which are the same in all.
    """
    import polars as pl

    by_row = [f for f in frames if ID_COLUMN not in f.collect_schema()]
    pairs = [(f, n) for f, n in zip(frames, names, strict=True) if ID_COLUMN in f.collect_schema()]
    rows = _same_type([frame.collect(engine="streaming") for frame, _ in pairs])
    for frame, (_, name) in zip(rows, pairs, strict=True):
        if null := frame[ID_COLUMN].null_count():
            raise InputError(f"{name}, column {column}: {counted(null, 'row')} without an id")
        keys = frame.select(_id_columns(frame))
        if keys.n_unique() < len(keys):
            ids = keys.filter(keys.is_duplicated()).unique()[ID_COLUMN]
            refuse_ids(ids, f"{name} has {{}} more than once", *REPEATED)
    items, *others = rows
    for frame, (_, name) in zip(others, pairs[1:], strict=True):
        on = [c for c in _id_columns(frame) if c in items.columns]
        matched = frame.with_columns(pl.lit(True).alias(MATCHED))
        both = items.join(matched, on=on, how="left", maintain_order="left")
        if both[MATCHED].count() < len(frame):
            stray = frame.join(items, on=on, how="anti")[ID_COLUMN]
            pair = written_otherwise(items.lazy(), frame.lazy(), ID_COLUMN, ID_COLUMN)
            spelled = [f"; {names[0]} has {pair[0]!r} for {pair[1]!r}"] if pair else []
            refuse_ids(stray, f"{name} has {{}} not in {names[0]}", *spelled)
        if both[MATCHED].null_count() and not may_lack:
            absent = items.join(frame, on=on, how="anti")[ID_COLUMN]
            refuse_ids(absent, f"{name} lacks {{}} of {names[0]}", *advice)
        items = both.drop(MATCHED)
    return pl.concat([items.lazy(), *by_row], how="horizontal") if by_row else items.lazy()


def _id_columns(frame: Any) -> list[str]:
    return [c for c in (ID_COLUMN, SAMPLE_COLUMN) if c in frame.columns]


def _same_type(frames: Sequence[Any]) -> Sequence[Any]:
    """The frames with ids of one type, where ``1.0`` is ``1`` unless a file has both."""
    import polars as pl

    ids = pl.col(ID_COLUMN)
    if len({frame[ID_COLUMN].dtype for frame in frames}) > 1:
        frames = [f.with_columns(ids.cast(pl.String)) for f in frames]
    if frames[0][ID_COLUMN].dtype != pl.String:
        return frames
    short = [f.with_columns(as_id(ids)) for f in frames]
    pairs = zip(frames, short, strict=True)
    same = all(f[ID_COLUMN].n_unique() == s[ID_COLUMN].n_unique() for f, s in pairs)
    return short if same else frames


def refuse_ids(ids: Any, text: str, *advice: str | Option) -> None:
    """Refuse ids for a reason, if there are any."""
    if len(ids):
        names = shown(ids.sort().to_list())
        raise InputError(f"{text.format(counted(len(ids), 'id'))}: {names}", *advice)


def frame_sides(
    truth: Any, run: Any, name: str, labels: tuple[str, str], tasks: Collection[str]
) -> list[Side]:
    """A frame of the truth and one of predictions, whose ``labels`` are no ids."""
    frames = (("the truth", truth, labels[0]), (repr(name), run, labels[1]))
    return [
        Side(called, frame.lazy(), [c for c in frame.columns if c != label], tasks=tasks)
        for called, frame, label in frames
    ]


def joined_frames(
    frames: Mapping[str, Any], true: str, pred: str, tasks: Collection[str], *, by_row: bool
) -> Any:
    """One Polars frame: the first, which has the truth, and the predictions of each other.

    Rows are matched by ids that both have, else by their order; ``tasks`` are columns of other
    labels.
    """
    import polars as pl

    (_, truth), *runs = ((name, polars_frame(frame)) for name, frame in frames.items())
    refuse_absent([true], truth.columns, "the frame of the truth")
    both, columns = truth, dict[str, None]()
    for name, run in runs:
        refuse_absent([pred], run.columns, f"the frame of {name!r}")
        sides = frame_sides(truth, run, name, (true, pred), tasks)
        ids_match = None if by_row else match(*sides, files=False)
        keys = ids_match and ids_match[:2]
        for copy in () if by_row else (c for c in sides[1].columns if words(c) == words(true)):
            differ, same = compared(truth.lazy(), run.lazy(), keys, true, copy)
            if differ and same:
                raise InputError(
                    f"{name!r} has the labels of the truth in {copy!r}, but {differ:,} stand on "
                    "other rows: leave it out, or ",
                    Command((BY_ROW,)),
                )
            if 0 < 2 * differ < len(run):
                warn(TruthDiffers(name, copy, "the truth", differ).sentence)
        values = run[pred].alias(name)
        if ids_match is not None:
            columns[ids_match.left] = None
            predictions = run.lazy().select(pl.col(escape_column(pred)).alias(name))
            keyed = [pl.concat([ids(run.lazy(), ids_match.right), predictions], how="horizontal")]
            by_id = [f.rename({"": ID_COLUMN}) for f in (ids(truth.lazy(), ids_match.left), *keyed)]
            values = joined(by_id, ["the truth", repr(name)], ids_match.right).collect()[name]
        elif len(run) == len(truth):
            if not by_row:
                refuse_other_order(frames[next(iter(frames))], {name: frames[name]})
        else:
            raise InputError(
                f"frames must have one row each for the same items, got {len(truth):,} of the "
                f"truth and {len(run):,} of {name!r}, and no ids in both"
            )
        both = both.with_columns(values)
    if columns:
        warn(f"items are matched by {_either(columns)}; by_row=True refuses that")
    return both


def polars_frame(frame: Any) -> Any:
    """A frame of any library as a Polars frame, with the named index of pandas as columns.

    Objects that Polars does not know, such as UUIDs, paths and periods, become text.
    """
    import narwhals as nw
    import polars as pl

    frame = with_index(frame)
    if hasattr(frame, "iloc"):
        odd = [c for c in frame.columns if _are_objects(frame[c])]
        frame = frame.astype(dict.fromkeys(odd, str))
    wrapped = nw.from_native(frame)
    if isinstance(wrapped, nw.LazyFrame):
        wrapped = wrapped.collect(backend="polars")
    plain = wrapped.to_polars()
    objects = [c for c, dtype in plain.schema.items() if dtype == pl.Object]
    return plain.with_columns(plain[c].map_elements(str, pl.String) for c in objects)


def _are_objects(column: Any) -> bool:
    """Whether a pandas column holds what Polars does not know, or values of several types."""
    if str(column.dtype) != "object":
        return str(column.dtype).startswith(("period", "interval", "timedelta"))
    first, kinds = column.dropna().head(FIRST), (str, Number, date, time, Collection)
    return not any(all(isinstance(v, kind) for v in first) for kind in kinds)


def refuse_absent(columns: Sequence[str], names: Iterable[str], frame: str) -> None:
    """Refuse a frame that does not have all ``columns`` among its ``names``."""
    absent = [c for c in columns if c not in names]
    if absent:
        words = f"{frame} has columns {shown(names, 12)}, expected {shown(absent)} too"
        raise InputError(words + nearest(absent[0], names))
