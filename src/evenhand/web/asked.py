"""Asked: what a request must look like; a field that is not known is refused by name."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

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


class Rules(Body):
    """How scores are made; each means what the option of the command line means."""

    classes: Literal["task", "true", "seen"] | list[Label] = "task"
    undefined: Literal[0, 1, "nan"] = 0
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    replicates: Annotated[int, Field(ge=1, strict=True)] = 2000
    seed: Seed = 0
    metrics: Annotated[list[Metric], Field(min_length=1, max_length=500)] | None = None

    def how(self) -> dict[str, Any]:
        """The rules as every verb takes them."""
        return {name: getattr(self, name) for name in Rules.model_fields}


class One(Rules):
    """One system: a matrix, or true and predicted labels."""

    matrix: Matrix | None = None
    rows: Literal["true", "pred"] = "true"
    labels: Labels | None = None
    true: list[Label] | None = None
    pred: list[Prediction] | None = None
    weights: list[Count] | None = None


class Several(Rules):
    """Several systems on the same items."""

    true: list[Label]
    systems: Annotated[
        dict[Annotated[str, Field(max_length=1000)], list[Prediction]], Field(min_length=1)
    ]
    labels: Labels | None = None
    weights: list[Count] | None = None
    cluster: list[Label] | None = None


class Score(One):
    """Every metric of one system."""

    interval: Literal["auto", "delta", "jackknife", "bootstrap", "bca", "wilson"] | None = "auto"
    cluster: list[Label] | None = None


class Play(One):
    """A table to play with, another beside it, and the one that the play began with."""

    matrix: Matrix
    other: Matrix | None = None
    start: Matrix | None = None
    mix: Mix | None = None


class Find(Body):
    """Tables on which two metrics disagree, or one stays and the other moves, or with a wide gap
    between the two macro F1s."""

    goal: Literal["disagree", "alike", "gap"] = "disagree"
    one: Metric = "macro_f1"
    two: Metric = "f1_of_averages"
    k: Annotated[int, Field(ge=2, le=12, strict=True)] = 3
    n: Annotated[int, Field(ge=2, le=10_000, strict=True)] = 60
    seed: Seed = 0


class Twins(One):
    """Both macro F1s of one system."""


class Calibrate(One):
    """Every metric at another class mix."""

    to: Mix = "uniform"
    interval: Literal["auto", "delta", "bootstrap", "bca"] | None = "auto"


class Sweep(One):
    """Every metric as one class goes from rare to common."""

    label: Label
    at: Annotated[list[Share], Field(min_length=1, max_length=500)] | None = None
    against: Matrix | None = None
    interval: Literal["auto", "delta"] | None = None


class Compare(Several):
    """The difference of every pair of systems."""

    tests: Literal["all"] | list[Literal["randomisation", "delta", "bootstrap", "mcnemar"]] = [
        "randomisation"
    ]
    margin: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class Rank(Several):
    """A leaderboard."""

    metric: Metric = "macro_f1"


class Audit(Body):
    """A document with tables of reported scores."""

    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]
    support: dict[str, Annotated[int, Field(ge=0, le=10**15)]] | None = None
    map: dict[str, str] | None = None
    columns: list[str] = []
    runs: Runs | None = None
    abstentions: bool = False
    more_classes: bool = False
    rerank: bool = False


class Which(Body):
    """One reported precision, recall and macro F1, as printed."""

    precision: Printed
    recall: Printed
    f1: Printed
    runs: Runs = 1
