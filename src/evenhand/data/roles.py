"""Roles of columns: which hold truth, predictions, ids, systems, runs, samples, clusters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from evenhand.data.factorize import escape_column, trim, values_of
from evenhand.data.frames import collected, first_rows, in_narwhals, named_column
from evenhand.data.matching import ID_NAMES, words
from evenhand.errors import Option
from evenhand.records import Record

TRUE, PRED, ID, WEIGHT, JUDGE = "truth", "predictions", "ids", "weights", "judge"
SYSTEM, RUN, SAMPLE, FOLD = "systems", "runs", "samples", "folds"
EPOCH, CLUSTER = "epochs", "clusters"
ROLES = (TRUE, PRED, ID, SYSTEM, RUN, SAMPLE, FOLD, EPOCH, CLUSTER, JUDGE, WEIGHT)
"""All of them, in the order in which people read of them."""
FEW, MANY = 200, 10_000
"""Distinct values that labels may have, in a column of any name and in one that is named so."""
MOST_LABELS = 20
"""Labels that a second task may have, if the first has fewer."""
FLAGS = {"0", "1", "true", "false"}
"""Labels of a column that says whether answers are correct."""
FIRST_ROWS = 100_000
"""Rows that are looked at where nothing says which column is what."""

_NUMBERED = r"( ?(id|ids|idx|index|name|nr|no|num|number))?"
_NAMES = {
    SYSTEM: r"(system|model|team|engine|classifier|llm|submission|participant|method|approach|"
    r"variant|config|configuration)" + _NUMBERED,
    RUN: r"(run|seed|trial|replicate|repetition|repeat)" + _NUMBERED,
    SAMPLE: r"(sample|draw|attempt|generation)" + _NUMBERED,
    FOLD: r"(cv )?(fold|split)" + _NUMBERED,
    EPOCH: r"(epoch|step|iteration|checkpoint|ckpt)" + _NUMBERED,
    CLUSTER: r"(cluster|document|user|author|speaker|patient|subject|session|conversation|"
    r"dialog|dialogue|thread|group|site|hospital)" + _NUMBERED,
    WEIGHT: r"(.* )?(w|weight|weights)",
    ID: ID_NAMES,
    JUDGE: r"(.* )?(judge|judged|judgement|judgment|grader|grade|graded|verdict)( .*)?|"
    r"(is )?correct",
}
"""Names in small letters, their words apart, by the role they are of."""
_TRUTHS = (
    r"(.* )?(category|categories|class|classes|annotation|topic|type|tag)( .*)?",
    r"(.* )?(labels?|annotated|annotator|y)( .*)?",
    r"(.* )?(gold|golds|golden|truth|true|target|targets|reference|expected|human|ytrue|"
    r"correct (answer|class|choice|option|label))( .*)?|answer key",
)
"""Names of truth, the weakest first."""
_GUESSES = (
    r".*(system|model|run|sys|hyp).*",
    r"(.* )?(system|model|run|answers?|choices?|outputs?|response|guess|hypothesis|hyp|hat)( .*)?",
    r"(.* )?(pred|preds|predict|prediction|predictions|predicted|ypred|scored)( .*)?|"
    r"(model|system) (answer|choice|class|label|output|response)",
)
"""Names of predictions, the weakest first."""
_LABEL_WORDS = (
    r"gold|golden|y|y?true|truth|labels?|class|classes|category|categories|targets?|reference|"
    r"expected|correct|annotation|topic|type|tag|y?pred|preds|predict|predictions?|predicted|"
    r"scored|system|model|run|sys|hyp|hypothesis|hat|outputs?|responses?|answers?|choices?|guess|"
    r"option|text|name|id|key"
)
"""The words of which names are made that say nothing but truth or predictions."""
_SURENESS = "confiden|certain|difficult"
"""What is in names of columns that say how sure or hard a label is."""
_NUMBER = r"^\s*[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?\s*$"


class ColumnProfile(Record):
    """A column: its name and number, what it holds, and what it looks like.

    ``values`` are its labels, if its values are few and come again.
    """

    json_fields = "name number type distinct missing examples role"

    name: str
    number: int
    type: str
    distinct: int
    missing: int
    examples: tuple[str, ...]
    role: str = ""
    rows: int = 0
    values: frozenset[str] | None = None

    @property
    def is_key(self) -> bool:
        """Whether every row has a value of its own."""
        return self.distinct == self.rows > 1 and not self.missing and self.type != "decimals"

    @property
    def truth_name(self) -> int:
        """How much the name is that of truth, from 0 to 3."""
        truth, guess = _strengths(self.name)
        return truth if truth > guess else 0

    @property
    def guess_name(self) -> int:
        """How much the name is that of predictions, from 0 to 3."""
        return _strengths(self.name)[1]

    def named(self, role: str) -> bool:
        """Whether the name is one of that role."""
        return names_role(self.name, role)


@dataclass(frozen=True)
class Roles:
    """Columns with their roles, and the names of those whose role is a guess."""

    columns: tuple[ColumnProfile, ...]
    unsure: tuple[str, ...] = ()

    def with_role(self, role: str) -> list[str]:
        """The columns of that role."""
        return [c.name for c in self.columns if c.role == role]


def profile(frame: Any, name: str, number: int) -> ColumnProfile:
    """What a column of a lazy frame holds."""
    import polars as pl

    column = trim(frame.select(pl.col(escape_column(name)).alias("")), [""]).collect(
        engine="streaming"
    )
    values = values_of(column, "")
    distinct = values.unique(maintain_order=True).drop_nulls()
    examples = tuple(str(v) for v in distinct.head(3).to_list())
    named = names_labels(name)
    few = 0 < len(distinct) <= (MANY if named else FEW) and not values.dtype.is_nested()
    again = named or len(distinct) < len(values) or len(values) <= 2
    labels = frozenset(map(str, distinct.to_list())) if few and again else None
    missing, kind = values.null_count(), _type(values)
    return ColumnProfile(
        name, number, kind, len(distinct), missing, examples, rows=len(values), values=labels
    )


def first_profiles(frame: Any, names: Sequence[str]) -> list[ColumnProfile]:
    """What the first rows of columns of any frame hold, as far as Polars can hold them."""
    rows = first_rows(frame, names, FIRST_ROWS)
    return [profile(rows.lazy(), c, i) for i, c in enumerate(rows.columns, 1)]


def repeating_columns(
    frame: Any, truth: str, names: Sequence[str]
) -> tuple[list[ColumnProfile], frozenset[str]]:
    """Columns of a frame, their values counted in all rows, and the labels of the truth."""
    profiles = first_profiles(frame, [*names, truth])
    labels = next((c.values for c in profiles if c.name == truth), None) or frozenset()
    columns = [c for c in profiles if c.name in names]
    is_long = columns and columns[0].rows == FIRST_ROWS
    return counted_in_all_rows(frame, columns) if is_long else columns, labels


def counted_in_all_rows(frame: Any, columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Columns of a lazy frame with their distinct and missing values in all rows."""
    import narwhals as nw
    import polars as pl

    columns = [c for c in columns if c.type not in ("lists", "objects")]
    if isinstance(frame, pl.LazyFrame):  # hashes take less memory than text
        texts = {c.name: pl.col(escape_column(c.name)) for c in columns}
        hashes = [pl.when(x.is_not_null()).then(x.hash()).alias(c) for c, x in texts.items()]
        frame = trim(frame, list(texts)).select(hashes)
    wrapped = in_narwhals(frame)
    sizes = [nw.len().alias("rows")]
    for c in columns:
        values = named_column(wrapped, c.name)
        counts = {"distinct": values.n_unique(), "missing": values.null_count()}
        sizes += [n.alias(f"{what} {c.number}") for what, n in counts.items()]
    rows, *numbers = map(int, collected(wrapped.select(*sizes)).rows()[0])
    pairs = zip(columns, numbers[::2], numbers[1::2], strict=True)
    return [
        replace(c, rows=rows, distinct=distinct - (missing > 0), missing=missing)
        for c, distinct, missing in pairs
    ]


def _type(values: Any) -> str:
    dtype = values.dtype
    if str(dtype) == "String":
        full = values.drop_nulls()
        return "text like numbers" if len(full) and full.str.contains(_NUMBER).all() else "text"
    if dtype.is_nested():
        return "lists" if "List" in str(dtype) else "objects"
    kinds = (("integers", dtype.is_integer()), ("decimals", dtype.is_float()))
    return next((word for word, fits in kinds if fits), str(dtype).lower())


def names_role(name: str, *roles: str) -> bool:
    """Whether a column of that name may be of one of the roles.

    >>> names_role("Model_Name", SYSTEM), names_role("model", SAMPLE)
    (True, False)
    """
    return any(re.fullmatch(_NAMES[role], words(name)) for role in roles)


def names_truth(name: str) -> bool:
    """Whether a column of that name is hardly one of predictions."""
    truth, guess = _strengths(name)
    return truth > 1 and not guess


def names_sureness(name: str) -> bool:
    """Whether a column of that name says how sure predictions are.

    >>> names_sureness("max_prob"), names_sureness("Confidence"), names_sureness("label")
    (True, True, False)
    """
    return re.search(rf"{_SURENESS}|\b(prob|probability|scores?|logit)$", words(name)) is not None


def names_labels(name: str) -> bool:
    """Whether a column of that name holds truth or predictions rather than ids."""
    return max(_strengths(name)) > 1


def names_predictions(name: str) -> bool:
    """Whether a column of that name is hardly one of truth."""
    return _strengths(name)[1] == len(_GUESSES)


def infer(columns: Sequence[ColumnProfile]) -> Roles:
    """The role of each column of one file, by name, distinctness, fullness and shared labels.

    Truth is the best named of the columns that share labels with another; where names do not
    tell, it is the first of them, which is a guess.
    """
    roles = {c.name: role_by_name(c) for c in columns}
    free = [c for c in columns if c.values is not None and roles[c.name] in ("", JUDGE, SYSTEM)]
    truth, certain = _truth(free)
    if truth is None:
        return Roles(tuple(replace(c, role=roles[c.name]) for c in columns))
    roles[truth.name] = TRUE
    guesses = [c for c in free if c is not truth and within(c, truth.values)]
    guesses = [c for c in guesses if roles[c.name] != JUDGE] or guesses
    roles |= {c.name: PRED for c in guesses}
    unsure = [] if certain else [truth.name]
    unsure += [c.name for c in guesses if c.truth_name or roles[c.name] == JUDGE]
    return Roles(tuple(replace(c, role=roles[c.name]) for c in columns), tuple(unsure))


def role_by_name(column: ColumnProfile) -> str:
    """The role that the name says, if what the column holds allows it."""
    number = column.type in ("integers", "decimals", "text like numbers")
    for role in filter(column.named, () if column.type in ("lists", "objects") else _NAMES):
        if role in (SYSTEM, CLUSTER):
            fits = 1 < column.distinct <= column.rows / 2
        elif role in (RUN, SAMPLE, FOLD, EPOCH):
            fits = 1 < column.distinct < column.rows
        elif role == WEIGHT:
            fits = number
        elif role == JUDGE and words(column.name).endswith("correct"):
            fits = {_without_decimals(v) for v in column.values or ("",)} <= FLAGS
        else:
            truth, guess = _strengths(column.name)
            fits = role == JUDGE or column.is_key or not (truth or guess == len(_GUESSES))
        if fits:
            return role
    return ""


def _truth(columns: Sequence[ColumnProfile]) -> tuple[ColumnProfile | None, bool]:
    """The column that is truth, if one is, and whether that is certain."""
    shared = {
        c: any(o is not c and (within(o, c.values) or within(c, o.values)) for o in columns)
        for c in columns
    }
    guesses = any(c.guess_name > 1 for c in columns)
    named = [c for c in columns if c.truth_name and not c.named(JUDGE)]
    named = [c for c in named if c.truth_name == 3 or shared[c] or not guesses]
    weights = {c: (c.truth_name == 3, shared[c], c.truth_name, -c.missing) for c in named}
    ranked = sorted(named, key=lambda c: weights[c], reverse=True)
    if ranked:
        answers = [c for c in columns if c.guess_name > 1 and shared[c]]
        answer = next((c for c in answers if words(c.name) in ("answer", "answers")), None)
        if ranked[0].truth_name == 1 and answer is not None and len(answers) > 1:
            return answer, False  # of a question, whose answer by a system has another name
        tied = len(ranked) > 1 and weights[ranked[0]] == weights[ranked[1]]
        tied = tied and words(ranked[1].name) != f"{words(ranked[0].name)} id"
        free = [c for c in columns if c not in named and not c.guess_name and not c.named(JUDGE)]
        weak = guesses and ranked[0].truth_name == 1 and any(shared[c] for c in free)
        return ranked[0], not (tied or weak)
    voted = (c for c in columns if shared[c] and words(c.name) in ("majority", "consensus"))
    if vote := next(voted, None):  # of annotators, whose names tell nothing
        return vote, False
    if guesses:
        others = [c for c in columns if c.guess_name < 2 and shared[c] and not c.named(JUDGE)]
        answers = [c for c in columns if shared[c] and words(c.name) in ("answer", "answers")]
        is_plain = not answers or all(c in answers for c in columns if c.guess_name > 1)
        return next(iter(others), None), len(others) == 1 and is_plain
    return next((c for c in columns if not c.guess_name and shared[c]), None), False


def labels_of(
    columns: Sequence[ColumnProfile], known: frozenset[str] | None = None, *, truth: bool
) -> list[ColumnProfile]:
    """The columns of a file of truth or of predictions alone that may hold its labels.

    Those of the best name; columns that share no label with those ``known`` are none. A copy of
    the truth beside predictions is not taken for them, nor one value throughout for the truth.
    """
    lists = [c for c in columns if c.type == "lists" and (c.truth_name or c.guess_name)]
    fits = [c for c in columns if c.values is not None or c in lists]
    fits = [c for c in fits if known is None or c.values is None or within(c, known)]
    allowed = ("",) if known is None else ("", SYSTEM)
    fits = [c for c in fits if role_by_name(c) in allowed]
    full = [c for c in fits if 2 * c.missing <= c.rows]
    fits = [c for c in full if 5 * c.distinct < 4 * c.rows or c.rows < 10] or full or fits
    if truth:
        fits = [c for c in fits if c.distinct > 1] or fits
    elif known is not None:
        fits = [c for c in fits if c.truth_name < 3] or fits
        if not any(c.guess_name for c in fits):  # a label beside a name of no role may be a copy
            return fits
    strengths = {c: (c.truth_name, c.guess_name) for c in fits}
    for side in (0, 1) if truth else (1, 0):
        best = max((strength[side] for strength in strengths.values()), default=0)
        if best:
            return [c for c, strength in strengths.items() if strength[side] == best]
    return fits


def with_rivals(
    fits: Sequence[ColumnProfile],
    columns: Sequence[ColumnProfile],
    known: frozenset[str] | None,
    task: str = "",
) -> list[ColumnProfile]:
    """The column that fits, and others with the ``known`` labels if its name does not settle it.

    Names do that are made of words for truth and predictions alone, or of the ``task``, or that end
    in a word for predictions: ``second_choice`` and ``target_hit`` do not.
    """
    parts = words(fits[0].name).split() if len(fits) == 1 and known else []
    others = [p for p in parts if not re.fullmatch(_LABEL_WORDS, p)]
    if {*others} <= {*words(task).split()} or re.fullmatch(_GUESSES[2], parts[-1]):
        return list(fits)
    free = [c for c in columns if c is not fits[0] and c.distinct > 1 and within(c, known)]
    return [*fits, *(c for c in free if not role_by_name(c) and 2 * c.missing <= c.rows)]


def other_tasks(columns: Sequence[ColumnProfile], true: str) -> list[ColumnProfile]:
    """The columns that may hold labels as ``true`` does: of another task, by their names."""
    label = next((c for c in columns if c.name == true and c.values is not None), None)
    most = 0 if label is None else max(MOST_LABELS, label.distinct)
    fits = [c for c in columns if label and c.type == label.type and 1 < c.distinct <= most]
    fits = [c for c in fits if c is not label and c.values and not (c.missing or c.guess_name)]
    return [c for c in fits if not (role_by_name(c) or re.search(_SURENESS, words(c.name)))]


def as_run(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns of a file of predictions alone: its one column of labels is theirs.

    Where names say nothing, the ids are the one column of words or numbers that are all different.
    """
    bare = [replace(c, role="" if c.role in (TRUE, PRED) else c.role) for c in columns]
    plain = [c for c in bare if not c.role and not c.missing]
    labels = labels_of(plain, None, truth=False)
    ids = [c for c in plain if c.is_key and not any(" " in e for e in c.examples)]
    ids = [] if any(c.role == ID for c in bare) else ids
    return [replace(c, role=PRED if labels == [c] else ID if ids == [c] else c.role) for c in bare]


@cache
def _strengths(name: str) -> tuple[int, int]:
    """How much a name is that of truth, and how much that of predictions, from 0 to 3."""
    bare = words(name)
    truth, guess = (
        max((i for i, p in enumerate(patterns, 1) if re.fullmatch(p, bare)), default=0)
        for patterns in (_TRUTHS, _GUESSES)
    )
    return truth, guess


def within(column: ColumnProfile, labels: frozenset[str] | None) -> bool:
    """Whether at least half of the labels of a column are among others, ``1.0`` for ``1``."""
    if not column.values or not labels:
        return False
    values, others = ({_without_decimals(v) for v in side} for side in (column.values, labels))
    return 2 * len(values & others) >= len(values)


def _without_decimals(label: str) -> str:
    """A label as it is written where no value is missing: ``1`` for ``1.0``, ``true``."""
    text = re.sub(r"^(-?[0-9]+)\.0$", r"\1", label)
    return text.lower() if text.lower() in ("true", "false") else text


@dataclass(frozen=True)
class RepeatedItems:
    """Columns that show several rows per item: systems, or ids that repeat, and what differs."""

    system: ColumnProfile | None
    id: ColumnProfile | None
    sample: ColumnProfile | None
    run: ColumnProfile | None

    def __str__(self) -> str:
        systems = [f"{c.distinct:,} systems in {c.name!r}" for c in (self.system,) if c]
        ids = [f"{c.distinct:,} values of {c.name!r} in {c.rows:,} rows" for c in (self.id,) if c]
        return f"several rows per item ({', '.join(systems + ids)})"

    @property
    def options(self) -> list[Option]:
        """The options by which a command reads such rows."""
        options = [] if self.system is None else [Option("system", self.system.name)]
        again = self.sample or self.run
        is_sample = self.sample is not None or self.system is None
        if again is not None and (self.id is not None or not is_sample):
            options.append(Option("sample" if is_sample else "run", again.name))
        if self.id is not None:
            name = "cluster" if self.system is again is None else "id"
            options.append(Option(name, self.id.name))
        return options


def may_repeat(names: Iterable[str]) -> list[str]:
    """The columns that rows of one item may differ in by name, if some are of systems or ids."""
    columns = [c for c in names if names_role(c, SYSTEM, ID, SAMPLE, RUN, EPOCH)]
    return columns if any(names_role(c, SYSTEM, ID) for c in columns) else []


def interleaved(frame: Any, truth: str, names: Iterable[str]) -> str | None:
    """The column whose values come in turn, several for each truth, as those of systems do.

    Truths that are merely sorted do not show that.
    """
    import polars as pl

    columns = [pl.col(escape_column(c)).alias(c) for c in dict.fromkeys((truth, *names))]
    rows = trim(frame.select(columns).head(FIRST_ROWS), []).collect(engine="streaming")
    true = rows[truth]
    for c in rows.columns[1:]:
        size = rows[c].n_unique()
        if not 1 < size <= len(rows) / 4 or rows[c].dtype.is_nested() or true.n_unique() < 2:
            continue
        turns = (rows[c][size:] == rows[c][:-size]).all(ignore_nulls=False)
        items = true.gather_every(size)
        starts = items.gather(pl.int_range(len(rows), eager=True) // size)
        turns = turns and (items != items.shift()).sum() >= items.n_unique()
        if turns and rows[c][:size].n_unique() == size and (true == starts).all():
            return str(c)
    return None


def repeated_items(
    columns: Iterable[ColumnProfile], labels: frozenset[str], *, clustered: bool
) -> RepeatedItems | None:
    """What shows that rows are no items of their own, if anything does.

    A column with ``labels`` of the truth names no systems; a column of ids that are all different
    says that rows are items. ``clustered`` items may repeat.
    """
    roles = {c: role for c in columns if (role := role_by_name(c))}
    by_role = {role: c for c, role in reversed(roles.items())}
    system, sample = by_role.get(SYSTEM), by_role.get(SAMPLE) or by_role.get(EPOCH)
    ids = [c for c, role in roles.items() if role == ID]
    has_key = any(c.is_key for c in ids)
    may_repeat = not clustered and (sample or not has_key)
    repeated = [c for c in ids if may_repeat and 1 < c.distinct < c.rows]
    if system and (labels & (system.values or frozenset()) or (has_key and not repeated)):
        system = None
    if system is None and not repeated:
        return None
    return RepeatedItems(system, next(iter(repeated), None), sample, by_role.get(RUN))
