"""Requests of the API and their answers."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from math import isinf
from pathlib import Path
from types import GenericAlias
from typing import IO, Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, create_model
from starlette.datastructures import UploadFile

from evenhand.auditing.audit import audits, single, which
from evenhand.catalogue.lists import HEADLINES, default_metrics, lookup, metrics, search
from evenhand.catalogue.spelling import Spec, described
from evenhand.comparing.compare import compare
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.errors import EvenhandError, InputError
from evenhand.options import (
    AveragingOptions,
    Choice,
    ClassRule,
    CompareOptions,
    Declaration,
    ExtrapolateOptions,
    JudgingOptions,
    MetricNames,
    Number,
    Options,
    ScoreOptions,
    ScoringOptions,
    SweepOptions,
    SystemName,
    Whole,
    Words,
    YesNo,
    ZeroDivision,
)
from evenhand.properties.search import find
from evenhand.ranking.rank import rank
from evenhand.results.document import Content
from evenhand.results.metric_pages import Catalogue
from evenhand.results.result import Result, in_format
from evenhand.scoring.macro_f1_gap import twins
from evenhand.scoring.score import score
from evenhand.scoring.scores import Scores
from evenhand.shift.extrapolation import extrapolate
from evenhand.shift.sweeps import sweep
from evenhand.warnings import ResultWarning
from evenhand.web.work import Settings

MOST = 1e15
"""The largest count: all up to here are exact as floats, and so are their sums of many."""


def _count(value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and 0 <= value <= MOST:
        return value
    raise ValueError(f"a count must be a number from 0 to {MOST:g}, got {str(value)[:40]!r}")


def _label(value: object) -> object:
    if isinstance(value, bool | int) or (isinstance(value, str) and len(value) <= 1000):
        return value
    raise ValueError(
        f"a label must be text of at most 1,000 characters, a whole number or a boolean, "
        f"got {str(value)[:40]!r}"
    )


_LABEL = [{"type": "string", "maxLength": 1000}, {"type": "integer"}, {"type": "boolean"}]
Label: TypeAlias = Annotated[Any, BeforeValidator(_label), WithJsonSchema({"anyOf": _LABEL})]
Prediction: TypeAlias = Annotated[
    Any,
    BeforeValidator(lambda value: None if value is None else _label(value)),
    WithJsonSchema({"anyOf": [*_LABEL, {"type": "null"}]}),
]
Count: TypeAlias = Annotated[
    Any, BeforeValidator(_count), WithJsonSchema({"type": "number", "minimum": 0, "maximum": MOST})
]
Matrix: TypeAlias = Annotated[list[list[Count]], Field(min_length=1)]
Labels: TypeAlias = Annotated[list[Label], Field(min_length=1)]
Seed: TypeAlias = Annotated[int, Field(ge=0, le=2**63 - 1, strict=True)]
Runs: TypeAlias = Annotated[int, Field(ge=1, le=10_000)]
Printed: TypeAlias = Annotated[str, Field(min_length=1, max_length=50)]
Metric: TypeAlias = Annotated[str, Field(min_length=1, max_length=2000)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Mix: TypeAlias = (
    Annotated[str, Field(min_length=1, max_length=100_000)]
    | Annotated[dict[str, Share], Field(min_length=1)]
)


class Body(BaseModel):
    """One request."""

    model_config = ConfigDict(extra="forbid")


def _field(name: str, declaration: Declaration, default: Any) -> tuple[Any, Any] | None:
    """The type and the default of a field of a request; none for what JSON does not give here."""
    kind = declaration.kind
    optional = default is None or getattr(kind, "none", False)
    match kind:
        case ClassRule():
            shape: Any = Literal["task", "true", "seen"] | list[Label]
        case ZeroDivision():
            shape = Literal[0, 1, "nan"]
        case MetricNames() if name == "metrics":
            shape = Annotated[list[Metric], Field(min_length=1, max_length=500)]
        case Number():
            ends: Any = {"ge" if kind.with_low else "gt": kind.low}
            ends |= {} if isinf(kind.high) else {"lt": kind.high}
            shape = Annotated[float, Field(**ends, allow_inf_nan=False)]
        case Whole():
            shape = Annotated[int, Field(ge=kind.low, le=2**63 - 1, strict=True)]
        case Choice():
            shape = Literal[kind.words]
        case Words():
            word: Any = Literal[kind.words]
            shape, default = Literal["all"] | GenericAlias(list, word), [default]
        case YesNo():
            shape = bool
        case SystemName():
            shape = Annotated[str, Field(max_length=1000)]
        case _:
            return None
    return (shape | None if optional else shape), default


def with_options(base: type[Body], record: type[Options]) -> Any:
    """The body of a request with a field for each of a verb's options."""
    defaults = {f.name: f.default for f in fields(record)}
    known = {n: _field(n, d, defaults[n]) for n, d in record.declared().items()}
    own = {n: f for n, f in known.items() if f is not None and n not in base.model_fields}
    return create_model(f"{record.__name__}{base.__name__}", __base__=base, **own)  # type: ignore[call-overload]


class Rules(with_options(Body, ScoringOptions)):  # type: ignore[misc]
    """How scores are made; each means what the option of the command line means."""

    def options(self, record: type[Options], most: Settings) -> dict[str, Any]:
        """The options of a verb, as it takes them."""
        at_most("replicates", self.replicates, most.replicates)
        names = record.declared().keys() & type(self).model_fields
        return {name: getattr(self, name) for name in names}


class OneSystemBody(Rules):
    """One system: a matrix, or true and predicted labels."""

    matrix: Matrix | None = None
    rows: Literal["true", "pred"] = "true"
    labels: Labels | None = None
    true: list[Label] | None = None
    pred: list[Prediction] | None = None
    weights: list[Count] | None = None


class SeveralSystemsBody(Rules):
    """Several systems on the same items."""

    true: list[Label]
    systems: Annotated[
        dict[Annotated[str, Field(max_length=1000)], list[Prediction]], Field(min_length=1)
    ]
    labels: Labels | None = None
    weights: list[Count] | None = None
    cluster: list[Label] | None = None


class ScoreBody(with_options(OneSystemBody, ScoreOptions)):  # type: ignore[misc]
    """Every metric of one system."""

    cluster: list[Label] | None = None


class PlayBody(OneSystemBody):
    """A table to play with, another beside it, and the one that the play began with."""

    matrix: Matrix
    other: Matrix | None = None
    start: Matrix | None = None
    mix: Mix | None = None


class FindBody(Body):
    """Tables on which two metrics disagree, or one stays and the other moves, or with a wide gap
    between the two macro F1s."""

    goal: Literal["disagree", "alike", "gap"] = "disagree"
    one: Metric = "macro_f1"
    two: Metric = "f1_of_averages"
    k: Annotated[int, Field(ge=2, le=12, strict=True)] = 3
    n: Annotated[int, Field(ge=2, le=10_000, strict=True)] = 60
    seed: Seed = 0


class TwinsBody(OneSystemBody):
    """Both macro F1s of one system."""


class CalibrateBody(with_options(OneSystemBody, ExtrapolateOptions)):  # type: ignore[misc]
    """Every metric at another class mix."""

    to: Mix = "uniform"


class SweepBody(with_options(OneSystemBody, SweepOptions)):  # type: ignore[misc]
    """Every metric as one class goes from rare to common."""

    label: Label
    at: Annotated[list[Share], Field(min_length=1, max_length=500)] | None = None
    against: Matrix | None = None
    interval: Literal["auto", "delta"] | None = None


class CompareBody(with_options(SeveralSystemsBody, CompareOptions)):  # type: ignore[misc]
    """The difference of every pair of systems."""


class RankBody(SeveralSystemsBody):
    """A leaderboard."""

    metric: Metric = "macro_f1"


class AuditBody(Body):
    """A document with tables of reported scores."""

    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    support: dict[str, Annotated[int, Field(ge=0, le=10**15)]] | None = None
    map: dict[str, str] | None = None
    columns: list[str] = []
    runs: Runs | None = None
    abstentions: bool = False
    more_classes: bool = False
    rerank: bool = False


class WhichBody(Body):
    """One reported precision, recall and macro F1, as printed."""

    precision: Printed
    recall: Printed
    f1: Printed
    runs: Runs = 1


# The scores of a table that somebody is changing on the page.

MORE = 10
"""How many times the items, for the intervals that more of them would have."""
SAME = 1e-12
"""Values that differ by less are the same."""

Values = dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class PlayAnswer(Result):
    """A table's scores as observed, calibrated, at a mix, with more items, at the start of the
    play, and beside another's.

    ``prefers`` says of each metric which of two tables it prefers, ``metrics`` what it is.
    """

    scores: Scores
    more: Scores
    calibrated: Values | None
    current: Values | None
    other: Values | None
    start: Values | None
    cautions: tuple[ResultWarning, ...] = ()

    def to_json_object(self) -> dict[str, Any]:
        """What the page asks for."""
        return {
            "score": self.scores.to_dict(),
            "tenfold": {m: {"low": s.low, "high": s.high} for m, s in self.more.items()},
            "pair": self.pair,
            "calibrated": self.calibrated,
            "current": self.current,
            "other": self.other,
            "prefers": None if self.other is None else self.prefers(self.other),
            "start": self.start,
            "metrics": {name: _metric_facts(name) for name in self.scores},
        }

    @property
    def pair(self) -> dict[str, Any] | None:
        """The two classes that make most of the gap between the macro F1s, and their share."""
        for a, b, share in self.scores.twins.pairs[:1]:
            return {"classes": [a, b], "share": share}
        return None

    def prefers(self, other: Values) -> dict[str, str]:
        """Each metric's choice among the two tables: ``first``, ``second`` or ``neither``."""
        choices = {}
        for name, one in self.scores.items():
            better = lookup(name).better
            gain = one.value - other[name]
            gain = -gain if better == "lower" else gain
            decided = better != "neither" and abs(gain) > SAME
            choices[name] = ("first" if gain > 0 else "second") if decided else "neither"
        return choices

    def content(self) -> Content:
        """What the scores say."""
        return self.scores.content()


def play(
    table: Confusion,
    other: Confusion | None = None,
    mix: Any = None,
    *,
    start: Confusion | None = None,
    metrics: Sequence[str] | None = None,
    **rules: Any,
) -> PlayAnswer:
    """Everything about a table that changes with each of its cells.

    ``metrics`` are shown before those that are scored where none is named.
    """
    usual = [str(spec) for spec in default_metrics()]
    names = list(dict.fromkeys([*(str(Spec.parse(m)) for m in metrics or ()), *usual]))
    grown = Confusion.from_matrix(table.cells * MORE, labels=table.labels)
    mixed = bool((table.prevalence > 0).all())  # a class that is never true has no recall
    return PlayAnswer(
        score(table, metrics=names, **rules),
        score(grown, metrics=names, **rules),
        _at(table, "uniform", names, usual, rules) if mixed else None,
        _at(table, mix, names, usual, rules) if mixed and mix is not None else None,
        None if other is None else _values(other, names, rules),
        None if start is None else _values(start, usual, rules),
    )


def _values(table: Confusion, names: Iterable[str], rules: dict[str, Any]) -> Values:
    scores = score(table, metrics=list(names), interval=None, **rules)
    return {name: s.value for name, s in scores.items()}


def _at(
    table: Confusion, mix: Any, names: Sequence[str], usual: Sequence[str], rules: dict[str, Any]
) -> Values:
    try:
        result = extrapolate(table, to=mix, interval=None, metrics=list(names), **rules)
    except EvenhandError:
        if names == usual:
            raise
        return _at(table, mix, usual, usual, rules)  # one that depends on more than the class mix
    return {name: moved.value for name, moved in result.items()}


def _metric_facts(name: str) -> dict[str, Any]:
    """What a reader is told of a metric beside its number."""
    record = lookup(name)
    title, says = described(name)
    bounded = record.bounded
    return {
        "title": title,
        "says": says,
        "low": record.low if bounded else None,
        "high": record.high if bounded else None,
        "better": record.better,
        "headline": record.name in HEADLINES,
    }


# The answer of each verb to a request.


class FieldError(InputError):
    """A field that cannot be taken as it is."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def score_of(body: ScoreBody, most: Settings) -> Result:
    """What ``evenhand score`` says."""
    data: Confusion | Sample
    if body.cluster is None:
        data = table_of(body, most)
    elif body.matrix is not None:
        raise FieldError("cluster", "a cluster is of items: give true and pred, not a matrix")
    else:
        true, pred = _both(body, most)
        data = _panel(true, {"system": pred}, body, most)
    return score(data, **body.options(ScoreOptions, most))


def played(body: PlayBody, most: Settings) -> Result:
    """What the page shows of a table that is being changed."""
    other = start = None
    if body.other is not None:
        other = _matrix(body.other, "other", body.labels, most, body.rows)
    if body.start is not None:
        start = _matrix(body.start, "start", None, most, body.rows)
    rules = body.options(JudgingOptions, most)
    return play(table_of(body, most), other, body.mix, start=start, **rules)


def find_tables(body: FindBody, most: Settings) -> Result:
    """Tables that show what two metrics make of the same errors."""
    return find(body.goal, body.one, body.two, k=body.k, n=body.n, seed=body.seed)


def twins_of(body: TwinsBody, most: Settings) -> Result:
    """What ``evenhand twins`` says."""
    return twins(table_of(body, most), **body.options(AveragingOptions, most))


def calibrated(body: CalibrateBody, most: Settings) -> Result:
    """What ``evenhand calibrate`` says."""
    rules = body.options(ExtrapolateOptions, most)
    return extrapolate(table_of(body, most), to=body.to, **rules)


def swept(body: SweepBody, most: Settings) -> Result:
    """What ``evenhand shift --sweep`` says."""
    other = None
    if body.against is not None:
        other = _matrix(body.against, "against", body.labels, most, body.rows)
    rules = body.options(SweepOptions, most)
    return sweep(table_of(body, most), label=body.label, at=body.at, against=other, **rules)


def compared(body: CompareBody, most: Settings) -> Result:
    """What ``evenhand compare`` says."""
    return compare(_sample(body, most), **body.options(CompareOptions, most))


def ranked(body: RankBody, most: Settings) -> Result:
    """What ``evenhand rank`` says."""
    return rank(_sample(body, most), by_metric=body.metric, **body.options(ScoringOptions, most))


def audited(body: AuditBody, most: Settings) -> Result:
    """What ``evenhand audit`` says; the text is a document, never the name of one."""
    return single(
        audits(
            body.text + "\n",
            support=body.support,
            meanings=body.map,
            columns=body.columns,
            runs=body.runs,
            abstentions=body.abstentions,
            complete=not body.more_classes,
            rerank=body.rerank,
        )
    )


def which_of(body: WhichBody, most: Settings) -> Result:
    """What ``evenhand which`` says."""
    return which(body.precision, body.recall, body.f1, runs=body.runs)


def catalogue(names: list[str]) -> Result:
    """What ``evenhand metrics`` says."""
    return Catalogue(tuple(search(names) if names else metrics().values()))


Form: TypeAlias = Literal["json", "csv", "markdown", "latex", "html"]
MEDIA: dict[str, str] = {
    "json": "application/json",
    "csv": "text/csv",
    "markdown": "text/markdown",
    "latex": "text/x-tex",
    "html": "text/html",
}


def written(result: Result, form: str) -> str:
    """A result as the command line would print it with ``--format``."""
    return result.to_json() if form == "json" else in_format(result.content(), form)


VERBS: dict[str, tuple[type[Body], Callable[[Any, Settings], Result]]] = {
    "score": (ScoreBody, score_of),
    "play": (PlayBody, played),
    "find": (FindBody, find_tables),
    "twins": (TwinsBody, twins_of),
    "calibrate": (CalibrateBody, calibrated),
    "sweep": (SweepBody, swept),
    "compare": (CompareBody, compared),
    "rank": (RankBody, ranked),
    "audit": (AuditBody, audited),
    "which": (WhichBody, which_of),
}
"""Each verb: what it is asked with, and what answers."""


def is_quick(verb: str, body: Any) -> bool:
    """Whether the answer takes no longer than starting a process for it would."""
    if verb in ("which", "find"):
        return True
    if verb not in ("score", "play", "twins", "calibrate", "sweep"):
        return False
    if getattr(body, "interval", None) in ("bootstrap", "bca"):
        return False
    return len(body.matrix or ()) <= 100 and len(body.true or ()) <= 100_000


def table_of(body: OneSystemBody, most: Settings) -> Confusion:
    """The table that is given, or counted from labels."""
    if body.matrix is not None:
        if body.true is not None or body.pred is not None or body.weights is not None:
            raise FieldError("matrix", "give a matrix, or true and pred (with weights), not both")
        return _matrix(body.matrix, "matrix", body.labels, most, body.rows)
    true, pred = _both(body, most)
    table = Confusion.from_labels(true, pred, labels=body.labels, weights=body.weights)
    at_most("labels", table.k, most.classes)
    return table


def _matrix(
    cells: list[list[float]], field: str, labels: list[Any] | None, most: Settings, rows: Any
) -> Confusion:
    at_most(field, len(cells), most.classes)
    for i, row in enumerate(cells):
        if len(row) != len(cells):
            raise FieldError(
                f"{field}.{i}",
                f"a row must have {len(cells)} counts, as there are rows, got {len(row)}",
            )
    return Confusion.from_matrix(cells, labels=labels, rows=rows)


def _both(body: OneSystemBody, most: Settings) -> tuple[list[Any], list[Any]]:
    for field, labels in (("true", body.true), ("pred", body.pred)):
        if labels is None:
            raise FieldError(field, f"expected matrix, or true and pred, got no {field}")
        at_most(field, len(labels), most.items)
    return body.true or [], body.pred or []


def _sample(body: SeveralSystemsBody, most: Settings) -> Sample:
    at_most("systems", len(body.systems), most.systems)
    at_most("true", len(body.true), most.items)
    return _panel(body.true, body.systems, body, most)


def _panel(true: Any, systems: Any, body: ScoreBody | SeveralSystemsBody, most: Settings) -> Sample:
    sample = Sample.from_labels(
        true, systems, labels=body.labels, weights=body.weights, cluster=body.cluster
    )
    at_most("labels", sample.k, most.classes)
    return sample


def at_most(field: str, many: int, most: int) -> None:
    """Refuse more than a server takes."""
    if many > most:
        raise FieldError(field, f"at most {most:,} are taken here, got {many:,}")


# Uploaded files, in a folder of their own until the answer is there.

PREFIX = "evenhand-web-"
REPORT = "report.html"
"""What a command writes there, and no upload is called."""
LOCK = ".held"
"""The file in a folder that its server holds, as long as it lives."""
_DATABASE = (".db", ".db3", ".sqlite", ".sqlite3", ".duckdb", ".ddb")
_MAGIC = ((0, b"SQLite format 3\x00"), (8, b"DUCK"))
"""What databases begin with, and where."""
_UNSAFE = re.compile(r"[^\w.()+ -]|^[-. ]+", re.ASCII)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for the length of a request, locked so that ``clear_folders`` leaves it."""
    hidden = Path(tempfile.mkdtemp(prefix=f".{PREFIX}"))
    with (hidden / LOCK).open("wb") as lock:
        _lock(lock)
        place = hidden.rename(hidden.with_name(hidden.name[1:]))  # held before anybody looks for it
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def clear_folders() -> None:
    """Remove what servers that were killed have left behind."""
    for place in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), (place / LOCK).open("rb+") as lock:
            if _lock(lock):
                shutil.rmtree(place, ignore_errors=True)


def _lock(lock: IO[bytes]) -> bool:
    """Hold a file unless another process does; the system lets go of it when a process ends."""
    try:
        import fcntl
    except ImportError:  # where the system itself keeps open files from being removed
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


async def keep(uploads: Sequence[UploadFile], field: str, place: Path) -> list[str]:
    """Write files into a folder under names that are safe there; databases are refused."""
    names: list[str] = []
    for file in uploads:
        name = _free(place, _UNSAFE.sub("_", Path(file.filename or "file").name)[-100:] or "file")
        database = FieldError(field, f"{name}: database files are not taken here")
        if name.lower().endswith(_DATABASE):
            raise database
        with (place / name).open("xb") as out:
            while part := await file.read(1 << 20):
                if not out.tell() and any(part[i:].startswith(m) for i, m in _MAGIC):
                    raise database
                out.write(part)
        with suppress(OSError):
            (place / name).chmod(0o400)
        names.append(name)
    return names


def _free(place: Path, name: str) -> str:
    """The name, or one like it that no other file has."""
    stem, dot, ending = name.partition(".")
    number = 2
    while name == REPORT or (place / name).exists():
        name, number = f"{stem}-{number}{dot}{ending}", number + 1
    return name
