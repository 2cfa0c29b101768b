"""Warnings that results carry: a class for each code, with its facts and its sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import field, replace
from string import Formatter
from typing import Any, ClassVar, Literal

from evenhand.errors import shown
from evenhand.records import Record
from evenhand.text import counted, group_by, key_text, listed, number, percent, points, visible

DELIMITERS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}
"""What separates fields, in words."""


class _WarningFormatter(Formatter):
    """Facts in a template: several things are listed, ``{rows:row}`` is a number with its noun."""

    def format_field(self, value: Any, spec: str) -> str:
        if spec in _SPECS:
            return _SPECS[spec](value)
        if isinstance(value, tuple):
            return shown(value)
        noun = spec.isalpha() and len(spec) > 1  # "g" is a way to write a number
        return counted(value, spec) if noun else super().format_field(value, spec)


_SPECS: dict[str, Callable[[Any], str]] = {
    "names": listed,
    "classes": lambda x: f"class {shown(x)} is" if len(x) == 1 else f"classes {shown(x)} are",
    "have": lambda x: "1 class has" if len(x) == 1 else f"{len(x):,} classes have",
    "number": lambda names: f"{len(names):,}",
    "lines": lambda names: counted(len(names), "row"),
    "was": lambda amount: "was" if amount == 1 else "were",
    "share": percent,
    "score": number,
    "points": points,
    "hundredths": lambda x: points(x / 100),
    "equations": lambda x: listed(f"{old!r} is {new!r}" for old, new in x),
    "meant": lambda x: listed((f"{new!r} for {old!r}" for old, new in x), 3),
    "shares": lambda x: listed(f"{label!r} {number(share)}" for label, share in x),
    "first": lambda x: listed(f"{name} ({label!r})" for name, label in x),
    "keys": lambda x: listed(map(key_text, x)),
    "fields": lambda x: ", ".join(f"{k} ({a or 'not said'}, {b or 'not said'})" for k, a, b in x),
}


class ResultWarning(Record):
    """A warning: every subclass is a frozen dataclass of the facts that it states.

    The code is the class name in snake case: ``FewClusters`` is ``few_clusters``. ``template`` is
    its sentence over the facts, unless it has a method for it. ``about`` is the field with the
    metrics that it concerns; if there are none, it concerns all. A subclass with ``is_record`` is
    for JSON alone.
    """

    code: ClassVar[str] = ""
    template: ClassVar[str] = ""
    about: ClassVar[str] = "metrics"
    is_record: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        cls.template = " ".join(cls.template.split())

    @property
    def sentence(self) -> str:
        """The warning in words; names of systems and slices are as hostile as labels."""
        return visible(self._sentence())

    def _sentence(self) -> str:
        return _WarningFormatter().vformat(self.template, (), vars(self))

    @property
    def heading(self) -> str:
        """What people read before it: ``note`` or ``warning``."""
        return "warning"

    def concerning(self, metrics: Container[str]) -> ResultWarning | None:
        """The warning as far as it concerns these ``metrics``; ``None`` if it does not."""
        own = getattr(self, self.about, ())
        if not own:
            return self
        if isinstance(own, str):
            return self if own in metrics else None
        names = tuple(name for name in own if name in metrics)
        return type(self)(**{**vars(self), self.about: names}) if names else None

    def to_dict(self) -> dict[str, Any]:
        """The code and the facts, as JSON has them."""
        return {"code": self.code, **super().to_dict()}


class Note(ResultWarning):
    """How data were read or scored, where nothing need be wrong."""

    @property
    def heading(self) -> str:
        return "note"


def _predictions(items: float, weighted: bool) -> str:
    """How much was predicted, as a number of predictions or as a weight."""
    if weighted:
        return f"predictions that weigh {items:,.6g} are"
    return f"{counted(items, 'prediction')} {'is' if items == 1 else 'are'}"


# Data


class Stray(Record):
    """A predicted label that is never true, and how many items it was predicted for.

    ``like`` is a true label that differs only in case, spaces or Unicode form, ``near`` one of
    which it may be a misspelling.
    """

    label: Any
    items: float
    like: Any = None
    near: Any = None


class NeverTrue(ResultWarning):
    """Predicted labels that are never true, and a metric under two rules for classes.

    The ``items`` of strays are sums of weights if items are ``weighted``.
    """

    strays: tuple[Stray, ...]
    weighted: bool = False
    system: str | None = None
    metric: str | None = None
    rule: str = ""
    value: float = float("nan")
    other_rule: str = ""
    other: float = float("nan")

    @property
    def predicted(self) -> float:
        """All predictions of such labels."""
        return sum(s.items for s in self.strays)

    def _sentence(self) -> str:
        many = _predictions(self.predicted, self.weighted)
        system = "" if self.system is None else f"{self.system}: "
        names = shown(s.label for s in self.strays)
        text = f"{system}{many} of labels that never occur in the truth ({names})"
        if lookalikes := [s for s in self.strays if s.like is not None]:
            pairs = listed((f"{s.label!r} and {s.like!r}" for s in lookalikes), 3)
            folds = all(str(s.label).casefold() == str(s.like).casefold() for s in lookalikes)
            fix = "ignore case" if folds else "map one to the other"
            text += f"; {pairs} differ only in case, spaces or Unicode form: {fix} if they are one"
        if near := [(s.label, s.near) for s in self.strays if s.near is not None]:
            text += f"; did you mean {_SPECS['meant'](near)}? If so, rename it (option map)"
        if self.metric is None:
            return text
        both = ((self.rule, self.value), (self.other_rule, self.other))
        named = ((x, "all classes seen" if r == "seen" else f"the {r} classes") for r, x in both)
        each = (f"{number(x)} over {name}" for x, name in named)
        return f"{text}; {self.metric} is {', '.join(each)}"


class MoreNeverTrue(ResultWarning):
    """Further systems that predict labels which are never true, with a warning each."""

    systems: tuple[NeverTrue, ...]

    def _sentence(self) -> str:
        # Every system is named: whoever publishes a ranking sees which teams it touches.
        labels = ((n, shown(s.label for s in n.strays)) for n in self.systems)
        each = (f"{n.system!r} {n.predicted:,.10g} ({names})" for n, names in labels)
        return f"other systems with labels that never occur in the truth: {', '.join(each)}"


class MisspeltTruth(ResultWarning):
    """Rare true labels, each with a frequent one of which it may be a misspelling."""

    template = "did you mean {pairs:meant} in the truth? If so, rename it (option map)"

    pairs: tuple[tuple[Any, Any], ...]


class CommonClasses(ResultWarning):
    """Groups are compared over the classes that are true in all of them; others are left out."""

    template = """groups are compared over the classes that all of them have ({labels}), without
    {left}"""

    labels: tuple[Any, ...]
    left: tuple[Any, ...]


class NoCommonClass(ResultWarning):
    """Groups have no class in common, so averages over classes are not compared."""

    template = "no class occurs in every group: averages over classes left out ({metrics:names})"
    about = ""

    metrics: tuple[str, ...]


class NoClass(ResultWarning):
    """Predictions that are no class, by system if there are several."""

    items: float
    missing: int = 0
    weighted: bool = False
    systems: tuple[tuple[str, float], ...] = ()

    def _sentence(self) -> str:
        if self.systems:
            lost = listed(f"{name!r} {items:,.10g}" for name, items in self.systems)
            return f"predictions missing or outside the classes, counted as errors: {lost}"
        if self.missing == self.items:
            return f"{counted(self.missing, 'prediction')} missing, counted as errors"
        null = f" ({self.missing:,} of them missing)" if self.missing else ""
        many = _predictions(self.items, self.weighted)
        return f"{many} outside the classes{null}, counted as errors"


class Alphabetical(ResultWarning):
    """Metrics that depend on the order of classes, which is alphabetical."""

    template = """{metrics:names} depends on the order of the classes, which is alphabetical here
    ({labels}): set another with labels"""

    metrics: tuple[str, ...]
    labels: tuple[Any, ...]


class SameLabels(ResultWarning):
    """Spellings of one number or truth value: as in the data, and as counted."""

    template = "labels written differently were taken as one: {spellings:equations}"

    spellings: tuple[tuple[Any, Any], ...]


class CaseApart(ResultWarning):
    """Labels that differ only in how they are written, and were counted as different."""

    labels: tuple[str, ...]

    def _sentence(self) -> str:
        decimals = any(v.endswith(".0") for v in self.labels)
        aspect = "decimals" if decimals else "case, spaces or Unicode form"
        return f"{shown(self.labels)} differ only in {aspect}, and were counted as different labels"


class TotalsLeftOut(Note):
    """Rows and columns of a table that hold its sums, and were left out."""

    template = "{names} of the table was left out: it holds the sums of the others"

    names: tuple[str, ...]


class RowsPredicted(Note):
    """What the corner of a table is called, by which its rows are predicted classes."""

    template = "rows of the table were taken for predicted classes, as its corner says: {corner!r}"

    corner: str


class Copies(ResultWarning):
    """Systems with the same prediction for every item."""

    template = "{systems:names}: the same prediction on every item; is one a copy?"

    systems: tuple[str, ...]


class RowsDropped(ResultWarning):
    """Rows without a true label that were left out."""

    template = "{rows:row} without a true label {rows:was} dropped"

    rows: int


class TwoFormulas(ResultWarning):
    """Two formulas are called macro F1, and differ here."""

    macro_f1: float
    f1_of_averages: float

    def _sentence(self) -> str:
        gap = points(self.f1_of_averages - self.macro_f1)
        both = f"macro_f1 {number(self.macro_f1)}, f1_of_averages {number(self.f1_of_averages)}"
        two = f"two formulas are called 'macro F1' and differ here by {gap}: {both}"
        return f"{two}; say which one you report"


class EmptiedClass(ResultWarning):
    """Classes whose share is set to 0, so that their recall is 0/0 and becomes ``worth``."""

    template = """{metric}: {labels} has no items at this class mix; its recall, 0/0, counts as
    {worth:g}"""
    about = "metric"

    metric: str
    labels: tuple[Any, ...]
    worth: float


class InSlices(ResultWarning):
    """A warning of one code (``of``) in several slices, with the key of each."""

    of: str
    slices: tuple[tuple[Any, ResultWarning], ...]

    def concerning(self, metrics: Container[str]) -> ResultWarning | None:
        each = ((key, note.concerning(metrics)) for key, note in self.slices)
        slices = tuple((key, note) for key, note in each if note is not None)
        return replace(self, slices=slices) if slices else None

    @property
    def heading(self) -> str:
        return self.slices[0][1].heading

    def _sentence(self) -> str:
        keys = [f"({key_text(k)})" if isinstance(k, tuple) else key_text(k) for k, _ in self.slices]
        sentences = dict.fromkeys(note.sentence for _, note in self.slices)
        first = f", such as {keys[0]}" if len(sentences) > 1 else ""
        where = f"in {counted(len(keys), 'slice')} ({listed(keys, 12)}){first}"
        return f"{where}: {next(iter(sentences))}"


def lines(notes: Iterable[ResultWarning], metrics: Container[str] | None = None) -> tuple[str, ...]:
    """What people read of them, a line each, the notes last; maybe of some ``metrics`` alone.

    >>> lines([PositiveClass("a"), RowsDropped(1)])
    ('warning: 1 row without a true label was dropped', \
"note: 'a' is the positive class, as the print-out says")
    """
    concerned = (n if metrics is None else n.concerning(metrics) for n in notes)
    shown = (n for n in concerned if n is not None and not n.is_record)
    ordered = sorted(shown, key=lambda n: n.heading == "note")
    return tuple(f"{n.heading}: {n.sentence}" for n in ordered)


ADDED = (NeverTrue, NoClass, RowsDropped, TwoFormulas)
"""Warnings that are not repeated for slices if all items together have one."""


def of_slices(
    overall: Sequence[ResultWarning], slices: Iterable[tuple[Any, Iterable[ResultWarning]]]
) -> tuple[ResultWarning, ...]:
    """The warnings that slices (by key) have beyond those of all items, one for each code.

    >>> of_slices([], [("de", [RowsDropped(2)]), ("en", []), ("fr", [RowsDropped(1)])])[0].of
    'rows_dropped'
    """
    codes = {note.code for note in overall if isinstance(note, ADDED)}
    beyond = [
        (key, note)
        for key, notes in slices
        for note in notes  # a MoreNeverTrue is never without a NeverTrue
        if note not in overall and note.code not in codes and not isinstance(note, MoreNeverTrue)
    ]
    by_code = group_by(beyond, lambda pair: pair[1].code)
    return tuple(InSlices(code, tuple(pairs)) for code, pairs in by_code.items())


# Reading files


class ComparedAsText(ResultWarning):
    """A file of integers, decimals or booleans and one of text, compared as text."""

    template = "{source} holds {kind} and {text} text: compared as text"

    source: str
    text: str
    kind: str


class ColumnByNumber(Note):
    """A column that was chosen by its number, and its name."""

    template = "column {number} is {column!r}"

    number: str
    column: str


class FilesRead(ResultWarning):
    """The files that were read, the columns of each by role, their layout, and how items match."""

    template = "read: {files}"

    is_record = True

    files: tuple[str, ...]
    columns: dict[str, dict[str, str | tuple[str, ...]]] = field(hash=False)
    matched_by: str | None
    layout: dict[str, dict[str, str | bool | None]] = field(hash=False)


class ColumnByCase(Note):
    """A column that was named in another case than in the file."""

    template = "{source}: column {column!r} is {name!r}"

    source: str
    column: str
    name: str


class InferredColumn(Record):
    """A column of a file and the role that was inferred for it."""

    source: str
    column: str
    role: str


class ColumnsTaken(Note):
    """Columns whose roles were inferred."""

    columns: tuple[InferredColumn, ...]

    def _sentence(self) -> str:
        each = (
            f"{c!r} of {listed((x.source for x in same), 3)} as {role}"
            for (c, role), same in group_by(self.columns, lambda c: (c.column, c.role)).items()
        )
        return f"columns read: {'; '.join(each)}"


class MatchedById(Note):
    """The column of ids that items are matched by, its names in other files, and shared ids."""

    column: str
    others: tuple[str, ...]
    items: int

    def _sentence(self) -> str:
        others = f" (elsewhere {listed(map(repr, self.others))})" if self.others else ""
        column = f"column {self.column!r}" if self.column else "the column without a name"
        return f"items are matched by {column}{others}, {counted(self.items, 'id')} in common"


class TruthDiffers(ResultWarning):
    """A column of true labels beside predictions that differs from the truth on some items."""

    template = "{source}: {column!r} differs from {truth} on {items:item}; those of {truth} count"

    source: str
    column: str
    truth: str
    items: int


class MatchedByRow(ResultWarning):
    """Files without ids, matched to the truth by row although other files have ids."""

    template = "{files:names}: no ids, so rows are matched in the order of {truth}"

    files: tuple[str, ...]
    truth: str


class IdsUnused(ResultWarning):
    """Files with ids that the truth has not, matched to it by row."""

    template = """{files:names}: its ids are not used, since {truth} has none: items are matched
    by row"""

    files: tuple[str, ...]
    truth: str


class SortedRows(ResultWarning):
    """Systems whose rows are sorted by label, and not as those of the truth."""

    template = "{systems:names}: sorted by label, and not as {truth}: are its rows in that order?"

    systems: tuple[str, ...]
    truth: str


class LogsRead(Note):
    """What was read from logs of evaluations: items of a task, samples of all systems."""

    template = """{formats:names}: {items:item} of {task!r}, {samples:sample} of
    {systems:system}{details}"""

    formats: tuple[str, ...]
    task: str
    items: int
    samples: int
    systems: int
    details: str = ""


class RolesUnsure(ResultWarning):
    """Columns whose role is a guess."""

    template = "not sure about {columns}: more than one role fits"

    columns: tuple[str, ...]


class TruthOrPredictions(ResultWarning):
    """The only column of labels in a file, which may be truth or predictions."""

    template = "{column!r} may be truth or predictions: the file has one column of labels"

    column: str


class SamplesOfItems(Note):
    """The number of items, and of samples of them."""

    template = "{samples:sample} of {items:item}: the samples of an item count together as one"

    items: int
    samples: int


class SheetTaken(Note):
    """The sheet of a spreadsheet that was read, and those that were not."""

    template = "{source}: sheet {sheet!r} was read, and not {others}"

    source: str
    sheet: str
    others: tuple[str, ...]


class MembersLeftOut(Note):
    """Files of an archive that hold words about the others."""

    template = "{source}: {names} left out, as no files of labels"

    source: str
    names: tuple[str, ...]


class EncodingGuessed(Note):
    """A file whose encoding was inferred from its first bytes."""

    template = "{source} was read as {encoding}, as its first bytes suggest"

    source: str
    encoding: str


class FileLayout(Record):
    """A file, and where its layout differs from its name or the options."""

    source: str
    header: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None
    heading: str = ""

    def words(self) -> str:
        """Its layout in words, as far as it is said."""
        heading = f" ({self.heading!r})" if self.heading else ""
        mark = DELIMITERS.get(self.delimiter or "", repr(self.delimiter))
        words = {
            f"with a header{heading}" if self.header else "no header": self.header,
            f"fields between {mark}": self.delimiter,
            f"text in {self.encoding}": self.encoding,
        }
        return ", ".join(text for text, value in words.items() if value is not None)


class LayoutFound(Note):
    """Files whose layout differs from their names or the options."""

    files: tuple[FileLayout, ...]

    def _sentence(self) -> str:
        layouts = group_by(self.files, FileLayout.words).items()
        each = (f"{listed(file.source for file in files)} ({words})" for words, files in layouts)
        return f"file layout: {'; '.join(each)}"


class NotInEncoding(Note):
    """A file in UTF-8 although another encoding was named."""

    template = "{source} is UTF-8 and was read so, not as {encoding}"

    source: str
    encoding: str


class PositiveClass(Note):
    """The positive class that a print-out names."""

    template = "{label!r} is the positive class, as the print-out says"

    label: Any


class LabelsRenamed(Note):
    """The number of labels that a map renamed, and of all labels before and after."""

    template = "{source} renamed {renamed:,} of {before:,} {sides} labels, leaving {after:,}"

    source: str
    renamed: int
    before: int
    after: int
    sides: str


class CaseIgnored(Note):
    """The number of labels before and after case was ignored."""

    template = "ignoring case merged {before:,} labels into {after:,}"

    before: int
    after: int


class Decided(ResultWarning):
    """How class probabilities became labels: the largest one, or a threshold."""

    classes: int
    label: str | None = None
    threshold: float = 0.0
    above_half: str | None = None
    """With two classes, the one predicted above a probability of 0.5."""
    scores: bool = False
    """Whether these are scores that are no probabilities: then 0 is in the place of 0.5."""

    @property
    def heading(self) -> str:
        return "note" if self.label is None else "warning"

    def _sentence(self) -> str:
        kind, half = ("score", "0") if self.scores else ("probability", "0.5")
        if self.label is not None:
            rule = f"{self.label!r} is predicted from a {kind} of {self.threshold:g} on"
            return f"{rule}; if it was chosen on these items, the scores are too optimistic"
        if self.above_half is not None:
            return f"{self.above_half!r} is predicted above a {kind} of {half}"
        return f"the class with the highest {kind} is predicted, the first in a tie"


class LabelsDecided(Note):
    """How probabilities of labels, of which an item may have several, became predictions."""

    threshold: float
    scores: bool = False
    """Whether they are scores that are no probabilities."""

    def _sentence(self) -> str:
        kind = "score" if self.scores else "probability"
        return f"labels are predicted from a {kind} of {self.threshold:g} on"


class Renormalised(ResultWarning):
    """Rows of rounded probabilities that were divided by their sum."""

    template = """{rows:,} of {total:,} rows of probabilities sum to {low:.8g} to {high:.8g}, not 1:
    rescaled"""
    rows: int
    total: int
    low: float
    high: float


class NoSets(ResultWarning):
    """Items without a prediction, which count as empty label sets."""

    template = "{items:item} without a prediction, taken as an empty set of labels"

    items: int


class NoSystems(Note):
    """Columns that are no systems: they share no label with the truth, or are named otherwise."""

    template = """columns that hold none of the true labels, or are named as something else, are no
    systems: {columns}; name one to score it (option pred)"""

    columns: tuple[str, ...]
    truth: str


class EqualToTruth(ResultWarning):
    """Systems without an error."""

    template = "{systems:names}: no errors at all; is it a copy of the truth?"

    systems: tuple[str, ...]


class HeaderCounted(ResultWarning):
    """Files of one label per line whose first line may be a header, with that line."""

    template = "line 1 of {files:first} occurs nowhere else: if it is a header, remove it"

    files: tuple[tuple[str, str], ...]


class EmptyFiles(ResultWarning):
    """Files without rows, and the number of all files."""

    template = "{empty:number} of {files:,} files have no rows: {empty}"

    empty: tuple[str, ...]
    files: int


# Rankings and comparisons


class ManyPairs(Note):
    """More classes than pairs are computed for."""

    template = "more than {classes:,} classes: their pairs are not listed"

    classes: int


class TablesAlone(Note):
    """Tables without items, which allow no tests and no intervals of ranks."""

    template = "tables without items: no rank intervals, P(best) or tests (these need label files)"


class OtherItems(ResultWarning):
    """Tables with different true labels."""

    template = "different true labels: the systems were scored on different items, not paired"


class OneRunOnly(ResultWarning):
    """Systems with one run, among others with several."""

    template = "{systems}: a single run, so the interval leaves out the spread between runs"

    systems: tuple[str, ...]


class UndefinedFor(ResultWarning):
    """Metrics that are undefined for some system, which ranks last."""

    template = "undefined for some system, which then ranks last: {metrics:names}"

    metrics: tuple[str, ...]


class LeftOut(ResultWarning):
    """A system whose file could not be used, and why."""

    template = "left out {system}: {reason}"

    system: str
    reason: str


# Intervals and tests


class NoWidth(Note):
    """Numbers whose interval would have no width.

    ``metrics`` has the metric of each number, where names are not those of metrics.
    """

    about = ""

    names: tuple[str, ...]
    of: Literal["score", "class", "difference"] = "score"
    metrics: tuple[str, ...] = ()

    def _sentence(self) -> str:
        why = {
            "score": "its standard error is 0 or infinite (as of a perfect score)",
            "class": "its standard error is 0",
            "difference": "its standard error is 0 or infinite (they never or always differ)",
        }
        return f"no interval for {listed(self.names, 4)}: {why[self.of]}"

    def concerning(self, metrics: Container[str]) -> ResultWarning | None:
        pairs = zip(self.names, self.metrics or self.names, strict=True)
        concerned = [(name, metric) for name, metric in pairs if metric in metrics]
        if not concerned:
            return None
        names, own = map(tuple, zip(*concerned, strict=True))
        return replace(self, names=names, metrics=own if self.metrics else ())


class UnknownVariance(Note):
    """A table of fractions, whose items have an unknown variance."""

    template = """no intervals: a table of fractions has no variance (give a Sample, or weighted
    items)"""


class NoGradient(Note):
    """A metric without a gradient, and why."""

    template = "no interval for {metric} except by bootstrap: {reason}"
    about = "metric"

    metric: str
    reason: str


class FewTrueItems(ResultWarning):
    """Classes with few true items, so that intervals of averages or areas may be too narrow.

    ``metrics`` are those; if empty, all metrics.
    """

    template = """{labels:have} fewer than {few} true items ({labels}): intervals of {kind} may be
    too narrow"""

    labels: tuple[Any, ...]
    few: int
    metrics: tuple[str, ...] = ()
    kind: Literal["averages", "areas under curves"] = "averages"


class ZeroProbability(ResultWarning):
    """Items whose true class had probability 0, whose logarithm is taken of a tiny one."""

    template = """{items:,} of {total:,} items give their true class a probability of 0, which
    counts as 2.2e-16 in {metrics}"""

    items: int
    total: int
    metrics: tuple[str, ...]


class FewHits(ResultWarning):
    """Classes with enough true items but few predictions or hits.

    ``systems`` are the systems with few, if there are several.
    """

    labels: tuple[Any, ...]
    few: int
    hits: int
    systems: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    def _sentence(self) -> str:
        few = f"fewer than {self.few} predictions or {self.hits} correct ones"
        text = f"{_SPECS['have'](self.labels)} {few} ({shown(self.labels)})"
        if self.systems:
            have = "has" if len(self.systems) == 1 else "have"
            classes = counted(len(self.labels), "class", "classes")
            text = f"{listed(self.systems, 4)} {have} {few} of {classes} ({shown(self.labels)})"
        return f"{text}: intervals of averages may be too narrow"


class Biased(Note):
    """Numbers without an interval because they are biased in few items."""

    template = "no interval for {names:names}: biased upwards in small samples (twins corrects it)"
    about = "names"

    names: tuple[str, ...]


class OneCluster(ResultWarning):
    """Slices with a single cluster."""

    template = "slices left out: {keys:keys}; a single cluster gives no variance between clusters"

    keys: tuple[Any, ...]


class SameAnswers(ResultWarning):
    """Systems that agree on all items, too few to exclude a difference beyond the margin.

    ``slices`` is the number of such slices (0: all items), ``items`` the size of the smallest.
    ``metric`` is the one that they agree in; if every prediction is equal, it is empty.
    """

    items: int
    slices: int
    share: float
    level: float
    metric: str = ""

    def _sentence(self) -> str:
        where = f"in {counted(self.slices, 'slice')} " if self.slices else ""
        items = f"{'as few as ' if self.slices > 1 else ''}{counted(self.items, 'item')}"
        items += f" that concern {self.metric}" if self.metric else ""
        same = f"{where}the two systems give the same answer on all of {items}"
        cases = f"{1 / (1 - self.level):.0f} cases if they differed on {percent(self.share)}"
        return f"{same}: that passes, but with so few it would happen in 1 of {cases}"


class ZeroOverZero(ResultWarning):
    """A 0/0 that delta intervals treat as a constant."""

    template = """0/0 in a class counts as {worth:g}: delta intervals of {metrics:names} take it
    as fixed"""

    worth: float
    metrics: tuple[str, ...]


class FewClusters(ResultWarning):
    """Too few clusters to estimate the variance between them."""

    clusters: int
    effective: int | None = None

    def _sentence(self) -> str:
        clusters = counted(self.clusters, "cluster")
        text = f"{clusters} of unequal size count as {self.effective} equal ones"
        text = f"only {clusters}" if self.effective in (None, self.clusters) else text
        return f"{text}: too few for a reliable interval"


class ChosenHere(ResultWarning):
    """A threshold that was chosen on the scored items, and the optimism of a metric; ``None`` if
    the items are too few to estimate it."""

    label: Any
    threshold: float
    metric: str
    value: float
    expected: float | None = None
    optimism: float | None = None
    se: float | None = None

    def _sentence(self) -> str:
        chosen = f"threshold {self.threshold:g} for {self.label!r} was chosen on these same items"
        score = f"{self.metric} {number(self.value)} is optimistic: the {chosen}"
        if self.expected is None or self.optimism is None:
            return f"{score}; too few items to say by how much"
        gain = points(self.optimism) + ("" if self.se is None else f" (± {points(self.se)})")
        return f"{score}; about {gain} too high, expect {number(self.expected)} on new items"


class FoldsLackClasses(ResultWarning):
    """Folds without a true item of some class, whose averages run over the other classes."""

    template = """in {lacking:,} of {folds:,} folds some class has no true item ({labels}):
    averages run over the others there, and the mean of folds mixes the two; stratify the folds, or
    look at the pooled score"""

    lacking: int
    folds: int
    labels: tuple[Any, ...]
