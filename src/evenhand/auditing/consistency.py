"""Checks whether the numbers of a row are consistent, and how strong each conflict is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from evenhand.auditing.bounds import (
    BiasBoxes,
    KnownRates,
    accuracy,
    agreement,
    fit_totals,
    fit_two_classes,
    hit_rate,
    hit_rate_names,
    predictions_conflict,
    solutions,
)
from evenhand.auditing.facts import (
    Assumptions,
    ClassFacts,
    Conflict,
    Span,
    TableFacts,
    narrow_class,
)
from evenhand.auditing.formula import TWINS, FormulaQuestion, one_digit_off, question
from evenhand.auditing.headers import PER_CLASS, SIGNED_METRICS
from evenhand.auditing.numbers import Level, PrintedNumber
from evenhand.auditing.ranges import (
    ATTAINED,
    SIGNED,
    UNIT,
    AttainableValues,
    Range,
    harmonic,
    hull,
    mean_of_f1,
    meets,
    scale,
    spread,
)
from evenhand.auditing.reported import ReportedRow, ReportedTable, Scales, Units, each_class
from evenhand.errors import InputError

LIMIT = 100
"""Solutions that a row's search may list before it answers 'unknown'."""

OUTSIDE = "unless some predictions are outside the classes, which would explain the whole row"

_REASONS = {
    "macro_precision": "it is the mean of the classes' precision",
    "macro_recall": "it is the mean of the classes' recall",
    "balanced_accuracy": "it is the mean of the classes' recall",
    "macro_f1": "it is the mean of the classes' F1, at least P + R − 1 and at most 2PR/(P+R) "
    "of macro precision and recall",
    "f1_of_averages": "it is 2PR/(P+R) of macro precision and macro recall",
    "accuracy": "it is the mean of the classes' recall weighted by class size",
    "weighted_precision": "it is the mean of the classes' precision weighted by class size",
    "weighted_f1": "it is the mean of the classes' F1 weighted by class size",
    "weighted_f1_of_averages": "it is 2PR/(P+R) of weighted precision and recall",
    "kappa": "accuracy and the margins bound it",
    "mcc": "the margins bound it",
}


@dataclass(frozen=True)
class ConsistencyVerdict:
    """The conflicts of a row, its macro F1 question, and whether the search was cut short.

    ``facts`` are those that it is on; ``sound`` says that nothing but the macro F1 is in conflict.
    """

    conflicts: tuple[Conflict, ...]
    question: FormulaQuestion | None
    unknown: bool
    facts: TableFacts
    sound: bool

    @property
    def is_testable(self) -> bool:
        """Whether its other numbers bound one of the two macro F1s."""
        return self.question is not None and self.question.is_testable

    @property
    def tells(self) -> bool:
        """Whether it is evidence on the formula: its other numbers are consistent."""
        return self.is_testable and self.sound

    def misses(self, formula: str | None) -> bool:
        """Whether it is evidence that another formula than the table's was used."""
        q = self.question
        return formula is not None and self.tells and q is not None and q.misses(formula)

    def conflicts_under(self, formula: str | None) -> list[Conflict]:
        """The conflicts, given the formula of the table."""
        q, conflicts = self.question, list(self.conflicts)
        header = self.facts.header("metric", "reported_macro_f1")
        if q is not None and formula is not None and self.tells:
            own = next((c for c in q.plain if c.name == formula), None)
            if not q.misses(formula):  # it may be one over some of the classes
                conflicts = [c for c in conflicts if c.column != header]
            elif own is not None and q.fitting:
                names = " or ".join(q.fitting)
                why = f"it is not {formula} like the other rows, only {names} fits"
                why += "; one digit would make it fit" if one_digit_off(q, own) else ""
                conflicts.append(Conflict(header, own.hull, why, "weak"))
        if q is not None and q.subsets:
            note = "unless it is over some of the classes only"
            weak = [replace(c, strength="weak", note=note) for c in conflicts]
            pairs = zip(conflicts, weak, strict=True)
            conflicts = [w if c.column == header else c for c, w in pairs]
        return conflicts


def check(facts: TableFacts, *, limit: int = LIMIT) -> ConsistencyVerdict:
    """Check every number of a row against the others."""
    as_printed = facts
    facts, conflicts = _possible(facts)
    several = facts.assumptions.several
    facts = each_class(facts) if several else facts
    supports, n = facts.supports, facts.n
    if supports is not None and n is None:
        n = sum(supports)
    elif supports is not None and n != (size := sum(supports)):
        why = f"a wrong total: the classes' sizes add up to {size:,}"
        conflicts.append(Conflict(facts.header("n"), Range(size, size), why))
        n = None
    settled = [narrow_class(facts, i, None if several else n) for i in range(len(facts.classes))]
    conflicts += [c for _, _, new_conflicts in settled for c in new_conflicts]
    share, new_conflicts = accuracy(facts, n)
    conflicts += new_conflicts
    spans = tuple(s for _, s, _ in settled if s is not None)
    # Averages are held against a class as it is printed where its own numbers disagree.
    pairs = zip(facts.classes, settled, strict=True)
    classes = tuple(printed if wrong else c for printed, (c, _, wrong) in pairs)
    known = KnownRates(facts, classes, None, n, share)
    joint = not several and supports is not None and len(spans) == len(facts.classes)
    if joint and not conflicts and n is not None:
        known, new_conflicts = _added_up(replace(known, spans=spans), n)
        conflicts += new_conflicts
        if not new_conflicts:
            known, new_conflicts = _with_agreement(known, n)
            conflicts += new_conflicts
    conflicts += _against_predictions(known)
    conflicts += _pairs(facts)
    tables: list[AttainableValues] | None = None
    unknown = False
    if joint and not conflicts and known.spans is not None and n is not None:
        hits = None if share is None else share.times(n)
        outside = facts.assumptions.abstentions
        margins = solutions(known.spans, n, hits, abstentions=outside, limit=limit)
        unknown = margins is None
        if margins is not None:
            tables, new_conflicts = _on_tables(facts, [AttainableValues(t, n) for t in margins])
            conflicts += new_conflicts
    reported = facts.metrics.get("reported_macro_f1")
    q = None if reported is None else question(known, reported, tables)
    sound = not conflicts
    if q is not None and q.is_testable and not any(c.fits for c in q.candidates):
        conflicts.append(_no_formula(facts, q))
    q = q if q is not None and q.plain else None
    return ConsistencyVerdict(tuple(conflicts), q, unknown, as_printed, sound)


def _possible(facts: TableFacts) -> tuple[TableFacts, list[Conflict]]:
    """Clip scores to their metric's range; those outside are conflicts."""
    conflicts = []

    def clipped(r: Range | None, column: str, bounds: Range) -> Range | None:
        if r is None or r.within(bounds):
            return r
        inside = r.meet(bounds)
        if inside is None:
            why = f"it lies between {bounds.low} and {bounds.high}"
            conflicts.append(Conflict(column, bounds, why))
        return inside

    metrics = {}
    for name, r in facts.metrics.items():
        bounds = SIGNED if name in SIGNED_METRICS else UNIT
        inside = clipped(r, facts.header("metric", name), bounds)
        if inside is not None:
            metrics[name] = inside
    classes = []
    for c in facts.classes:
        p, q, f = (clipped(getattr(c, x), facts.header(x, c.label), UNIT) for x in PER_CLASS)
        classes.append(ClassFacts(c.label, p, q, f, c.support))
    return replace(facts, metrics=metrics, classes=tuple(classes)), conflicts


def _added_up(known: KnownRates, n: int) -> tuple[KnownRates, list[Conflict]]:
    """Narrow the margins to those that add up, first without and then with the reported hits."""
    spans = known.spans or ()
    conflict = predictions_conflict(known.facts, spans, n)
    if conflict is not None:
        return replace(known, spans=None), [conflict]
    alone = _fitted(known, n, None)
    if alone is None:
        why = "no whole numbers of hits and predictions of all classes add up"
        return replace(known, spans=None), [Conflict(_largest(known.facts), UNIT, why)]
    known = _narrowed(known, alone)
    rate = hull(hit_rate(known) or [UNIT])
    if known.accuracy is None or not rate.meets(known.accuracy):
        return known, []
    both = _fitted(known, n, known.accuracy.times(n))
    if both is None:
        why = "no whole numbers of hits of all classes add up to it"
        return known, [Conflict(_accuracy_column(known.facts), rate, why)]
    return _with_recall(_narrowed(known, both), n)


def _fitted(
    known: KnownRates, n: int, hits: Range | None, recall: Range | None = None
) -> tuple[Span, ...] | None:
    """The spans narrowed to margins that add up; of two classes, jointly."""
    outside = known.facts.assumptions.abstentions
    spans = fit_totals(known.spans or (), n, hits, outside)
    if spans is None or len(spans) != 2 or outside:
        return spans
    return fit_two_classes(known.facts.classes, spans, hits, recall)


def _with_recall(known: KnownRates, n: int) -> tuple[KnownRates, list[Conflict]]:
    """Narrow two classes by macro recall: with the hits it determines the table."""
    reported = known.facts.metrics.get("macro_recall")
    predicted = known.means("recall")
    sizes = known.facts.supports or (0,)
    if reported is None or known.accuracy is None or not predicted or 0 in sizes:
        return known, []
    if not hull(predicted).meets(reported):
        return known, []
    spans = _fitted(known, n, known.accuracy.times(n), reported)
    if spans is not None:
        return _narrowed(known, spans), []
    why = "no whole numbers of hits of the two classes give it and the accuracy"
    return known, [Conflict(known.facts.header("metric", "macro_recall"), hull(predicted), why)]


def _with_agreement(known: KnownRates, n: int) -> tuple[KnownRates, list[Conflict]]:
    """Bound the macro F1s by the predictions that reported kappa and MCC leave open."""
    facts, spans, recalls = known.facts, known.spans or (), known.averages[1]
    kappa, mcc = (facts.metrics.get(name) for name in ("kappa", "mcc"))
    if kappa is None or mcc is None or not recalls or facts.assumptions.abstentions:
        return known, []
    if not all(s.support and s.bias.low > 0 for s in spans):
        return known, []
    boxes = BiasBoxes.search(spans, n, kappa, mcc)
    if len(boxes.low):
        return replace(known, agreeing=boxes.metrics(hull(recalls))), []
    why = "no predictions of the classes give it together with kappa"
    bounds = agreement(spans, n, known.accuracy, False).get("mcc", SIGNED)
    return known, [Conflict(facts.header("metric", "mcc"), bounds, why)]


def _largest(facts: TableFacts) -> str:
    """A reported column of the largest class."""
    order = sorted(facts.classes, key=lambda c: -(c.support or 0))
    places = ((part, c.label) for c in order for part in PER_CLASS if getattr(c, part) is not None)
    return facts.header(*next(places, ("n", "")))


def _narrowed(known: KnownRates, spans: tuple[Span, ...]) -> KnownRates:
    before = known.spans or ()
    classes = tuple(
        c if s is old else s.scores(c)
        for s, old, c in zip(spans, before, known.classes, strict=True)
    )
    return KnownRates(known.facts, classes, spans, known.n, known.accuracy)


def _against_predictions(known: KnownRates) -> list[Conflict]:
    predicted = known.predicted
    conflicts = []
    hits = predicted.get("accuracy")
    if known.accuracy and hits and not any(known.accuracy.meets(r) for r in hits):
        column = _accuracy_column(known.facts)
        conflicts.append(Conflict(column, hull(hits), _REASONS["accuracy"]))
    for name, reported in known.facts.metrics.items():
        if name in ("accuracy", "reported_macro_f1") or name not in predicted:
            continue
        if not any(reported.meets(r) for r in predicted[name]):
            why = _REASONS.get(name, "the rest of the row bounds it")
            conflicts.append(
                Conflict(known.facts.header("metric", name), hull(predicted[name]), why)
            )
    return conflicts


def _accuracy_column(facts: TableFacts) -> str:
    order = ("accuracy", "micro_f1", "micro_recall", "micro_precision", "weighted_recall")
    for name in order:
        if name in facts.metrics and name in hit_rate_names(facts.assumptions):
            return facts.header("metric", name)
    return facts.header("correct")


def _pairs(facts: TableFacts) -> list[Conflict]:
    """Conflicts between metrics that bound each other without class scores."""
    m = facts.metrics
    conflicts = []
    single = facts.assumptions.runs == 1
    if single and "kappa" in m and "mcc" in m:
        # |MCC| ≥ |kappa|, with the same sign
        k = m["kappa"]
        bound = Range(k.low if k.low > 0 else -1, k.high if k.high < 0 else 1)
        if not bound.meets(m["mcc"]):
            why = "MCC has the sign of kappa and is no smaller in size"
            conflicts.append(Conflict(facts.header("metric", "mcc"), bound, why))
    apart = facts.assumptions.abstentions or facts.assumptions.several
    if apart and {"micro_precision", "micro_recall", "micro_f1"} <= m.keys():
        f1 = (harmonic if single else mean_of_f1)(m["micro_precision"], m["micro_recall"])
        if not f1.meets(m["micro_f1"]):
            why = "it is 2PR/(P+R) of micro precision and recall"
            conflicts.append(Conflict(facts.header("metric", "micro_f1"), f1, why))
    return conflicts


def _on_tables(
    facts: TableFacts, tables: list[AttainableValues]
) -> tuple[list[AttainableValues], list[Conflict]]:
    """The solutions that fit every metric, and a conflict for the first that none fits."""
    if not tables:
        return [], [Conflict(_largest(facts), UNIT, "no table has all these numbers")]
    alive = tables
    agreed: list[str] = []
    for name, reported in facts.metrics.items():
        if name not in ATTAINED or not tables[0][name]:
            continue
        scaled = scale(reported)
        fit = [t for t in alive if meets(scaled, t[name])]
        column = facts.header("metric", name)
        if not fit:
            why = "no table with whole numbers of hits and predictions gives it"
            if agreed:
                why += f" together with {', '.join(agreed)}"
            return alive, [Conflict(column, spread([v for t in alive for v in t[name]]), why)]
        if len(fit) < len(alive):
            agreed.append(column)
        alive = fit
    return alive, []


def _no_formula(facts: TableFacts, q: FormulaQuestion) -> Conflict:
    """The conflict of a macro F1 that no formula gives."""
    twins = [c for c in q.plain if c.name in TWINS]
    why = f"no formula called macro F1 gives it ({', '.join(c.name for c in q.plain)} tried)"
    f1 = q.known.values("f1")
    unsized = facts.supports is None and all(c.known for c in facts.classes)
    if unsized and f1 and q.reported.meets(hull(f1)):
        why += "; a weighted F1 would be possible, but the class sizes are not given"
    return Conflict(
        facts.header("metric", "reported_macro_f1"), hull(r for c in twins for r in c.ranges), why
    )


# Conflicts of a row under three ways of rounding


@dataclass(frozen=True)
class Examiner:
    """Reads and checks the rows of a table, given its scales, class sizes and assumptions."""

    source: ReportedTable
    scales: Scales
    supports: Mapping[str, int]
    assumptions: Assumptions
    limit: int

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The classes that the table or the given sizes name."""
        kinds = (*PER_CLASS, "support")
        named = [c.name for c in self.source.columns.values() if c.kind in kinds]
        return tuple(dict.fromkeys([*named, *self.supports]))

    def is_count(self, header: str, written: PrintedNumber) -> bool:
        """Whether it is a number of items and not a score."""
        return self.source.columns[header].kind == "correct" and not written.decimals

    def size(self, row: ReportedRow, label: str) -> int | None:
        """The items of a class, as the row prints them or as they are given for all rows."""
        header = self.source.places.get(("support", label), "")
        return row.counts.get(header, self.supports.get(label))

    def items(self, row: ReportedRow) -> int | None:
        """All items, as the row prints them."""
        return row.counts.get(self.source.places.get(("n", ""), ""))

    def facts(self, row: ReportedRow, units: Units, level: Level) -> TableFacts:
        """The facts of a row in given units, at one level of rounding."""
        by_place = self.source.places

        def at(kind: str, name: str = "") -> Range | None:
            header = by_place.get((kind, name), "")
            written = row.scores.get(header)
            if written is None:
                return None
            if self.is_count(header, written) and self.assumptions.runs == 1:
                return Range(written.value, written.value)
            scale = units[header]
            return written.range(scale, level, self.scales.finest.get((header, scale), 0))

        classes = tuple(
            ClassFacts(v, at("precision", v), at("recall", v), at("f1", v), self.size(row, v))
            for v in self.labels
        )
        metrics = {
            name: value
            for kind, name in by_place
            if kind == "metric" and (value := at(kind, name)) is not None
        }
        n, hits = self.items(row), at("correct")
        facts = TableFacts(classes, metrics, n, hits, self.assumptions, by_place, units)
        if facts.supports is not None and not sum(facts.supports):
            raise InputError(f"{row.name}: the sizes of the classes add up to 0, expected an item")
        return facts

    def verdict(self, row: ReportedRow, level: Level = "written") -> ConsistencyVerdict:
        """The verdict on a row in the units that give the fewest conflicts."""
        verdicts: list[ConsistencyVerdict] = []
        for units in self.scales.readings(row):
            verdicts.append(check(self.facts(row, units, level), limit=self.limit))
            if not verdicts[-1].conflicts:
                break
        return min(verdicts, key=lambda one: len(one.conflicts))

    def clean(self, row: ReportedRow, level: Level = "written") -> bool:
        """Whether a row has no conflict."""
        return not self.verdict(row, level).conflicts

    def conflicts(self, row: ReportedRow, verdict: ConsistencyVerdict) -> tuple[Conflict, ...]:
        """The conflicts of a row by strength, given the verdict on it as written."""
        if not verdict.conflicts:
            finest = self.scales.finest
            coarse = (
                w.decimals < max(finest.get((h, s), 0) for s in (1, 100))
                for h, w in row.scores.items()
            )
            at_column = self.verdict(row, "column").conflicts if any(coarse) else ()
            note = "if it is rounded as finely as the rest of its column"
            return tuple(replace(c, strength="weak", note=note) for c in at_column)
        cut = self.verdict(row, "cut").conflicts
        wrong_n = _wrong_n(self, row)
        if wrong_n is not None:
            return (replace(wrong_n, strength="proof" if cut else "weak"),)
        # A proof holds even if digits were cut off; its range is that of values as written.
        as_written = {c.column: c for c in verdict.conflicts}
        proofs = [as_written.get(c.column, c) for c in cut]
        relaxed = replace(self, assumptions=replace(self.assumptions, abstentions=True))
        if cut and relaxed.clean(row, "cut"):
            return tuple(replace(c, strength="weak", note=OUTSIDE, outside=True) for c in proofs)
        sure, note = {c.column for c in cut}, "unless digits were cut off instead of rounded"
        others = [c for c in verdict.conflicts if c.column not in sure]
        return *proofs, *(replace(c, strength="weak", note=note) for c in others)


def _wrong_n(examiner: Examiner, row: ReportedRow) -> Conflict | None:
    """The conflict of an n that differs from all other rows', where theirs is consistent."""
    header = examiner.source.places.get(("n", ""), "")
    others = [r.counts.get(header) for r in examiner.source.rows if r is not row]
    if header not in row.counts or len(others) < 2 or len(set(others)) != 1:
        return None
    usual = others[0]
    if usual is None or usual == row.counts[header]:
        return None
    other = replace(row, counts={**row.counts, header: usual})
    if not examiner.clean(other):
        return None
    why = f"every other row has {usual:,} items, and with as many this one is consistent"
    return Conflict(header, Range(usual, usual), why)


def with_value(row: ReportedRow, header: str, written: PrintedNumber | None) -> ReportedRow:
    """The row with another value, or none, in one column."""
    scores = {h: w for h, w in row.scores.items() if h != header}
    if written is not None:
        scores[header] = written
    counts = {h: n for h, n in row.counts.items() if h != header}
    return replace(row, scores=scores, counts=counts)
