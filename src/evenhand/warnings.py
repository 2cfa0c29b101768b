"""Warnings that results carry: a class for each code, with its facts as fields."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, dataclass_transform

from evenhand.records import Record


@dataclass_transform(frozen_default=True)
class ResultWarning(Record):
    """A warning: every subclass is a frozen dataclass of the facts that it states.

    The code is the class name in snake case: ``FewClusters`` is ``few_clusters``. ``about`` is the
    field with the metrics that it concerns; if empty, it concerns all. A subclass with
    ``is_record`` records how data were read and is not printed as a warning.
    """

    code: ClassVar[str] = ""
    about: ClassVar[str] = ""
    is_record: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        dataclass(frozen=True)(cls)

    def concerning(self, metrics: Container[str]) -> ResultWarning | None:
        """The warning as far as it concerns these ``metrics``; ``None`` if it does not."""
        if not self.about:
            return self
        own = getattr(self, self.about)
        if isinstance(own, str):
            return self if own in metrics else None
        names = tuple(name for name in own if name in metrics)
        return type(self)(**{**vars(self), self.about: names}) if names else None

    def to_dict(self) -> dict[str, Any]:
        """The code and the facts, as JSON has them."""
        return {"code": self.code, **super().to_dict()}


# Data


@dataclass(frozen=True)
class Stray(Record):
    """A predicted label that is never true, and how many items it was predicted for.

    ``like`` is a true label that differs only in case, spaces or Unicode form.
    """

    label: Any
    items: float
    like: Any = None


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


class MoreNeverTrue(ResultWarning):
    """Further systems that predict labels which are never true, with a warning each."""

    systems: tuple[NeverTrue, ...]


class CommonClasses(ResultWarning):
    """Groups are compared over the classes that are true in all of them; others are left out."""

    labels: tuple[Any, ...]
    left: tuple[Any, ...]


class NoCommonClass(ResultWarning):
    """Groups have no class in common, so averages over classes are not compared."""

    metrics: tuple[str, ...]


class NoClass(ResultWarning):
    """Predictions that are no class, by system if there are several."""

    items: float
    missing: int = 0
    weighted: bool = False
    systems: tuple[tuple[str, float], ...] = ()


class Alphabetical(ResultWarning):
    """Metrics that depend on the order of classes, which is alphabetical."""

    about = "metrics"

    metrics: tuple[str, ...]
    labels: tuple[Any, ...]


class SameLabels(ResultWarning):
    """Spellings of one number or truth value: as in the data, and as counted."""

    spellings: tuple[tuple[Any, Any], ...]


class Copies(ResultWarning):
    """Systems with the same prediction for every item."""

    systems: tuple[str, ...]


class RowsDropped(ResultWarning):
    """Rows without a true label that were left out."""

    rows: int


class TwoFormulas(ResultWarning):
    """Two formulas are called macro F1, and differ here."""

    macro_f1: float
    f1_of_averages: float


class EmptiedClass(ResultWarning):
    """Classes whose share is set to 0, so that their recall is 0/0 and becomes ``worth``."""

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


ADDED = (NeverTrue, NoClass, RowsDropped, TwoFormulas)
"""Warnings that are not repeated for slices if all items together have one."""


def of_slices(
    overall: Sequence[ResultWarning], slices: Iterable[tuple[Any, Iterable[ResultWarning]]]
) -> tuple[ResultWarning, ...]:
    """The warnings that slices (by key) have beyond those of all items, one for each code.

    >>> of_slices([], [("de", [RowsDropped(2)]), ("en", []), ("fr", [RowsDropped(1)])])[0].of
    'rows_dropped'
    """
    codes = {note.code for note in overall}
    by_code: dict[str, list[tuple[Any, ResultWarning]]] = {}
    for key, notes in slices:
        for note in notes:
            if note in overall or isinstance(note, MoreNeverTrue):  # never without a NeverTrue
                continue
            if not (note.code in codes and isinstance(note, ADDED)):
                by_code.setdefault(note.code, []).append((key, note))
    return tuple(InSlices(code, tuple(rows)) for code, rows in by_code.items())


# Reading files


class ComparedAsText(ResultWarning):
    """A file of integers, decimals or booleans and one of text, compared as text."""

    source: str
    text: str
    kind: str


class ColumnByNumber(ResultWarning):
    """A column that was chosen by its number, and its name."""

    number: str
    column: str


class FilesRead(ResultWarning):
    """The files that were read, the columns of each by role, their layout, and how items match."""

    is_record = True

    files: tuple[str, ...]
    columns: dict[str, dict[str, str | tuple[str, ...]]]
    matched_by: str | None
    layout: dict[str, dict[str, str | bool | None]]

    def __hash__(self) -> int:
        return hash((self.files, self.matched_by))


class ColumnByCase(ResultWarning):
    """A column that was named in another case than in the file."""

    source: str
    column: str
    name: str


@dataclass(frozen=True)
class Taken(Record):
    """A column of a file and the role that was inferred for it."""

    source: str
    column: str
    role: str


class ColumnsTaken(ResultWarning):
    """Columns whose roles were inferred."""

    columns: tuple[Taken, ...]


class MatchedById(ResultWarning):
    """The column of ids that items are matched by, its names in other files, and shared ids."""

    column: str
    others: tuple[str, ...]
    items: int


class MatchedByRow(ResultWarning):
    """Files without ids, matched to the truth by row although other files have ids."""

    files: tuple[str, ...]
    truth: str


class RolesUnsure(ResultWarning):
    """Columns whose role is a guess."""

    columns: tuple[str, ...]


class TruthOrPredictions(ResultWarning):
    """The only column of labels in a file, which may be truth or predictions."""

    column: str


class SamplesOfItems(ResultWarning):
    """The number of items, and of samples of them."""

    items: int
    samples: int


class HeaderLikeData(ResultWarning):
    """Fields of a header that occur as values in their columns."""

    source: str
    fields: tuple[str, ...]


class EncodingGuessed(ResultWarning):
    """A file whose encoding was inferred from its first bytes."""

    source: str
    encoding: str


@dataclass(frozen=True)
class FileLayout(Record):
    """A file, and where its layout differs from its name or the options."""

    source: str
    header: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None


class LayoutFound(ResultWarning):
    """Files whose layout differs from their names or the options."""

    files: tuple[FileLayout, ...]


class NotInEncoding(ResultWarning):
    """A file in UTF-8 although another encoding was named."""

    source: str
    encoding: str


class CountsRecovered(ResultWarning):
    """A report whose rounded scores determine the counts."""

    source: str


class CellsAsText(ResultWarning):
    """A column of a sheet with text in some cells only."""

    source: str
    column: str


class LabelsRenamed(ResultWarning):
    """The number of labels that a map renamed, and of all labels before and after."""

    source: str
    renamed: int
    before: int
    after: int


class CaseIgnored(ResultWarning):
    """The number of labels before and after case was ignored."""

    before: int
    after: int


class Decided(ResultWarning):
    """How class probabilities became labels: the largest one, or a threshold."""

    classes: int
    label: str | None = None
    threshold: float = 0.0
    above_half: str | None = None
    """With two classes, the one predicted above a probability of 0.5."""


class Renormalised(ResultWarning):
    """Rows of rounded probabilities that were divided by their sum."""

    rows: int
    total: int
    low: float
    high: float


class NoSets(ResultWarning):
    """Items without a prediction, which count as empty label sets."""

    items: int


class NoSystems(ResultWarning):
    """Columns that are no systems because they share no label with the truth."""

    columns: tuple[str, ...]
    truth: str


class NoAnnotators(ResultWarning):
    """Columns that are no annotators because every value occurs once."""

    columns: tuple[str, ...]


class EqualToTruth(ResultWarning):
    """Systems without an error."""

    systems: tuple[str, ...]


class HeaderCounted(ResultWarning):
    """Files of one label a line whose first line may be a header, with that line."""

    files: tuple[tuple[str, str], ...]


class EmptyFiles(ResultWarning):
    """Files without rows, and the number of all files."""

    empty: tuple[str, ...]
    files: int


class NotRepeated(ResultWarning):
    """Settings of a signature that the score does not share: field, expected, actual."""

    fields: tuple[tuple[str, str, str], ...]


class OtherData(ResultWarning):
    """Fields of a signature that show other data: field, expected, actual."""

    fields: tuple[tuple[str, str, str], ...]


class ClassesByHash(ResultWarning):
    """A signature that has a hash in place of its classes."""


class ClustersWanted(ResultWarning):
    """A signature of clustered intervals, where no cluster column was named."""


# Audits of reported scores


class Undecided(ResultWarning):
    """Rows whose search for a table was not finished."""

    systems: tuple[str, ...]


class AverageUnsaid(ResultWarning):
    """Headings without an average or a class.

    ``taken`` is the assumption: "one" class, "weighted" or "macro" averages.
    """

    columns: tuple[str, ...]
    taken: str


class SpreadsBeside(ResultWarning):
    """Columns with the spread of an unknown number of runs beside the scores."""

    columns: tuple[str, ...]


class WeightsAsSizes(ResultWarning):
    """Columns of class sizes that are not whole numbers, as sums of weights are."""

    columns: tuple[str, ...]


class SeveralLabels(ResultWarning):
    """Micro averages differ, so that items are assumed to have several labels."""


class TableNotRead(ResultWarning):
    """A table that could not be read, and why."""

    caption: str
    reason: str


class Outside(ResultWarning):
    """Rows that would be consistent if some predictions were outside the classes."""

    systems: tuple[str, ...]


class NotDrawn(ResultWarning):
    """Figures were written as data and specifications only, as no renderer is installed."""


# Class mixes


class NeverLabelled(ResultWarning):
    """Classes without a labelled item."""

    labels: tuple[Any, ...]


class NoShare(ResultWarning):
    """Classes that have items although their share is set to 0."""

    labels: tuple[Any, ...]


@dataclass(frozen=True)
class FewItems(Record):
    """A class with its number of items and its new share."""

    label: Any
    items: float
    share: float


class FewToLearnFrom(ResultWarning):
    """Classes with few items for the new share, or for shares ``up_to`` it."""

    classes: tuple[FewItems, ...]
    up_to: bool = False


class LessThanAnItem(ResultWarning):
    """Classes whose predictions at a mix weigh less than one item of another class."""

    labels: tuple[Any, ...]


class TakenAsCertain(ResultWarning):
    """Classes whose recall is 0 or 1, which intervals treat as certain."""

    labels: tuple[Any, ...]


class GainPerItem(ResultWarning):
    """A metric that is a sum over items is shown per item at a stated mix."""

    metric: str


class Unpaired(ResultWarning):
    """Two tables whose items cannot be paired."""


class FewLabelled(ResultWarning):
    """Classes with few labelled items, whose rates are uncertain."""

    labels: tuple[Any, ...]
    few: int


class UnknownLabels(ResultWarning):
    """Labels predicted for new items that are no class of the table.

    ``share`` is the share of all such predictions.
    """

    labels: tuple[Any, ...]
    share: float


class NewKinds(ResultWarning):
    """Classes that are predicted for new items and never for labelled ones.

    ``outside`` says whether predictions of no class are among them; ``share`` is their sum.
    """

    labels: tuple[Any, ...]
    outside: bool
    share: float


@dataclass(frozen=True)
class Farthest(Record):
    """The class whose measured share of predictions differs most from the expected one."""

    label: Any
    measured: float
    expected: float


class Misfit(ResultWarning):
    """A mix that does not explain the new predictions."""

    method: str
    p: float
    farthest: Farthest | None = None


class AboveOne(ResultWarning):
    """Classes whose precision by the measured share of predictions exceeds 1."""

    labels: tuple[Any, ...]
    most: float


class OutsideSimplex(ResultWarning):
    """Shares by the adjusted count that are below 0 or above 1."""

    shares: tuple[tuple[Any, float], ...]


class SingularRates(ResultWarning):
    """Classes with equal prediction rates, whose shares cannot be estimated."""

    labels: tuple[Any, ...]


class IllConditionedRates(ResultWarning):
    """Classes with similar prediction rates, and the factor by which errors grow."""

    labels: tuple[Any, ...]
    amplification: float


class NotShownLikeliest(ResultWarning):
    """A mix that may be below the maximum of the log-likelihood per item."""

    method: str
    lack: float


class DrawsNearTop(ResultWarning):
    """Draws whose mixes are only near the maximum of the likelihood."""


class ItemsForgotten(ResultWarning):
    """A weighted table, whose items cannot be resampled."""


class SharesAlone(ResultWarning):
    """New predictions as shares, without the number of items."""


class FewerReplicates(ResultWarning):
    """Fewer draws than requested."""

    replicates: int


# Rankings and comparisons


class ManyPairs(ResultWarning):
    """More classes than pairs are computed for."""

    classes: int


class TablesAlone(ResultWarning):
    """Tables without items, which allow no tests and no intervals of ranks."""


class OtherItems(ResultWarning):
    """Tables with different true labels."""


class OneRunOnly(ResultWarning):
    """Systems with one run, among others with several."""

    systems: tuple[str, ...]


class UndefinedFor(ResultWarning):
    """Metrics that are undefined for some system, which ranks last."""

    about = "metrics"

    metrics: tuple[str, ...]


class LeftOut(ResultWarning):
    """A system whose file could not be used, and why."""

    system: str
    reason: str


# Intervals and tests


class FewTelling(ResultWarning):
    """Agreement depends on the few items without the commonest label by all annotators."""

    items: int
    n: int


class NoWidth(ResultWarning):
    """Numbers whose interval would have no width.

    ``metrics`` has the metric of each number, where names are not those of metrics.
    """

    names: tuple[str, ...]
    of: Literal["score", "class", "difference"] = "score"
    metrics: tuple[str, ...] = ()

    def concerning(self, metrics: Container[str]) -> ResultWarning | None:
        pairs = zip(self.names, self.metrics or self.names, strict=True)
        concerned = [(name, metric) for name, metric in pairs if metric in metrics]
        if not concerned:
            return None
        names, own = map(tuple, zip(*concerned, strict=True))
        return replace(self, names=names, metrics=own if self.metrics else ())


class UnknownVariance(ResultWarning):
    """A table of fractions, whose items have an unknown variance."""


class NoGradient(ResultWarning):
    """A metric without a gradient, and why."""

    about = "metric"

    metric: str
    reason: str


class FewTrueItems(ResultWarning):
    """Classes with few true items, so that intervals of averages may be too narrow.

    ``metrics`` are those averages; if empty, all metrics.
    """

    labels: tuple[Any, ...]
    few: int
    metrics: tuple[str, ...] = ()

    def concerning(self, metrics: Container[str]) -> ResultWarning | None:
        return self if _overlap(self.metrics, metrics) else None


class FewHits(ResultWarning):
    """Classes with enough true items but few predictions or hits.

    ``systems`` are the systems with few, if there are several.
    """

    labels: tuple[Any, ...]
    few: int
    hits: int
    systems: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    def concerning(self, metrics: Container[str]) -> ResultWarning | None:
        return self if _overlap(self.metrics, metrics) else None


def _overlap(own: tuple[str, ...], metrics: Container[str]) -> bool:
    """Whether ``metrics`` has one of a warning's ``own``; a warning without any concerns all."""
    return not own or any(m in metrics for m in own)


class Biased(ResultWarning):
    """Numbers without an interval because they are biased in few items."""

    about = "names"

    names: tuple[str, ...]


class OneCluster(ResultWarning):
    """Slices with a single cluster."""

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


class ZeroOverZero(ResultWarning):
    """A 0/0 that delta intervals treat as a constant."""

    about = "metrics"

    worth: float
    metrics: tuple[str, ...]


class FewClusters(ResultWarning):
    """Too few clusters to estimate the variance between them."""

    clusters: int


class ChosenHere(ResultWarning):
    """A threshold that was chosen on the scored items, and the optimism of a metric."""

    label: Any
    threshold: float
    metric: str
    value: float
    expected: float
    optimism: float
    se: float | None


class UnknownOptimism(ResultWarning):
    """A threshold chosen on too few items or clusters to estimate its optimism."""

    label: Any
    threshold: float
    metric: str


class FoldsLackClasses(ResultWarning):
    """Folds without a true item of some class, whose averages run over the other classes."""

    lacking: int
    folds: int
    labels: tuple[Any, ...]
