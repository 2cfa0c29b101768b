"""Meaning: what a metric's number says in a sentence, when it is the one to use and when not."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from evenhand.core.registry import AVERAGES, Metric, find


class Meaning(NamedTuple):
    """What a number means, where to use it, and where not; empty where nothing is said."""

    means: str = ""
    use: str = ""
    avoid: str = ""


AVERAGED = {
    "macro": (
        "draw a class: the {name} to expect of it ({means})",
        "every class matters the same; {use}",
        "classes have a handful of items; {avoid}",
    ),
    "micro": (
        "{name} of the decisions on all averaged classes together ({means})",
        "every decision matters the same; {use}",
        "every class is averaged, where it says no more than accuracy; {avoid}",
    ),
    "weighted": (
        "draw an item: the {name} to expect of its class ({means})",
        "classes are to weigh as often as they are true; {use}",
        "test sets of different class mixes are compared; {avoid}",
    ),
}
"""What an average over classes says, by what the metric of one class does."""


@cache
def meanings() -> dict[str, Meaning]:
    """Every metric of ours with its meaning, from ``meanings.txt``.

    >>> meanings()["mean_cost"].means
    'what the errors cost, an item'
    """
    text = (files("evenhand.catalogue") / "meanings.txt").read_text(encoding="utf-8")
    rows = (line.split(" | ") for line in text.splitlines())
    return {name: Meaning(*said) for name, *said in rows}


def meaning(metric: Metric) -> Meaning:
    """What is said of a metric; of an average, what its mechanism makes of the class metric.

    >>> from evenhand.core.registry import find
    >>> meaning(find("macro_false_negative_rate")).means
    'draw a class: the false_negative_rate to expect of it (the chance that an item of the class is missed)'
    """  # noqa: E501
    said = meanings().get(metric.name)
    if said is not None or metric.own:
        return said or Meaning()
    kind, _, name = metric.name.partition("_")
    each = find(name) if kind in AVERAGES else None
    if each is None or each.own:
        return Meaning()
    of_class = meaning(each)._asdict()
    return Meaning(*(words.format(name=name, **of_class) for words in AVERAGED[kind]))


def said_of(metric: Metric) -> list[tuple[str, str]]:
    """What its number means, when to use it and when not, a line each."""
    return list(zip(("means", "use it where", "not where"), meaning(metric), strict=True))
