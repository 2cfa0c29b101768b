"""The catalogue: every metric the package knows, in words."""

from __future__ import annotations

from evenhand.core.registry import Metric, Task, all_metrics
from evenhand.spelling import Spec

_PROPERTIES = (
    (
        "monotonicity",
        "a right prediction never lowers it, a wrong one never raises it",
        "a wrong prediction can raise it, or a right one lower it",
    ),
    (
        "class_sensitivity",
        "errors on different classes can weigh differently",
        "every error weighs the same, whatever its class",
    ),
    (
        "class_decomposability",
        "it is a mean over classes of a score of each class",
        "it is no mean over classes",
    ),
    (
        "prevalence_invariance",
        "it stays when a class becomes more or less frequent",
        "it changes when a class becomes more or less frequent",
    ),
)


def metrics() -> dict[str, Metric]:
    """Every metric by name, in the order of the catalogue.

    >>> metrics()["macro_f1"].signature
    'mean-of-f1'
    """
    return {m.name: m for m in all_metrics()}


def default_metrics(task: Task = "single") -> list[str]:
    """Every metric that fits the task and needs neither a class nor a parameter to be named."""
    return [
        m.name
        for m in all_metrics()
        if task in m.tasks and not m.of_one_class and "beta" not in m.parameters
    ]


def lookup(name: str) -> Metric:
    """The metric called ``name``, by its name or an alias."""
    from evenhand.core.registry import find

    return find(name) or Spec.parse(name).metric


def property_lines(metric: Metric) -> list[tuple[str, str]]:
    """Each of the five properties, with yes or no and what it means."""
    p = metric.properties
    if p is None:
        return []
    lines = [
        (name.replace("_", " "), f"yes: {if_so}" if getattr(p, name) else f"no: {if_not}")
        for name, if_so, if_not in _PROPERTIES
    ]
    if p.chance_correction is None:
        chance = "no: the best random classifier's score depends on the class mix"
    else:
        chance = f"yes: the best random classifier scores {p.chance_correction}"
    lines.append(("chance correction", chance))
    if p.note:
        lines.append(("note", p.note))
    return lines
