"""Groups: where one system is worst, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evenhand.catalogue.distances import in_order
from evenhand.catalogue.lists import shown_in
from evenhand.catalogue.naming import Metrics, at_distance, named, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.catalogue.spelling import Spec
from evenhand.catalogue.titles import title
from evenhand.count.given import Given
from evenhand.errors import InputError, MetricError, shown
from evenhand.notes.data import CommonClasses, NoCommonClass
from evenhand.notes.interval import Interval
from evenhand.notes.note import Note
from evenhand.results.cells import Cell, Chance, Sure
from evenhand.results.content import Block, Content, Heading, Pictures, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.sentence import called
from evenhand.results.text import counted, level_text, listed, number
from evenhand.scoring.gaps import Gap, GroupScores
from evenhand.scoring.parting import Parts, parts_of
from evenhand.signature.fields import checked_level
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import key_text, rule_or_list

SHOWN = 60
"""Groups of which a table shows each."""


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Collection[str, Gap], Result):
    """How a system does in groups of items, metric by metric.

    >>> import evenhand as eh
    >>> list(eh.groups(list("abab" * 30), list("abbb" * 30), by=list("xxyy" * 30), metrics="mcc"))
    ['mcc']
    """

    level: float
    pairs: int
    classes: tuple[Any, ...]
    metrics: dict[str, Gap]
    overlap: bool = False
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    @property
    def parts(self) -> dict[str, Gap]:
        """The gap on each metric."""
        return self.metrics

    def facts(self) -> dict[str, Any]:
        """What ``evenhand score --by COL --groups --format json`` prints."""
        how = {"correction": {"to_best": "bonferroni", "to_rest": "bonferroni", "p": "holm"}}
        return {
            **self.picked("level", "pairs"),
            **how,
            **self.picked("overlap", "classes", "metrics"),
        }

    def content(self) -> Content:
        """What is worst and by how much, then every group on every metric."""
        first = next(iter(self.metrics.values()))
        k, g = len(self.classes), len(first.groups)
        title = f"{counted(g, 'group')}, {level_text(self.level)} intervals"
        said = [_sentence(gap) for gap in self.metrics.values()]
        sharing = "; errors of shared items go together" if self.overlap else ""
        how = (
            f"Worst, difference and ratio: for all {counted(self.pairs, 'pair')} of groups at "
            "once, whichever is truly best (Bonferroni); to the rest: for all "
            f"{g} groups at once; p after Holm{sharing}."
        )
        if any(Spec.parse(name).metric.averages for name in self.metrics):
            how += f" Averages run over the {counted(k, 'class', 'classes')} true in every group."
        blocks: list[Block] = [Words("\n".join(said), "verdict")]
        for gap in self.metrics.values():
            sheet = Sheet(_grid(gap), most=SHOWN, rows="groups", wide=120)
            blocks += [Heading(f"Groups by {called(gap.metric)}"), sheet]
        blocks += [Words(how, "note"), Pictures([partial(_chart, self)])]
        return Content(title, blocks, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        head = ["metric", "group", "n", "quantity", "value", "se", "low", "high", "p", "p_adjusted"]
        rows: list[list[Cell]] = []
        for gap in self.metrics.values():
            for name in ("worst_score", "difference", "ratio"):
                rows += _row([gap.metric, "", None, name], getattr(gap, name))
            for g in gap.groups:
                for name in ("score", "to_best", "ratio_to_best", "to_rest", "ratio_to_rest"):
                    begun: list[Cell] = [gap.metric, key_text(g.key), g.n, name]
                    tested = (g.p, g.p_adjusted) if name == "to_rest" else (None, None)
                    rows += _row(begun, getattr(g, name), *tested)
        return Grid(head, rows)


def _row(begun: list[Cell], x: Interval | None, *tested: float | None) -> list[list[Cell]]:
    if x is None:
        return []
    return [[*begun, x.value, x.se, x.low, x.high, *(tested or (None, None))]]


def _sentence(gap: Gap) -> str:
    if gap.worst == gap.best:
        known = [g.score.value for g in gap.groups if g.score.value == g.score.value]
        who = "all groups score" if len(known) != 1 else f"only {key_text(gap.best)} has a score,"
        return f"{title(gap.metric)}: {who} {number(gap.worst_score.value)}."
    said = f"{title(gap.metric)}: worst in {key_text(gap.worst)}, {Sure(gap.worst_score).text(4)}; "
    said += f"{Sure(gap.difference).text(4)} from the best, {key_text(gap.best)}."
    chance = 1 - (gap.difference.level or 0.95)
    unlike = [g.key for g in gap.groups if g.p_adjusted is not None and g.p_adjusted < chance]
    return said + (f" Unlike the rest: {listed(map(key_text, unlike))}." if unlike else "")


def _grid(gap: Gap) -> Grid:
    of_ratio = gap.ratio is not None
    head = ["group", "items", gap.metric, "to the best", *["ratio"] * of_ratio]
    head += ["to the rest", *["ratio to it"] * of_ratio, "p adjusted"]
    rows: list[list[Cell]] = []
    for g in gap.groups:
        row: list[Cell] = [key_text(g.key), number(g.n), Sure(g.score), Sure(g.to_best)]
        row += [Sure(g.ratio_to_best)] if g.ratio_to_best is not None else [""] * of_ratio
        row.append(Sure(g.to_rest))
        row += [Sure(g.ratio_to_rest)] if g.ratio_to_rest is not None else [""] * of_ratio
        rows.append([*row, Chance(g.p_adjusted)])
    return Grid(head, rows)


def _chart(found: Groups) -> Any:
    from evenhand.scoring.group_chart import groups

    return groups(found)


def groups(
    *data: Any,
    by: Any = None,
    metrics: Metrics | None = None,
    classes: Classes = "task",
    undefined: Undefined = 0,
    distance: Any = None,
    level: float = 0.95,
    y_true: Any = None,
    y_pred: Any = None,
    true: str | None = None,
    pred: str | Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    cluster: Any = None,
    drop_null_truth: bool = False,
) -> Groups:
    """Say in which group of the items a system is worst, by how much, and how sure that is.

    Takes what ``score`` takes of one system with ``by``, one value an item or the name of a column;
    groups that share items are a mapping of names to true or false for every item. Averages run
    over the classes that are true in every group, unless ``classes`` are listed; where there are
    none, metrics that average over classes are left out, or refused if they were asked for.

    Every group has its score, its difference and its ratio to the best group and to the rest of
    the items. Differences come from the two scores' own intervals by square-and-add (Zou & Donner
    2008; ratios: Donner & Zou 2012), with the correlation of their errors where items or clusters
    are shared. The best group is not known but estimated: the interval of a difference to it is
    the smallest over all others of intervals that hold for all pairs at once (after Hsu 1984), by
    Bonferroni; those to the rest hold for all groups at once, and their p is Holm's.

    >>> import evenhand as eh
    >>> true, guess, language = list("aabb" * 40), list("aaba" * 40), ["en", "en", "en", "de"] * 40
    >>> found = eh.groups(true, guess, by=language, metrics="accuracy")
    >>> found["accuracy"].worst, found["accuracy"]["de"].to_best.value
    ('de', -1.0)
    """
    checked_level(level)
    beside: Any = {"labels": labels, "weights": weights, "cluster": cluster}
    given = Given(
        "groups", data, y_true, y_pred, true, pred, **beside, drop_null_truth=drop_null_truth
    )
    parts = parts_of(given, by)
    wanted = several(metrics, lambda: list(shown_in("lead")), distance=distance)
    specs = named([at_distance(m, distance) for m in wanted])
    known = {name: spec for name, spec in specs if isinstance(spec, Spec)}
    for name, _ in specs:
        if name not in known or known[name].metric.better == "neither":
            raise MetricError(f"{name} cannot tell the better of two groups")
    common, notes = _common(parts, rule_or_list(classes), known, asked=metrics is not None)
    how: dict[str, Any] = {"classes": common, "undefined": policy(undefined)}
    made = GroupScores(parts, list(known.values()), how, level)
    found = {name: made.gap(i, name, spec) for i, (name, spec) in enumerate(known.items())}
    return Groups(
        level,
        made.pairs,
        () if NoCommonClass in map(type, notes) else tuple(made.labels(common)),
        found,
        isinstance(by, Mapping),
        (*in_order(known.values(), parts.tables.labels), *parts.notes, *notes),
    )


def _common(
    parts: Parts, classes: Classes, metrics: dict[str, Spec], *, asked: bool
) -> tuple[Classes, list[Note]]:
    """The classes that are true in every group; the rule itself where that makes no difference.

    Where there are none, only ``metrics`` that average over no classes stay.
    """
    means = [name for name, spec in metrics.items() if spec.metric.averages]
    if not isinstance(classes, str) or not means:
        return classes, []
    tables = parts.tables
    there = np.asarray(tables.prevalence) > 0
    every, some = there.all(axis=0), there.any(axis=0)
    if not every.any():
        if asked:
            raise InputError(
                f"no class is true in every group: {listed(means)} cannot average over "
                f"{shown(tables.labels)}; accuracy, kappa and other metrics of whole tables can "
                "be compared"
            )
        for name in means:
            del metrics[name]
        return classes, [NoCommonClass(tuple(means))]
    if (every == some).all():
        return classes, []
    kept, left = (
        tuple(v for v, m in zip(tables.labels, np.ravel(mask), strict=True) if m)
        for mask in (every, some & ~every)
    )
    return list(kept), [CommonClasses(kept, left)]
