"""Titles: what people call a metric, as a paper's table heads a column."""

from __future__ import annotations

from evenhand.catalogue.spelling import Spec, stated, written
from evenhand.errors import MetricError

_WRITTEN = {"f1": "F1", "fbeta": "Fβ", "mcc": "MCC", "npv": "NPV"}
"""Words of a name that are not written in small letters."""
_TITLES = {"macro_f1": "Macro F1 (mean of F1)", "f1_of_averages": "Macro F1 (F1 of averages)"}


def title(name: str) -> str:
    """A metric in the words of people; a function of a user's own by its name.

    >>> title("macro_f1"), title("macro_recall@uniform"), title("f1:label=spam")
    ('Macro F1 (mean of F1)', 'Macro recall, classes equally frequent', 'F1 of spam')
    """
    try:
        spec = Spec.parse(name)
    except MetricError:
        return name
    own = " ".join(_WRITTEN.get(word, word) for word in spec.metric.name.split("_"))
    said = _TITLES.get(spec.metric.name, own[0].upper() + own[1:])
    if spec.parameters:
        said += f", {', '.join(f'{key} = {written(value)}' for key, value in spec.parameters)}"
    if spec.label is not None:
        said += f" of {spec.label}"
    if spec.prevalence is not None:
        mix = f"as {stated(spec.prevalence)}" if spec.prevalence else "equally frequent"
        said += f", classes {mix}"
    return said
