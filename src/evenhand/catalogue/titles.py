"""Titles: what people call a metric, as a paper's table heads a column."""

from __future__ import annotations

from evenhand.catalogue.lists import metrics
from evenhand.catalogue.spelling import Spec, stated, written
from evenhand.core.registry import Metric
from evenhand.errors import MetricError

_WRITTEN = {"f1": "F1", "fbeta": "Fβ", "mcc": "MCC", "npv": "NPV"}
"""Words of a name that are not written in small letters."""


def title(name: str) -> str:
    """A metric in the words of people; a function of a user's own by its name.

    >>> title("macro_f1"), title("macro_recall@uniform"), title("f1:label=spam")
    ('Macro F1 (mean of F1)', 'Macro recall, classes equally frequent', 'F1 of spam')
    """
    return described(name)[0]


def brief(name: str) -> str:
    """The same where there is little room, as at an axis: another class mix as it is spelled.

    >>> brief("mcc"), brief("macro_recall@uniform")
    ('MCC', 'Macro recall @uniform')
    """
    plain, at, mix = name.partition("@")
    return f"{title(plain)} @{mix}" if at and title(name) != name else title(name)


def described(name: str) -> tuple[str, str]:
    """A metric's title, and what it is in a sentence.

    >>> described("mcc")
    ('MCC', 'Matthews correlation coefficient of any number of classes')
    """
    plain = metrics().get(name)
    try:
        spec = Spec.parse(name) if plain is None else Spec(plain)
    except MetricError:
        return name, ""
    said = _title(spec.metric)
    if spec.parameters:
        said += f", {', '.join(f'{key} = {written(value)}' for key, value in spec.parameters)}"
    if spec.label is not None:
        said += f" of {spec.label}"
    if spec.prevalence is not None:
        mix = f"as {stated(spec.prevalence)}" if spec.prevalence else "equally frequent"
        said += f", classes {mix}"
    return said, spec.metric.summary.rstrip(".")


def _title(metric: Metric) -> str:
    if metric.title:
        return metric.title
    said = " ".join(_WRITTEN.get(word, word) for word in metric.name.split("_"))
    return said[0].upper() + said[1:]
