"""Plan: how many items must a test set have?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.catalogue.binding import bind_all
from evenhand.catalogue.distances import in_order
from evenhand.catalogue.naming import Metrics, as_spec, several
from evenhand.catalogue.policy import Undefined, policy
from evenhand.count.forms import form_of, refusal, refuse_empty
from evenhand.count.given import Given, system_of
from evenhand.count.several import of_several, sample_of
from evenhand.deciding.need import Need, Purpose, need_of
from evenhand.deciding.pilot import Pilot
from evenhand.deciding.stated import Rates, stated_table
from evenhand.errors import InputError, shown
from evenhand.infer.few import few_clusters, too_few
from evenhand.infer.margin import refuse_wide
from evenhand.infer.power import checked_power
from evenhand.infer.settings import Settings
from evenhand.notes.note import Note
from evenhand.results.cells import Cell, MetricName, Share
from evenhand.results.content import Block, Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Collection, Result
from evenhand.results.text import counted, level_text, number, percent, points, visible
from evenhand.tables.confusion import Classes
from evenhand.tables.labels import rule_or_list


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Collection[str, Need], Result):
    """How many items a test set needs: as many as the metric that needs most.

    >>> import evenhand as eh
    >>> found = eh.plan(recalls=0.8, mix="spam=0.05,ham=0.95", metrics="macro_recall", width=0.1)
    >>> found.needed, found["macro_recall"].decides
    (1363, 'spam')
    """

    purpose: Purpose
    target: float
    level: float
    power: float | None
    systems: int
    stated: bool
    correlation: float | None
    design_effect: float
    together: float | None
    needs: tuple[Need, ...]
    cautions: tuple[Note, ...] = ()

    of_metrics = True

    def facts(self) -> dict[str, Any]:
        """What ``evenhand plan --format json`` prints."""
        return {
            "items": self.needed,
            **self.picked("low", "high", "clusters", "message", "purpose", "target", "level"),
            **self.picked("power", "correlation", "design_effect", "stated", "needs"),
        }

    @property
    def parts(self) -> dict[str, Need]:
        """What each metric needs."""
        return {need.metric: need for need in self.needs}

    @property
    def most(self) -> Need:
        """The metric that needs most."""
        return max(self.needs, key=lambda need: need.items)

    @property
    def needed(self) -> int:
        """Items that are enough for every metric."""
        return self.most.items

    @property
    def low(self) -> int:
        """The fewest that they may turn out to be."""
        return self.most.low

    @property
    def high(self) -> int:
        """The most that they may turn out to be."""
        return self.most.high

    @property
    def clusters(self) -> int | None:
        """Clusters that the items come in, as large as those of the pilot."""
        return None if self.together is None else math.ceil(self.needed / self.together)

    @property
    def message(self) -> str:
        """The answer in one line."""
        need, level = self.most, level_text(self.level)
        size = points(self.target) if need.points else number(self.target, 4)
        metric = visible(need.metric)
        unsure = "" if self.low == self.high else f" ({self.low:,} to {self.high:,})"
        many = "" if self.clusters is None else f" in {counted(self.clusters, 'cluster')}"
        head = f"{counted(self.needed, 'item')}{unsure}{many}"
        if self.purpose == "width":
            what = "the difference on " if self.systems > 1 else ""
            return f"{head} for an interval of {what}{metric} that is {size} wide ({level})"
        chance = percent(self.power or 0.0)
        if self.purpose == "margin":
            return (
                f"{head} for equally good systems to pass a gate with a margin of {size} on "
                f"{metric} ({level}) {chance} of the time"
            )
        return f"{head} to show a difference of {size} on {metric} ({level}) {chance} of the time"

    def content(self) -> Content:
        """The answer, which class decides, and what every metric needs."""
        blocks: list[Block] = [Words("\n".join([self.message, *self._rare()]), "verdict")]
        blocks += [self._sheet(), Words(self._limits(), "note")]
        return Content("items that a test set needs", blocks, self._data, "", self.warnings)

    def _rare(self) -> Iterable[str]:
        need = self.most
        if need.decides is None or need.share is None or need.variance is None:
            return
        own = round(need.items * need.share)
        yield (
            f"The rarest class decides: {visible(str(need.decides))} has {percent(need.share)} of "
            f"the items, {own:,} of these, and makes {percent(need.variance)} of the variance; a "
            "test set with more of it needs fewer."
        )

    def _sheet(self) -> Sheet:
        head = ["metric", "items", "at least", "at most", "rarest class", "of items", "of variance"]
        rows: list[list[Cell]] = [
            [
                MetricName(need.metric),
                need.items,
                need.low,
                need.high,
                None if need.rarest is None else str(need.rarest),
                *(None if x is None else Share(x) for x in (need.share, need.variance)),
            ]
            for need in self.needs
        ]
        return Sheet(Grid(head, rows), "What every metric needs")

    def _data(self) -> Grid:
        head = ["metric", "items", "low", "high", "rarest", "share", "variance"]
        rows: list[list[Cell]] = [
            [n.metric, n.items, n.low, n.high, None if n.rarest is None else str(n.rarest), n.share,
             n.variance] for n in self.needs
        ]  # fmt: skip
        return Grid(head, rows)

    def _limits(self) -> str:
        said = ["Numbers stated are taken as they are." if self.stated else
                "At least and at most: what the pilot leaves open, by how sure it is of the "
                f"variance ({level_text(self.level)})."]  # fmt: skip
        if self.correlation is not None:
            said.append(
                "Two systems like this one, whose errors have a correlation of "
                f"{self.correlation:g}: with more in common fewer items do."
            )
        if self.design_effect != 1:
            said.append(f"The design effect of clusters is {self.design_effect:.3g}.")
        return " ".join([*said, "It holds for items like these."])


def plan(
    *data: Any,
    width: float | None = None,
    difference: float | None = None,
    margin: float | None = None,
    power: float = 0.8,
    recalls: Rates | float | None = None,
    mix: Rates | None = None,
    correlation: float = 0.0,
    design_effect: float = 1.0,
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
) -> Plan:
    """Say how many items are needed for an interval of a width, or to show a difference.

    Takes a pilot (what ``score`` takes of one system, or ``compare`` of two), a table, or no data
    but ``recalls`` and a class ``mix``, where errors go to the other classes by their shares.
    ``width`` is that of the interval at ``level``, of a score or, with two systems, of their
    difference; ``difference`` one that is to be shown by ``compare``, ``margin`` one of a ``gate``
    that equally good systems are to pass, both with a chance of ``power``. Of one system the other
    is taken to be like it, with errors that have this ``correlation``. ``design_effect`` is for
    items that will come in clusters; a pilot with ``cluster`` has its own.

    n = variance of an item · (2·z/width)², or · ((z + z_power)/difference)², by the delta method.

    >>> plan([[45, 5], [10, 40]], metrics="accuracy", width=0.1).needed  # about 0.1275·39.2²
    196
    """
    purpose, target = _purpose(width=width, difference=difference, margin=margin)
    checked_power(power)
    if not 0 <= correlation < 1:
        raise InputError(f"correlation must be from 0 to below 1, got {correlation}")
    if not 1 <= design_effect < math.inf:
        raise InputError(f"design_effect must be 1 or more, got {design_effect}")
    if (recalls is None) != (mix is None):
        raise InputError("recalls and mix go together: one says how well, the other on what")
    given = Given(
        "plan", data, y_true, y_pred, true, pred, labels, weights, cluster, None, drop_null_truth
    )
    found = _found(given, recalls, mix)
    if found.cluster is not None and design_effect != 1:
        raise InputError("a pilot with clusters has a design effect of its own: leave that out")
    pilot = Pilot(found, purpose != "width", recalls is not None, correlation, design_effect)
    how = Settings("auto", level)
    tables = found.tables()
    refuse_empty(tables, "plan from")
    specs = [as_spec(m) for m in several(metrics, lambda: ["macro_f1"], distance=distance)]
    kernels = bind_all(specs, tables, classes=rule_or_list(classes), undefined=policy(undefined))
    refuse_wide(margin, kernels)
    spreads = pilot.spreads(kernels)
    needs = tuple(need_of(s, purpose, target, power, how, pilot) for s in spreads)
    return Plan(
        purpose=purpose,
        target=target,
        level=level,
        power=power if pilot.paired else None,
        systems=2 if pilot.several else 1,
        stated=pilot.stated,
        correlation=correlation if pilot.paired and not pilot.several else None,
        design_effect=max(s.design_effect for s in spreads),
        together=spreads[0].together,
        needs=needs,
        cautions=(
            *in_order(specs, tables.labels),
            *(() if pilot.stated else (*too_few(kernels, tables), *few_clusters(found.cluster))),
        ),
    )


def _purpose(**given: float | None) -> tuple[Any, float]:
    said = {name: x for name, x in given.items() if x is not None}
    if len(said) != 1:
        raise InputError(f"one of width, difference and margin is asked for, got {shown(said)}")
    ((name, target),) = said.items()
    if not 0 < target < math.inf:
        raise InputError(f"{name} must be a number above 0, got {target}")
    return name, target


def _found(given: Given, recalls: Rates | float | None, mix: Rates | None) -> Any:
    """Two systems, one, or the table that was stated."""
    if recalls is not None and mix is not None:
        if given.positional:
            raise InputError("recalls and a mix take the place of data: give one or the other")
        return stated_table(recalls, mix)
    if not of_several(given):
        one = system_of(given)
        if one.tables().shape not in ((), (1,)):
            raise refusal("plan", form_of(one))
        return one
    both = sample_of(given)
    if len(both.systems) != 2:
        raise refusal("plan", form_of(both))
    return both
