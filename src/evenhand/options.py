"""The options of the verbs, each declared once, and the checks of arguments.

The record of a verb has a field for each of its options. The verb's signature, its checks, the
flags of its command and the fields of the page's API are made from it. A field without a
declaration is an argument of Python alone. In a help text ``{labels}`` is the option of that name,
which every reader sees as they give it: ``--labels`` or ``labels``.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache, partial, wraps
from inspect import Parameter, Signature, signature
from numbers import Real
from typing import Any, Literal, TypeAlias, TypeVar, dataclass_transform

from evenhand.errors import InputError, nearest, quoted, shown

AnyMetric: TypeAlias = Any
"""A metric: its name, its specification, or a function of its counts."""
Metrics: TypeAlias = Any
"""A metric, or several."""
Classes: TypeAlias = Literal["task", "true", "seen"] | Iterable[Any]
Undefined: TypeAlias = float | str
"""The value of 0/0: 0, 1 or NaN, also as text."""
Rates: TypeAlias = Mapping[Any, float] | str
Mix: TypeAlias = Mapping[Any, float] | str | None
"""A class mix: shares by class, ``uniform``, or ``a=0.2,b=0.8``."""
Group: TypeAlias = Literal["Input", "Items", "Metrics", "Uncertainty", "Output"]

MOST_REPLICATES = 1_000_000


# Checks of arguments.


def is_name(value: object, names: Collection[str]) -> bool:
    """Whether ``value`` is a text and one of the names."""
    return isinstance(value, str) and value in names


def choice(value: Any, allowed: Collection[str | None], what: str) -> Any:
    """``value``, if it is one of the allowed words."""
    if not (value is None or isinstance(value, str)) or value not in allowed:
        *others, last = map(repr, allowed)
        words = f"{', '.join(others)} or {last}" if others else last
        words = f"one of {words}" if len(others) > 2 else words
        hint = nearest(value, filter(None, allowed))
        raise InputError(f"{what} must be {words}, got {quoted(value)}{hint}")
    return value


def sequence(values: Any, what: str, each: str = "values") -> list[Any]:
    """``values`` as a list: any iterable but a text."""
    with suppress(TypeError):
        if not isinstance(values, str | bytes | type):
            return list(values)
    raise InputError(f"{what} must be a list of {each}, got {quoted(values)}")


def some_of(values: Any, allowed: Collection[str], what: str) -> list[str]:
    """A list of one or more allowed names."""
    names = [values] if isinstance(values, str) else sequence(values, what, "names")
    unknown = [v for v in names if not is_name(v, allowed)]
    if unknown or not names:
        got = ", ".join(map(quoted, unknown[:5])) or "none"
        hint = nearest(unknown[0], allowed) if unknown else ""
        raise InputError(f"{what} must be among {shown(allowed, 12)}, got {got}{hint}")
    return names


def mapping(values: Any, what: str, each: str) -> Mapping[Any, Any]:
    """``values``, if they are a mapping that is not empty."""
    if not isinstance(values, Mapping) or not values:
        raise InputError(f"{what} must map {each}, got {quoted(values)}")
    return values


def whole_number(value: Any, what: str, low: int, high: int | None = None) -> int:
    """``value``, if it is a whole number from ``low`` to ``high``."""
    try:
        number = low - 1 if hasattr(value, "__len__") else int(operator.index(value))
    except TypeError:
        number = low - 1
    if number < low or (high is not None and number > high):
        ends = f"≥ {low}" if high is None else f"from {low} to {high:,}"
        raise InputError(f"{what} must be a whole number {ends}, got {quoted(value)}")
    return number


def is_number(value: Any) -> bool:
    """Whether ``value`` is one real number, of Python or as an array without axes."""
    return isinstance(value, Real) or (
        getattr(value, "shape", None) == ()
        and getattr(getattr(value, "dtype", None), "kind", "-") in "iufb"
    )


def real_number(value: Any, what: str, words: str, fits: Callable[[Any], bool]) -> Any:
    """``value``, if it is one real number that ``fits``; ``words`` say which do."""
    if not is_number(value) or not fits(value):
        raise InputError(f"{what} must be {words}, got {quoted(value)}")
    return value


def flag(value: Any, what: str) -> bool:
    """``value``, if it is true or false."""
    if isinstance(value, bool | int) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise InputError(f"{what} must be True or False, got {quoted(value)}")


def heading(title: Any, usual: str) -> str:
    """A chart's title, or the ``usual`` one if there is none."""
    return instance("" if title is None else title, str, "title", "text") or usual


def instance(value: Any, kind: type | tuple[type, ...], what: str, words: str) -> Any:
    """``value``, if it is of a type; ``words`` name that type."""
    if not isinstance(value, kind):
        raise InputError(f"{what} must be {words}, got {quoted(value)}")
    return value


def check_progress(value: Any) -> None:
    """Refuse what cannot be told how far something is."""
    if value is not None and not callable(value):
        raise InputError(f"progress must be a function or None, got {quoted(value)}")


def file_name(path: Any, what: str = "path") -> str:
    """The name of a file as text."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise InputError(f"{what} must be the name of a file, got {quoted(path)}")
    return os.fspath(path)


# What an option takes.


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class ValueObject:
    """Frozen data that are equal by value: every subclass is a frozen dataclass."""

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, **settings)(cls)


class Kind(ValueObject):
    """Values of an option: any that the data allow."""

    def check(self, value: Any, name: str) -> Any:
        """The value as the verb uses it, if it is one of them."""
        return value


class Number(Kind):
    """Numbers of a range, which has its ends or not; a ``size`` is one on the scale of scores."""

    low: float = 0
    high: float = math.inf
    with_low: bool = False
    size: bool = False

    def check(self, value: Any, name: str) -> Any:
        """The number."""
        low, high = f"{self.low:g}", f"{self.high:g}"
        if self.high == math.inf:
            words = f"{low} or more" if self.with_low and self.low else f"a number above {low}"
        else:
            words = f"from {low} to below {high}" if self.with_low else f"between {low} and {high}"
        return real_number(value, name, words, self.__contains__)

    def __contains__(self, x: Any) -> bool:
        return bool((x == self.low and self.with_low) or self.low < x < self.high)


class Margin(Number):
    """A size on the scale of scores; the command line takes others for slices, SLICE=NUMBER."""


class Level(Number):
    """Confidence levels, up to the highest whose quantile is accurate."""

    def check(self, value: Any, name: str) -> Any:
        """The level."""
        if super().check(value, name) > 1 - 1e-12:
            raise InputError(f"{name} must be at most 0.999999999999, got {value!r}")
        return value


class WholeNumber(Kind):
    """Whole numbers of a range."""

    low: int = 0
    high: int | None = None

    def check(self, value: Any, name: str) -> Any:
        """The number."""
        return whole_number(value, name, self.low, self.high)


class Choice(Kind):
    """One of a few words; with ``none`` also ``None``, which the command line spells so."""

    words: tuple[str, ...]
    none: bool = False

    def check(self, value: Any, name: str) -> Any:
        """The word."""
        return choice(value, (*self.words, None) if self.none else self.words, name)


class Words(Kind):
    """One or more of a few words, or ``all``."""

    words: tuple[str, ...]

    def check(self, value: Any, name: str) -> tuple[str, ...]:
        """The words, each once."""
        names = some_of(value, ("all", *self.words), name)
        return self.words if "all" in names else tuple(dict.fromkeys(names))


class YesNo(Kind):
    """True or false; the command line may have a flag of another name that says no."""

    no: str = ""

    def check(self, value: Any, name: str) -> bool:
        """The truth value."""
        return flag(value, name)


class ClassRule(Kind):
    """The classes of an average: a rule's name, or a list of labels."""

    words = ("task", "true", "seen")

    def check(self, value: Any, name: str = "classes") -> str | list[Any]:
        """The rule or the list."""
        if isinstance(value, str) and value not in self.words:
            rules = ", ".join(map(repr, self.words))
            raise InputError(f"{name} must be {rules} or a list of labels, got {value!r}")
        return value if isinstance(value, str) else label_list(value, name)


class ZeroDivision(Kind):
    """The value of 0/0."""

    words = ("0", "1", "nan")

    def check(self, value: Any, name: str = "undefined") -> float:
        """The value as a number: 0, 1 or NaN."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.5  # none of the three
        if number not in (0.0, 1.0) and not math.isnan(number):
            raise InputError(f"{name} must be 0, 1 or nan, got {value!r}")
        return number


class MetricNames(Kind):
    """Metrics by name, one or a list of them."""


class ClassDistance(Kind):
    """How far apart classes are: a name, a matrix or a tree."""


def label_list(labels: Iterable[Any], what: str) -> list[Any]:
    """``labels`` as a list of hashable values."""
    try:
        values = list(labels)
        hash(tuple(values))
    except TypeError:
        raise InputError(f"{what} must be a list of labels, got {quoted(labels)}") from None
    return values


class PositiveLabel(Kind):
    """A label that must be among those of the data."""


class SystemName(Kind):
    """The name of a system, which must be among those of the data."""


LEVEL, POWER, SIZE = Level(high=1), Number(high=1), Number(size=True)
SEED, REPLICATES = WholeNumber(0), WholeNumber(1, MOST_REPLICATES)
UNDEFINED, CLASSES, METRICS = ZeroDivision(), ClassRule(), MetricNames()
METHODS = ("auto", "delta", "jackknife", "bootstrap", "bca", "wilson")
TRANSFORMS = ("logit", "fisher", "range", "score")
TESTS = ("randomisation", "delta", "bootstrap", "mcnemar")


# Declarations, and the records of which they are fields.


class Declaration(ValueObject):
    """What an option takes, and what readers are told of it.

    ``signed`` is the field of a signature that states it, ``further`` for a number that is stated
    by its name at the end of the interval; ``usual`` is what stands for ``None``, and
    ``metavar`` what its help shows for its value.
    """

    kind: Kind
    help: str
    group: Group
    signed: str = ""
    usual: Any = None
    metavar: str | None = None

    def help_with(self, spell: Callable[[str], str]) -> str:
        """The help, options in it as its readers give them."""
        return re.sub(r"{(\w+)}", lambda name: spell(name[1]), self.help)


def option(group: Group, default: Any, kind: Kind, help: str, **more: Any) -> Any:
    """A field of a record of options."""
    metadata = {"declaration": Declaration(kind, help, group, **more)}
    return dataclasses.field(default=default, metadata=metadata)


of_metrics = partial(option, "Metrics")
of_uncertainty = partial(option, "Uncertainty", signed="interval")
of_output = partial(option, "Output")
of_input = partial(option, "Input")
REQUIRED: Any = dataclasses.MISSING
"""The default of an option that has none."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Options(ValueObject):
    """The options of a verb, checked when they are made."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__(kw_only=True)

    def __post_init__(self) -> None:
        defaults = {f.name: f.default for f in fields(self)}
        for name, declaration in self.declared().items():
            value = getattr(self, name)
            if not (value is None and defaults[name] is None):
                object.__setattr__(self, name, declaration.kind.check(value, name))

    @property
    def further(self) -> tuple[tuple[str, float], ...]:
        """The numbers that a signature states at the end of its interval, by name."""
        names = (name for name, d in self.declared().items() if d.signed == "further")
        values = ((name, getattr(self, name)) for name in names)
        return tuple((name, value) for name, value in values if value is not None)

    @classmethod
    @cache
    def declared(cls) -> dict[str, Declaration]:
        """The declarations of the fields that have one."""
        known = ((f.name, f.metadata.get("declaration")) for f in fields(cls))
        return {name: declaration for name, declaration in known if declaration is not None}


def parameters(options: Iterable[dataclasses.Field[Any]]) -> list[Parameter]:
    """Options as a signature has them."""
    defaults = {REQUIRED: Parameter.empty}
    return [
        Parameter(
            f.name,
            Parameter.KEYWORD_ONLY,
            default=defaults.get(f.default, f.default),
            annotation=f.type,
        )
        for f in options
    ]


Record = TypeVar("Record", bound=Options)
R = TypeVar("R")


def with_options(
    record: type[Record],
) -> Callable[[Callable[[Any, Record], R]], Callable[..., R]]:
    """Make a verb of a function of one thing and options: a signature, and their checks."""

    def decorate(function: Callable[[Any, Record], R]) -> Callable[..., R]:
        first, _ = signature(function).parameters.values()
        returned = function.__annotations__["return"]
        stated = Signature([first, *parameters(fields(record))], return_annotation=returned)

        @wraps(function)
        def call(*data: Any, **options: Any) -> R:
            try:
                bound = stated.bind(*data, **options)
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
            return function(bound.args[0], record(**bound.kwargs))

        call.__signature__ = stated  # type: ignore[attr-defined]
        return call

    return decorate


# Options that verbs share. A record has those of its bases from the last to the first.


class DrawOptions(Options):
    """How a bootstrap or a test draws."""

    replicates: int = of_uncertainty(
        2000, REPLICATES, "Draws of a bootstrap or a randomisation (permutation) test."
    )
    seed: int = of_uncertainty(0, SEED, "The same seed, the same numbers.")


class LevelOptions(Options):
    """How sure an interval is."""

    level: float = of_uncertainty(0.95, LEVEL, "Confidence level of the intervals.")


class IntervalOptions(Options):
    """How an interval is made."""

    interval: str | None = of_uncertainty(
        "auto",
        Choice(METHODS, none=True),
        "How intervals are made; auto: Wilson's, for averages from their standard error.",
    )


class AveragingOptions(Options):
    """Which classes an average runs over, and what 0/0 counts as."""

    classes: Classes = of_metrics(
        "task",
        CLASSES,
        "Classes to average over: task, those in the truth (of label lists, all); true, those in "
        "the truth; seen, those in truth or predictions, as in scikit-learn.",
        signed="classes",
    )
    undefined: Undefined = of_metrics(
        0,
        UNDEFINED,
        "What 0/0 counts as; nan leaves the class out of the mean.",
        signed="undefined",
    )

    @property
    def zero_division(self) -> float:
        """The value of 0/0 as a number."""
        return float(self.undefined)

    @property
    def binding(self) -> Any:
        """What metrics are bound to a table with."""
        return {"classes": self.classes, "undefined": self.zero_division}


class MetricOptions(Options):
    """What is scored."""

    metrics: Metrics | None = of_metrics(
        None,
        METRICS,
        "Only this, e.g. macro_f1, macro_fbeta:beta=2, f1:label=spam, macro_f1@uniform "
        "(repeatable).",
        signed="metric",
    )
    distance: Any = of_metrics(
        None,
        ClassDistance(),
        "How far apart classes are: in the order of {labels}, a matrix, or CHILD,PARENT lines.",
        metavar="ordinal|FILE",
    )


class PositiveOptions(Options):
    """Which of two classes is the positive one."""

    positive: Any = of_metrics(
        None,
        PositiveLabel(),
        "The positive class: sensitivity, specificity, PPV, NPV, likelihood ratios, odds ratio.",
        metavar="LABEL",
    )


class JudgeOptions(Options):
    """A judge's labels of all items, where the truth is some humans'."""

    judge: Any = None
    label_probability: Any = None
    judge_table: Any = None


class JudgingOptions(LevelOptions, AveragingOptions, MetricOptions):
    """What is judged without draws, and at which level."""


class ScoringOptions(DrawOptions, LevelOptions, AveragingOptions, MetricOptions):
    """What is scored, over which classes, and how sure it is."""


# The options of each verb.


class ScoreOptions(
    JudgeOptions,
    DrawOptions,
    LevelOptions,
    IntervalOptions,
    AveragingOptions,
    PositiveOptions,
    MetricOptions,
):
    """Options of ``score``."""

    transform: str | None = of_uncertainty(
        None, Choice(TRANSFORMS), "Keep delta intervals inside the metric's range."
    )
    stratify: bool = of_uncertainty(
        False, YesNo(), "The class mix was fixed by design: resample within classes."
    )
    expected: bool = of_metrics(
        False, YesNo(), "Score class probabilities as they are, not the labels they decide for."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transform is not None and self.interval != "delta":
            raise InputError(f"transform goes with interval='delta', not {self.interval!r}")


class TwinsOptions(AveragingOptions):
    """Options of ``twins``."""

    pairs: int | None = of_output(
        None,
        WholeNumber(0),
        "How many pairs of classes to list; JSON and CSV have all (up to 2,000 classes).",
        usual=5,
        metavar="N",
    )


class ThresholdsOptions(LevelOptions, IntervalOptions, AveragingOptions):
    """Options of ``thresholds``."""

    label: Any
    by_metric: AnyMetric = "macro_f1"
    metrics: Metrics | None = None
    at: Iterable[float] | None = None
    interval: str | None = of_uncertainty("auto", Choice(("auto", "delta"), none=True), "")
    seed: int = of_uncertainty(0, SEED, "The same seed, the same numbers.")


class CompareOptions(JudgeOptions, ScoringOptions):
    """Options of ``compare``; the first of ``metrics`` decides, by the first of ``tests``."""

    tests: str | Iterable[str] = of_uncertainty(
        "randomisation",
        Words(TESTS),
        "Which test (repeatable); the first decides, corrected for multiple pairs.",
    )
    margin: float | None = of_uncertainty(
        None,
        SIZE,
        "Also test whether a system is worse by more than this, e.g. 0.01 or 1%.",
        signed="further",
    )
    baseline: str | None = of_metrics(None, SystemName(), "Compare all others with this system.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tests[0] == "mcnemar":  # type: ignore[index]
            raise InputError("the first of tests must be one that every metric has, got 'mcnemar'")


class BoardOptions(ScoringOptions):
    """How a leaderboard is made."""

    by_metric: AnyMetric | None = of_metrics(
        None,
        METRICS,
        "The metric that decides the order; of grades mean_score, of choices accuracy.",
        usual="macro_f1",
        metavar="METRIC",
    )
    runs: Mapping[str, Iterable[str]] | str | None = None
    progress: Callable[[int], None] | None = None


class RankOptions(JudgeOptions, BoardOptions):
    """Options of ``rank``."""


class ReportOptions(BoardOptions):
    """Options of ``report``."""

    title: str | None = of_output(None, Kind(), "Heading of the report.")


class CrossValidationOptions(JudgingOptions):
    """Options of ``cross_validated``."""

    fold: Any
    repeat: Any = None
    train: float | None = None


class GateOptions(JudgeOptions, JudgingOptions):
    """Options of ``gate``."""

    margin: float = of_uncertainty(
        REQUIRED,
        Margin(with_low=True, size=True),
        "How much worse NEW may be and still pass, e.g. 0.01 or 1%; SLICE=NUMBER for a slice "
        "(repeatable).",
        signed="further",
        metavar="[SLICE=]NUMBER",
    )
    slice_margins: Mapping[Any, float] | None = None
    min_items: int = option(
        "Items",
        0,
        WholeNumber(0),
        "Do not judge slices of fewer items: exit code 3 if all else passes.",
        metavar="N",
    )
    test: Literal["noninferior", "superior", "equivalent"] = of_uncertainty(
        "noninferior",
        Choice(("noninferior", "superior", "equivalent")),
        "What must be shown of NEW: not worse than OLD by more than the margin, better by more "
        "than it (which may be 0), or neither better nor worse.",
    )
    baseline: str | None = of_metrics(None, SystemName(), "Which system is OLD, if not the first.")
    metrics: Metrics | None = of_metrics(
        None,
        METRICS,
        "What it must be shown on, e.g. f1:label=spam (repeatable: on all of them); of grades "
        "mean_score, of choices accuracy.",
        usual="macro_f1",
        signed="metric",
    )
    level: float = of_uncertainty(0.95, LEVEL, "One-sided confidence level.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.slice_margins is not None and not isinstance(self.slice_margins, Mapping):
            got = quoted(self.slice_margins)
            raise InputError(f"slice_margins must map slices to margins, got {got}")
        for margin in (self.slice_margins or {}).values():
            self.declared()["margin"].kind.check(margin, "slice_margins")

    def margins(self, keys: Iterable[Any]) -> dict[Any, float]:
        """The margin of each slice, by its key or its text; that of all items for ``None``."""
        own = {str(key): margin for key, margin in (self.slice_margins or {}).items()}
        texts = {k: ", ".join(map(str, k)) if isinstance(k, tuple) else str(k) for k in keys}
        for key in sorted(own.keys() - texts.values()):
            slices = ", ".join(sorted(texts.values())) or "none"
            raise InputError(
                f"no slice is called {key!r}, which has a margin: it is for every metric, of all "
                f"items or of a slice; slices: {slices}"
            )
        return {None: self.margin} | {k: own.get(text, self.margin) for k, text in texts.items()}


class TaskOptions(JudgingOptions):
    """How the submissions to a shared task are scored."""

    metrics: Metrics | None = of_metrics(
        None,
        METRICS,
        "A column of the leaderboard, e.g. macro_f1, f1:label=spam (repeatable); the first "
        "decides.",
        usual="macro_f1",
    )
    level: float = of_uncertainty(
        0.95, LEVEL, "Confidence level of the intervals in the detailed results."
    )


class PlanOptions(JudgeOptions, PositiveOptions, JudgingOptions):
    """Options of ``plan``."""

    width: float | None = of_uncertainty(
        None, SIZE, "Of the interval that is wanted, from end to end, e.g. 0.05."
    )
    difference: float | None = of_uncertainty(
        None, SIZE, "Between two systems that is to be shown (compare), e.g. 0.02."
    )
    margin: float | None = of_uncertainty(
        None, SIZE, "Of a gate that equally good systems are to pass, e.g. 0.01."
    )
    power: float = of_uncertainty(
        0.8, POWER, "Chance with which the difference is shown, or the gate passed."
    )
    recalls: Rates | float | None = option(
        "Input",
        None,
        Kind(),
        "How often each class is right, in place of data; with {mix}.",
        metavar="NUMBER|A=0.8,B=0.9",
    )
    mix: Rates | None = option(
        "Input", None, Kind(), "How frequent each class is.", metavar="A=0.2,B=0.8"
    )
    correlation: float = of_uncertainty(
        0.0, Number(high=1, with_low=True), "Of the errors of two systems, where only one is given."
    )
    design_effect: float = of_uncertainty(
        1.0,
        Number(low=1, with_low=True),
        "How many times as much items vary that come in clusters; a pilot with {cluster} has it.",
    )
    metrics: Metrics | None = of_metrics(
        None,
        METRICS,
        "What is measured, e.g. macro_f1 (the default), with {positive} sensitivity (repeatable).",
    )
    level: float = of_uncertainty(0.95, LEVEL, "Of the interval or test.")


class ExtrapolateOptions(
    DrawOptions, LevelOptions, IntervalOptions, AveragingOptions, PositiveOptions, MetricOptions
):
    """Options of ``extrapolate``."""

    to: Mix = "uniform"
    predicted: Any = None


class SweepOptions(LevelOptions, IntervalOptions, AveragingOptions, MetricOptions):
    """Options of ``sweep``."""

    label: Any
    against: Any = None
    names: tuple[str, str] = ("first", "second")
    at: Iterable[float] | None = None
    interval: str | None = of_uncertainty("auto", Choice(("auto", "delta"), none=True), "")


class PrevalenceOptions(ScoringOptions):
    """Options of ``estimate_prevalence``."""

    predicted: Any
    method: str | None = of_metrics(
        None,
        Choice(("adjusted", "likelihood", "saerens")),
        "With {unlabelled}: the mix that the expected scores rest on  [default: likelihood]",
    )
    to: Mix = None
    trained_on: Mix = None


class DriftOptions(ScoringOptions):
    """Options of ``drift``."""

    alert: float = of_uncertainty(0.02, Number(high=1, size=True), "", signed="")
    method: str | None = of_metrics(None, Choice(("adjusted", "likelihood", "saerens")), "")
    trained_on: Mix = None


# Options of what is no system's data: a document, ratings, a file.

_BY_FILE = "  [default: as each file shows]"


class LayoutOptions(Options):
    """How text files are laid out, where that is not found; also options of ``look``."""

    no_header: bool = of_input(
        False, YesNo(), f"The first row is data: columns have numbers{_BY_FILE}"
    )
    delimiter: str | None = of_input(
        None, Kind(), f"What separates columns, e.g. ';' or '\\t'{_BY_FILE}", metavar="CHAR"
    )
    encoding: str | None = of_input(
        None, Kind(), f"What text is in, e.g. cp1252{_BY_FILE}", metavar="NAME"
    )


class AuditOptions(Options):
    """Options of ``audit``."""

    support: Mapping[str, int] | None = None
    meanings: Mapping[str, str] | None = None
    runs: int | None = of_input(None, WholeNumber(1), "The scores are means of N runs.")
    multilabel: bool | None = of_input(
        None, YesNo("single-label"), "Whether items have several labels."
    )
    abstentions: bool = of_input(False, YesNo(), "Predictions may be outside the classes.")
    complete: bool = of_input(True, YesNo("more-classes"), "The classes listed are not all.")
    rerank: bool = of_input(False, YesNo(), "Rank the systems by both macro F1s.")
    limit: int = of_input(
        100, WholeNumber(0), "Tables to try in each row before 'unknown'.", metavar="N"
    )
    progress: Callable[[int, int], None] | None = None


class AgreeOptions(LevelOptions):
    """Options of ``agree``."""

    distance: Any = of_input(
        "nominal",
        ClassDistance(),
        "How far apart labels are: by kind, a matrix, or CHILD,PARENT lines.",
        metavar="nominal|ordinal|interval|ratio|FILE",
    )
    item: str | None = None
    annotator: str | None = None
    label: str | None = None
    labels: Iterable[Any] | None = None
