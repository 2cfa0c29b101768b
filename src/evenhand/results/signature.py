"""A signature in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.notes.note import Note
from evenhand.results.content import Content, Sheet
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, visible

if TYPE_CHECKING:
    from evenhand.signature import Signature

_UNDEFINED = {
    "0": "0/0 counts as 0",
    "1": "0/0 counts as 1",
    "nan": "a class with 0/0 is left out of the mean",
}
_PREVALENCE = {
    "observed": "class frequencies as observed",
    "uniform": "calibrated so that all classes are equally frequent",
}
_WEIGHTS = {
    "none": "every item counts once",
    "given": "items are weighted",
    "unknown": "a table of fractions whose item weights are not known",
}
_RULES = {
    "seen": "that occur in the truth or the predictions",
    "true": "that occur in the truth",
    "given": "that were given as those of the task",
}
_SCALES = {
    None: "",
    "logit": " on the scale of log-odds",
    "fisher": " on Fisher's scale",
    "range": " on the scale of the metric's range",
    "cut": ", cut at the ends of the metric's range",
}


@dataclass(frozen=True, eq=False, repr=False)
class Explained(Result):
    """A signature, field by field.

    >>> from evenhand.signature import Signature
    >>> Explained(Signature.parse("m:macro_f1|n:3"))
    <Explained: m:macro_f1|n:3 in words>
    """

    signature: Signature
    cautions: tuple[Note, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What ``evenhand signature --format json`` prints."""
        words = dict(explained(self.signature))
        fields = {k: {"value": v, "meaning": words[k]} for k, v in self.signature.items()}
        return {"signature": str(self.signature), "short": self.signature.short, "fields": fields}

    def content(self) -> Content:
        """Each field with its value and what it means."""
        grid = explained_grid(self.signature)
        title = f"{self.signature.short} in words"
        return Content(
            title, [Sheet(grid, wide=200)], lambda: grid, str(self.signature), self.warnings
        )


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Collection[str, tuple[str, str]], Result):
    """The fields in which two signatures differ.

    >>> from evenhand.signature import Signature
    >>> found = Differences(Signature.parse("n:3"), Signature.parse("n:4"))
    >>> found, found["n"], found.ok
    (<Differences: 1 field differs>, ('3', '4'), False)
    """

    first: Signature
    second: Signature
    cautions: tuple[Note, ...] = ()

    @property
    def parts(self) -> dict[str, tuple[str, str]]:
        """Both values of each field that differs."""
        return self.first.differences(self.second)

    @property
    def ok(self) -> bool:
        """Whether there is no difference."""
        return not self.parts

    def facts(self) -> dict[str, Any]:
        """What ``evenhand signature --format json`` prints of two."""
        return {"differences": self.parts}

    def content(self) -> Content:
        """The fields that differ, side by side."""
        said = [] if self.ok else [Sheet(self._data(), wide=200)]
        title = "no difference"
        if said:
            title = f"{counted(len(self), 'field')} {'differs' if len(self) == 1 else 'differ'}"
        return Content(title, said, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        return Grid(["field", "first", "second"], [[name, *both] for name, both in self.items()])


def explained(signature: Signature) -> list[tuple[str, str]]:
    """Each field that is there, with what it means."""
    return [(name, visible(_WORDS[name](value))) for name, value in signature.items()]


def explained_grid(signature: Signature) -> Grid:
    """One row a field: its name, its value, its meaning."""
    words = dict(explained(signature))
    return Grid(["field", "value", "meaning"], [[k, v, words[k]] for k, v in signature.items()])


def _metric(value: str) -> str:
    from evenhand.errors import MetricError
    from evenhand.spelling import Spec

    try:
        spec = Spec.parse(value)
    except MetricError as e:
        return f"{value} (not known here: {e})"
    return f"{spec}: {spec.metric.summary}"


def _formula(value: str) -> str:
    from evenhand.catalogue import metrics

    known = [m.formula for m in metrics().values() if m.signature == value]
    return f"{value.replace('-', ' ')}{f': {known[0]}' if known else ''}"


def _classes(value: str) -> str:
    from evenhand.settings import ClassesText

    found = ClassesText.parse(value)
    if found.rule in _RULES:
        return f"averages run over the {found.number} classes {_RULES[found.rule]}"
    if found.labels is not None:
        return f"averages run over {found.number} listed classes: {', '.join(found.labels)}"
    which = f", whose names have the hash {found.digest}" if found.digest else ""
    return f"averages run over {found.number} listed classes{which}"


def _amount(value: str, what: str) -> str:
    number, _, handling = value.rpartition(".") if not value.isdigit() else (value, "", "")
    handled = {"errors": ", counted as errors", "left-out": ", left out"}.get(handling, "")
    return f"no {what}" if number == "0" else f"{number or value} {what}{handled}"


def _whole(value: str) -> int:
    from evenhand.settings import whole

    return whole(value)


def _interval(value: str) -> str:
    from evenhand.settings import IntervalField

    if value == "none":
        return "no interval"
    found = IntervalField.parse(value)
    if found is None:
        return value
    method = found.method.replace("_", " ") + _SCALES.get(found.scale, f"-{found.scale}")
    if found.tests:
        method = "the paired delta method"
    text = f"{f'{100 * found.level:.12f}'.rstrip('0').rstrip('.')} % interval by {method}"
    if found.tests:
        text += f", tests by {', '.join(found.tests)}"
    if found.stratified:
        text += ", within true classes"
    if found.clusters:
        text += ", by clusters of items"
    if found.drawn is not None:
        text += f", {found.drawn.replicates:,} replicates, seed {found.drawn.seed}"
    if found.ranked is None:
        return text
    drawn = f"{found.ranked.replicates:,} replicates, seed {found.ranked.seed}"
    ranks = f"ranks by a joint bootstrap of {drawn}"
    return f"{text}; {ranks}; ties by the paired delta method and Holm"


def _mix(value: str) -> str:
    head, _, label = value.partition(".")
    if head == "sweep" and label and "=" not in value:
        return f"the class {label} swept from rare to common, the others in proportion"
    if value.startswith("estimated-") and "=" not in value:
        return f"at class frequencies estimated from unlabelled data ({value[10:]})"
    return f"calibrated to stated class frequencies {value}"


_WORDS: dict[str, Callable[[str], str]] = {
    "metric": _metric,
    "formula": _formula,
    "parameters": lambda v: v.replace(",", ", "),
    "classes": _classes,
    "undefined": lambda v: _UNDEFINED.get(v, f"0/0 counts as {v}"),
    "prevalence": lambda v: _PREVALENCE.get(v) or _mix(v),
    "weights": lambda v: _WEIGHTS.get(v, v),
    "n": lambda v: f"{_whole(v):,} items" if v.isdigit() else f"{v} items",
    "outside": lambda v: _amount(v, "predictions that are no class"),
    "missing": lambda v: _amount(v, "predictions that are missing altogether"),
    "dropped": lambda v: _amount(v, "rows without a true label"),
    "interval": _interval,
    "table": lambda v: f"the table and its label order have the hash {v}",
    "version": lambda v: f"made by evenhand {v}",
}
