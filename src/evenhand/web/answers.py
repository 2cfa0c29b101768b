"""Requests of the API and their answers."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    ValidationError,
    create_model,
)
from starlette.datastructures import UploadFile

from evenhand.auditing.audit import audits, single, which
from evenhand.catalogue.binding import at_target, bind_all
from evenhand.catalogue.lists import (
    default_metrics,
    named,
    search,
    several,
    table_metrics,
)
from evenhand.comparing.compare import compare
from evenhand.data.arguments import refuse_empty
from evenhand.data.confusion import Confusion
from evenhand.data.sample import Sample
from evenhand.errors import EvenhandError, InputError, MetricError
from evenhand.inference.intervals import IntervalSettings, estimates
from evenhand.options import (
    AveragingOptions,
    CompareOptions,
    ExtrapolateOptions,
    JudgingOptions,
    Kind,
    Options,
    ScoreOptions,
    ScoringOptions,
    SweepOptions,
)
from evenhand.properties.search import find
from evenhand.ranking.rank import rank
from evenhand.records import Interval
from evenhand.results.document import Content
from evenhand.results.metric_pages import Catalogue
from evenhand.results.result import Result, in_format
from evenhand.scoring.macro_f1_gap import twins
from evenhand.scoring.score import ScoreRequest, score
from evenhand.scoring.scores import Scores
from evenhand.shift.extrapolation import extrapolate, target_of
from evenhand.shift.sweeps import sweep
from evenhand.web import metric_facts
from evenhand.web.work import Settings

MOST = 1e15
"""The largest count: all up to here are exact as floats, and so are their sums of many."""


Label: TypeAlias = Annotated[str, Field(max_length=1000)] | StrictBool | StrictInt
Prediction: TypeAlias = Label | None
Count: TypeAlias = Annotated[StrictInt | StrictFloat, Field(ge=0, le=MOST)]
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


class FieldError(InputError):
    """A field that cannot be taken as it is."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def at_most(field: str, many: int, most: int) -> None:
    """Refuse more than a server takes."""
    if many > most:
        raise FieldError(field, f"at most {most:,} are taken here, got {many:,}")


class Body(BaseModel):
    """One request to a verb."""

    model_config = ConfigDict(extra="forbid")

    @property
    def is_quick(self) -> bool:
        """Whether the answer takes no longer than starting a process for it would."""
        return isinstance(self, FindBody | WhichBody)

    def answer(self, most: Settings) -> Result:
        """What the command of the same name says."""
        raise NotImplementedError


def with_options(base: type[Body], record: type[Options]) -> Any:
    """The body of a request with a field for each of a verb's options, checked as it does."""
    own: dict[str, Any] = {}
    for f in fields(record):
        declaration = f.metadata.get("declaration")
        if declaration is not None and f.name not in base.model_fields:
            check = AfterValidator(partial(_checked, declaration.kind, f))
            default = Field(f.default, description=declaration.help_with(str))
            own[f.name] = Annotated[Any, check], default
    return create_model(f"{record.__name__}{base.__name__}", __base__=base, **own)


def _checked(kind: Kind, field: Any, value: Any) -> Any:
    return value if value is None and field.default is None else kind.check(value, field.name)


class Rules(with_options(Body, ScoringOptions)):  # type: ignore[misc]
    """How scores are made; each means what the option of the command line means."""

    def options(self, record: type[Options], most: Settings) -> dict[str, Any]:
        """The options of a verb, as it takes them."""
        at_most("replicates", self.replicates, most.replicates)
        at_most("metrics", len(self.metrics or ()), most.metrics)
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

    @property
    def is_quick(self) -> bool:
        """Whether there is little to count, and nothing to draw."""
        draws = getattr(self, "interval", None) in ("bootstrap", "bca")
        return not draws and len(self.matrix or ()) <= 100 and len(self.true or ()) <= 100_000

    def table(self, most: Settings) -> Confusion:
        """The table that is given, or counted from labels."""
        table = self.table_from("matrix", most)
        if table is None:
            true, pred = self.sides(most)
            table = Confusion.from_labels(true, pred, labels=self.labels, weights=self.weights)
            at_most("labels", table.k, most.classes)
        elif self.true is not None or self.pred is not None or self.weights is not None:
            raise FieldError("matrix", "give a matrix, or true and pred (with weights), not both")
        return table

    def table_from(self, field: str, most: Settings) -> Confusion | None:
        """The table of a field, if it has a matrix."""
        cells = getattr(self, field)
        if cells is None:
            return None
        at_most(field, len(cells), most.classes)
        labels = None if field == "start" else self.labels
        return Confusion.from_matrix(cells, labels=labels, rows=self.rows)

    def sides(self, most: Settings) -> tuple[list[Any], list[Any]]:
        """True and predicted labels."""
        for field, labels in (("true", self.true), ("pred", self.pred)):
            if labels is None:
                raise FieldError(field, f"expected matrix, or true and pred, got no {field}")
            at_most(field, len(labels), most.items)
        return self.true or [], self.pred or []


class SeveralSystemsBody(Rules):
    """Several systems on the same items."""

    true: list[Label]
    systems: Annotated[
        dict[Annotated[str, Field(max_length=1000)], list[Prediction]], Field(min_length=1)
    ]
    labels: Labels | None = None
    weights: list[Count] | None = None
    cluster: list[Label] | None = None

    def sample(self, most: Settings) -> Sample:
        """The items with the predictions of every system."""
        at_most("systems", len(self.systems), most.systems)
        at_most("true", len(self.true), most.items)
        return _sample(self.true, self.systems, self, most)


def _sample(true: Any, systems: Any, body: Any, most: Settings) -> Sample:
    sample = Sample.from_labels(
        true, systems, labels=body.labels, weights=body.weights, cluster=body.cluster
    )
    at_most("labels", sample.k, most.classes)
    return sample


class ScoreBody(with_options(OneSystemBody, ScoreOptions)):  # type: ignore[misc]
    """Every metric of one system."""

    cluster: list[Label] | None = None

    def answer(self, most: Settings) -> Result:
        """What ``evenhand score`` says."""
        data: Confusion | Sample
        if self.cluster is None:
            data = self.table(most)
        elif self.matrix is not None:
            raise FieldError("cluster", "a cluster is of items: give true and pred, not a matrix")
        else:
            true, pred = self.sides(most)
            data = _sample(true, {"system": pred}, self, most)
        return score(data, **self.options(ScoreOptions, most))


class PlayBody(OneSystemBody):
    """A table to play with, another beside it, and the one that the play began with."""

    matrix: Matrix
    other: Matrix | None = None
    start: Matrix | None = None
    mix: Mix | None = None

    def answer(self, most: Settings) -> Result:
        """What the page shows of a table that is being changed."""
        other, start = self.table_from("other", most), self.table_from("start", most)
        rules = self.options(JudgingOptions, most)
        return play(self.table(most), other, self.mix, start=start, **rules)


class FindBody(Body):
    """Tables on which two metrics disagree, or one stays and the other moves, or with a wide gap
    between the two macro F1s."""

    goal: Literal["disagree", "alike", "gap"] = "disagree"
    one: Metric = "macro_f1"
    two: Metric = "f1_of_averages"
    k: Annotated[int, Field(ge=2, le=12, strict=True)] = 3
    n: Annotated[int, Field(ge=2, le=10_000, strict=True)] = 60
    seed: Seed = 0

    def answer(self, most: Settings) -> Result:
        """Tables that show what two metrics make of the same errors."""
        return find(self.goal, self.one, self.two, k=self.k, n=self.n, seed=self.seed)


class TwinsBody(OneSystemBody):
    """Both macro F1s of one system."""

    def answer(self, most: Settings) -> Result:
        """What ``evenhand twins`` says."""
        return twins(self.table(most), **self.options(AveragingOptions, most))


class CalibrateBody(with_options(OneSystemBody, ExtrapolateOptions)):  # type: ignore[misc]
    """Every metric at another class mix."""

    to: Mix = "uniform"

    def answer(self, most: Settings) -> Result:
        """What ``evenhand calibrate`` says."""
        rules = self.options(ExtrapolateOptions, most)
        return extrapolate(self.table(most), to=self.to, **rules)


class SweepBody(with_options(OneSystemBody, SweepOptions)):  # type: ignore[misc]
    """Every metric as one class goes from rare to common."""

    label: Label
    at: Annotated[list[Share], Field(min_length=1, max_length=500)] | None = None
    against: Matrix | None = None
    interval: Literal["auto", "delta"] | None = None

    def answer(self, most: Settings) -> Result:
        """What ``evenhand shift --sweep`` says."""
        other, rules = self.table_from("against", most), self.options(SweepOptions, most)
        return sweep(self.table(most), label=self.label, at=self.at, against=other, **rules)


class CompareBody(with_options(SeveralSystemsBody, CompareOptions)):  # type: ignore[misc]
    """The difference of every pair of systems."""

    def answer(self, most: Settings) -> Result:
        """What ``evenhand compare`` says."""
        return compare(self.sample(most), **self.options(CompareOptions, most))


class RankBody(SeveralSystemsBody):
    """A leaderboard."""

    metric: Metric = "macro_f1"

    def answer(self, most: Settings) -> Result:
        """What ``evenhand rank`` says."""
        rules = self.options(ScoringOptions, most)
        return rank(self.sample(most), by_metric=self.metric, **rules)


class AuditBody(Body):
    """A document with tables of reported scores."""

    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    support: dict[str, Annotated[int, Field(ge=0, le=10**15)]] | None = None
    map: dict[str, str] | None = None
    runs: Runs | None = None
    abstentions: bool = False
    more_classes: bool = False
    rerank: bool = False

    def answer(self, most: Settings) -> Result:
        """What ``evenhand audit`` says; the text is a document, never the name of one."""
        same = self.model_dump(include={"support", "runs", "abstentions", "rerank"})
        text, complete = self.text + "\n", not self.more_classes
        return single(audits(text, meanings=self.map, complete=complete, **same))


class WhichBody(Body):
    """One reported precision, recall and macro F1, as printed."""

    precision: Printed
    recall: Printed
    f1: Printed
    runs: Runs = 1

    def answer(self, most: Settings) -> Result:
        """What ``evenhand which`` says."""
        return which(self.precision, self.recall, self.f1, runs=self.runs)


VERBS: dict[str, type[Body]] = {
    "score": ScoreBody,
    "play": PlayBody,
    "find": FindBody,
    "twins": TwinsBody,
    "calibrate": CalibrateBody,
    "sweep": SweepBody,
    "compare": CompareBody,
    "rank": RankBody,
    "audit": AuditBody,
    "which": WhichBody,
}
"""Each verb, by what it is asked with."""


# The scores of a table that somebody is changing on the page.

MORE = 10
"""How many times the items, for the intervals that more of them would have."""


class PlayAnswer(Result):
    """The scores of a table that is being played with, and what the page shows beside them."""

    scores: Scores
    details: dict[str, Any]

    def to_json_object(self) -> dict[str, Any]:
        """What the page asks for."""
        return {"score": self.scores.to_dict(), **self.details}

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

    Its scores as observed, with more items, with equal classes, at a mix, at the start of the play,
    and beside another's at the same mix. ``metrics`` are shown before those that are scored where
    none is named.
    """
    refuse_empty(table)
    options = ScoreOptions(metrics=[*(metrics or ()), *default_metrics()], **rules)
    specs = named(several(options.metrics, default_metrics, distance=options.distance))
    settings = IntervalSettings.from_options(options)
    request = ScoreRequest(specs, options.classes, options.zero_division, settings)
    grown = Confusion.from_matrix(table.cells * MORE, labels=table.labels)
    both = Confusion.stack([table, grown])  # which costs no more than one
    scores, more = request.scores(both, both, (None, None))

    def at(
        t: Confusion | None,
        to: Any = None,
        settings: IntervalSettings | None = None,
        known: Mapping[str, Interval] = {},
    ) -> dict[str, Interval] | None:
        """Each metric of a table that has items, at a class mix if that can be.

        ``known`` are those of the table as observed, which stay unless the mix moves them.
        """
        if t is None or not t.total or (to is not None and not _movable(t)):
            return None
        own = named(default_metrics()) if t is start else specs  # whose classes may be others
        kernels = bind_all((metric for _, metric in own), t, **options.binding)
        if to is not None:
            target = target_of(t, to)
            kernels = [k if k.target is not None else at_target(k, target) for k in kernels]
        moved = {n: k for (n, _), k in zip(own, kernels, strict=True)
                 if n not in known or k.target is not None}  # fmt: skip
        each = estimates(t, [*moved.values()], settings)
        return {**known, **{name: e.at(0) for name, e in zip(moved, each, strict=True)}}

    if not all(_movable(t) for t in (table, other) if t is not None):
        mix = None
    here = scores.metrics
    mixed = None if mix is None else at(table, mix, settings, here)
    return PlayAnswer(scores, {
        "tenfold": {m: s.select("low high") for m, s in more.items()},
        "calibrated": _values(at(table, "uniform", None, here)),
        "mixed": mixed and {m: s.select("value low high") for m, s in mixed.items()},
        "other": _values(at(other, mix)),
        "start": _values(at(start)),
        "metrics": {name: metric_facts(name) for name in scores},
    })  # fmt: skip


def _movable(table: Confusion) -> bool:
    """Whether another class mix says something: a class that is never true has no recall."""
    return bool((table.prevalence > 0).all())


def _values(scores: dict[str, Interval] | None) -> dict[str, float] | None:
    return {name: s.value for name, s in scores.items()} if scores else None


# Answers as text, and what is said of requests that have none.


def catalogue(names: list[str]) -> Result:
    """What ``evenhand metrics`` says."""
    return Catalogue(tuple(search(names) if names else table_metrics().values()))


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


REFUSALS = (EvenhandError, ValidationError)
"""Errors of requests that cannot be taken, or of data that cannot be scored."""


_TYPE = re.compile(r"(constrained|list\[|dict\[|literal\[|function|body).*|int|float|str|bool")
"""Parts of the place of an error that are types of pydantic's, and no fields."""


def refusal(error: Any) -> tuple[int, str, str | None]:
    """The status of an error, its words, and its field if that is known: ``matrix.0.1``."""
    if isinstance(error, EvenhandError):
        field = "metrics" if isinstance(error, MetricError) else getattr(error, "field", None)
        return 422, str(error), field
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return 400, f"expected JSON, got something else: {first['ctx']['error']}", "body"
    place = [str(part) for part in first["loc"] if not _TYPE.fullmatch(str(part))]
    return 422, first["msg"].removeprefix("Value error, "), ".".join(place) or "body"


# Uploaded files, in a folder of their own until the answer is there.

PREFIX = "evenhand-web-"
REPORT = "report.html"
"""What a command writes there, and no upload is called."""
_UNSAFE = re.compile(r"[^\w.()+ -]|^[-. ]+", re.ASCII)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for the length of a request."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as place:
        yield Path(place)


async def keep(uploads: Sequence[UploadFile], place: Path) -> list[str]:
    """Write files into a folder under names that are safe there."""
    names: list[str] = []
    for file in uploads:
        name = _free(place, _UNSAFE.sub("_", Path(file.filename or "file").name)[-100:] or "file")
        with (place / name).open("xb") as out:
            while part := await file.read(1 << 20):
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
