"""Several: whether the items of a table may have several labels each, or none.

Of one label and one prediction an item, accuracy and the micro averages are one number. Where they
differ in most rows, or a table has an average over items, items have several labels (or only some
of the classes are averaged). Each class is then a question of its own: its hits, predictions and
items, and every average over classes stay as they are, but the predictions need not add up to the
items, and accuracy, kappa and MCC are other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from evenhand.auditing.facts import Facts
from evenhand.auditing.reported import Row, Source

_MICRO = ("micro_precision", "micro_recall", "micro_f1")
_OF_ITEMS = frozenset({"accuracy", "kappa", "mcc"})


def several_labels(source: Source) -> bool:
    """Whether a table's own numbers say that items may have several labels.

    One row tells by its micro averages alone: that they are not its accuracy may be a slip.
    """
    names = _MICRO if len(source.rows) == 1 else (*_MICRO, "accuracy")
    headers = [h for name in names if (h := source.places.get(("metric", name))) is not None]
    apart = [found for row in source.rows if (found := _apart(row, headers)) is not None]
    return source.over_items or 2 * sum(apart) > len(apart)


def _apart(row: Row, headers: Sequence[str]) -> bool | None:
    """Whether values that one label an item makes equal are printed as different ones."""
    printed = [row.scores[h].range(1) for h in headers if h in row.scores]
    pairs = [a.meets(b) for a, b in combinations(printed, 2)]
    return not all(pairs) if pairs else None


def each_class(facts: Facts) -> Facts:
    """What a row says of classes and of averages over them."""
    metrics = {name: r for name, r in facts.metrics.items() if name not in _OF_ITEMS}
    return replace(facts, metrics=metrics, n=None, correct=None)
