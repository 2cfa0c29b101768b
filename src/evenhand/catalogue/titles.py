"""Titles: what people call a metric, as a paper's table heads a column."""

from __future__ import annotations

from evenhand.catalogue.spelling import Spec, stated, written
from evenhand.core.registry import Metric, find
from evenhand.errors import MetricError

_WRITTEN = {
    **{word: word.upper() for word in ("f1", "mcc", "npv", "csi", "iba", "kl", "ac1", "pabak")},
    **{word: word.upper() for word in ("a", "b", "c", "p", "q", "s", "v", "y")},
    **{name: f"{name.capitalize()}'s" for name in
       ("scott", "bennett", "gwet", "krippendorff", "aickin", "bangdiwala", "pearson", "yule")},
    **{name: name.capitalize() for name in ("jaccard", "tversky", "rand", "hamming")},
    "fbeta": "Fβ",
    "gmean": "G-mean",
    "fowlkes": "Fowlkes and",
    "mallows": "Mallows",
    "cramers": "Cramér's",
}  # fmt: skip
"""Words of a name that are not written in small letters."""
_PROPER = {*_WRITTEN.values(), "Cohen's", "Fowlkes"}
"""Words that keep their capital in a sentence."""


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


def spoken(said: str) -> str:
    """A title inside a sentence: without its capital, unless a name has it.

    >>> spoken("Macro recall"), spoken("Cohen's kappa"), spoken("F1 gap")
    ('macro recall', "Cohen's kappa", 'F1 gap')
    """
    own = said.partition(" ")[0].rstrip(",") in _PROPER or not said[1:2].islower()
    return said if own else said[0].lower() + said[1:]


def described(name: str) -> tuple[str, str]:
    """A metric's title, and what it is in a sentence.

    >>> described("mcc")
    ('MCC', 'Matthews correlation coefficient of any number of classes')
    """
    plain = find(name)
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
