"""Checks whether the numbers of a row are consistent, and how strong each conflict is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from evenhand.auditing.bounds import (
    CLASSES,
    BiasBoxes,
    KnownRates,
    accuracy,
    fit_totals,
    fit_two_classes,
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
    solve,
)
from evenhand.auditing.formula import FORMULAS, TWINS, FormulaQuestion, one_digit_off, question
from evenhand.auditing.headers import PER_CLASS, SIGNED_METRICS
from evenhand.auditing.numbers import PrintedNumber
from evenhand.auditing.ranges import (
    ATTAINED,
    SIGNED,
    UNIT,
    AttainableTables,
    Range,
    harmonic,
    hull,
    mean_of_f1,
    meets,
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
    question: FormulaQuestion
    unknown: bool
    facts: TableFacts
    sound: bool

    @property
    def tells(self) -> bool:
        """Whether it is evidence on the formula: its other numbers are consistent."""
        return self.question.is_testable and self.sound

    def misses(self, formula: str | None) -> bool:
        """Whether it is evidence that another formula than the table's was used."""
        return formula is not None and self.tells and self.question.misses(formula)

    def conflicts_under(self, formula: str | None) -> list[Conflict]:
        """The conflicts, given the formula of the table."""
        q, conflicts = self.question, list(self.conflicts)
        header = self.facts.header("metric", "reported_macro_f1")
        if formula is not None and self.tells:
            own = next((c for c in q.plain if c.name == formula), None)
            if not q.misses(formula):  # it may be one over some of the classes
                conflicts = [c for c in conflicts if c.column != header]
            elif own is not None and q.fitting:
                names = " or ".join(q.fitting)
                why = f"it is not {formula} like the other rows, only {names} fits"
                why += "; one digit would make it fit" if one_digit_off(q, own) else ""
                conflicts.append(Conflict(header, own.hull, why, "weak"))
        note, doubtful = "unless it is over some of the classes only", (header,) * bool(q.subsets)
        return [
            replace(c, strength="weak", note=note) if c.column in doubtful else c for c in conflicts
        ]


def check(facts: TableFacts, *, limit: int = LIMIT) -> ConsistencyVerdict:
    """Check every number of a row against the others."""
    conflicts, several = list(facts.impossible), facts.assumptions.several
    facts, solved = solve(each_class(facts) if several else facts)
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
    tables: AttainableTables | None = None
    unknown = False
    if joint and not conflicts and known.spans is not None and n is not None:
        hits = (share or UNIT).times(n)
        outside = facts.assumptions.abstentions
        margins = solutions(known.spans, n, hits, abstentions=outside, limit=limit)
        unknown = margins is None
        if margins:
            tables, new_conflicts = _on_tables(facts, AttainableTables.from_margins(margins, n))
            conflicts += new_conflicts
        elif margins is not None:
            conflicts.append(Conflict(_largest(facts), UNIT, "no table has all these numbers"))
    q, sound = question(known, tables), not conflicts
    bounded = [r for name in TWINS for r in known.predicted.get(name, ())]
    excluded = q.is_testable or not any(q.reported.meets(r) for r in bounded)
    if bounded and excluded and not any(c.fits for c in q.candidates):
        conflicts.append(_no_formula(facts, q, bounded))
    for one in solved:
        conflicts = [one.named_rate(c) for c in conflicts]
    return ConsistencyVerdict(tuple(conflicts), q, unknown, facts, sound)


def _added_up(known: KnownRates, n: int) -> tuple[KnownRates, list[Conflict]]:
    """Narrow the margins to those that add up, first without and then with the reported hits."""
    facts = known.facts
    conflict = predictions_conflict(facts, known.spans or (), n)
    spans = None if conflict else _fitted(known, n, Range(0, n))
    if spans is None:
        why = "no whole numbers of hits and predictions of all classes add up"
        return replace(known, spans=None), [conflict or Conflict(_largest(facts), UNIT, why)]
    known = _narrowed(known, spans)
    rate = hull(known.hit_rate or [UNIT])
    if known.accuracy is None or not rate.meets(known.accuracy):
        return known, []
    hits = known.accuracy.times(n)
    spans = _fitted(known, n, hits)
    if spans is None:
        why = "no whole numbers of hits of all classes add up to it"
        return known, [Conflict(_accuracy_column(facts), rate, why)]
    known = _narrowed(known, spans)
    recall, mean = facts.metrics.get("macro_recall", UNIT), hull(known.means("recall") or [UNIT])
    if 0 in (facts.supports or ()) or not mean.meets(recall):
        return known, []
    spans = _fitted(known, n, hits, recall)
    if spans is None:
        why = "no whole numbers of hits of the two classes give it and the accuracy"
        return known, [Conflict(facts.header("metric", "macro_recall"), mean, why)]
    return _narrowed(known, spans), []


def _fitted(
    known: KnownRates, n: int, hits: Range, recall: Range = UNIT
) -> tuple[Span, ...] | None:
    """The spans narrowed to margins that add up; of two classes jointly, and to macro recall."""
    outside = known.facts.assumptions.abstentions
    spans = fit_totals(known.spans or (), n, hits, outside)
    if spans is None or len(spans) != 2 or outside:
        return spans
    return fit_two_classes(known.facts.classes, spans, hits, recall)


def _with_agreement(known: KnownRates, n: int) -> tuple[KnownRates, list[Conflict]]:
    """Bound the macro F1s by the predictions that reported kappa and MCC leave open."""
    facts, spans, recalls = known.facts, known.spans or (), known.averages[1]
    kappa, mcc = (facts.metrics.get(name) for name in ("kappa", "mcc"))
    if kappa is None or mcc is None or not recalls or facts.assumptions.abstentions:
        return known, []
    if len(spans) > CLASSES or not all(s.support and s.bias.low > 0 for s in spans):
        return known, []
    boxes = BiasBoxes.search(spans, n, kappa, mcc)
    if len(boxes.low):
        return replace(known, agreeing=boxes.metrics(hull(recalls))), []
    why = "no predictions of the classes give it together with kappa"
    bounds = known.predicted.get("mcc", [SIGNED])
    return known, [Conflict(facts.header("metric", "mcc"), hull(bounds), why)]


def _largest(facts: TableFacts) -> str:
    """A reported column of the largest class."""
    order = sorted(facts.classes, key=lambda c: -(c.support or 0))
    places = ((part, c.label) for c in order for part in PER_CLASS if getattr(c, part) is not None)
    return facts.header(*next(places, ("n", "")))


def _narrowed(known: KnownRates, spans: tuple[Span, ...]) -> KnownRates:
    each = zip(spans, known.spans or (), known.classes, strict=True)
    classes = tuple(c if s is before else s.scores(c) for s, before, c in each)
    return KnownRates(known.facts, classes, spans, known.n, known.accuracy)


def _against_predictions(known: KnownRates) -> list[Conflict]:
    predicted = known.predicted
    facts, first = known.facts, {"accuracy": known.accuracy}
    reported = {**first, **facts.metrics, **first}
    conflicts = []
    for name, value in reported.items():
        bounds = predicted.get(name, ())
        if value is not None and bounds and not any(value.meets(r) for r in bounds):
            of_hits, why = name == "accuracy", _REASONS.get(name, "the rest of the row bounds it")
            column = _accuracy_column(facts) if of_hits else facts.header("metric", name)
            conflicts.append(Conflict(column, hull(bounds), why))
    return conflicts


def _accuracy_column(facts: TableFacts) -> str:
    order = ("accuracy", "micro_f1", "micro_recall", "micro_precision", "weighted_recall")
    known = facts.metrics.keys() & hit_rate_names(facts.assumptions)
    columns = (facts.header("metric", name) for name in order if name in known)
    return next(columns, facts.header("correct"))


def _pairs(facts: TableFacts) -> list[Conflict]:
    """Conflicts between metrics that bound each other without class scores."""
    m = facts.metrics
    conflicts, single = list[Conflict](), facts.assumptions.runs == 1
    if single and "kappa" in m and "mcc" in m:
        # |MCC| ≥ |kappa|, with the same sign
        k, why = m["kappa"], "MCC has the sign of kappa and is no smaller in size"
        bound = Range(k.low if k.low > 0 else -1, k.high if k.high < 0 else 1)
        if not bound.meets(m["mcc"]):
            conflicts.append(Conflict(facts.header("metric", "mcc"), bound, why))
    apart = facts.assumptions.abstentions or facts.assumptions.several
    rates = ("micro_precision", "micro_recall")
    if apart and "micro_f1" in m and not m.keys().isdisjoint(rates):
        f1 = (harmonic if single else mean_of_f1)(*(m.get(name, UNIT) for name in rates))
        if not f1.meets(m["micro_f1"]):
            why = "it is 2PR/(P+R) of micro precision and recall"
            conflicts.append(Conflict(facts.header("metric", "micro_f1"), f1, why))
    return conflicts


def _on_tables(
    facts: TableFacts, tables: AttainableTables
) -> tuple[AttainableTables, list[Conflict]]:
    """The solutions that fit every metric, and a conflict for the first that none fits."""
    agreed: list[str] = []
    for name, reported in facts.metrics.items():
        if name not in ATTAINED:
            continue
        values, column = tables[name], facts.header("metric", name)
        fits = meets(reported, values)
        if not fits.any():
            beside = f" together with {', '.join(agreed)}" if agreed else ""
            why = f"no table with whole numbers of hits and predictions gives it{beside}"
            return tables, [Conflict(column, spread(values), why)]
        if not fits.all():
            agreed.append(column)
            tables = tables.where(fits)
    return tables, []


def _no_formula(facts: TableFacts, q: FormulaQuestion, bounded: Sequence[Range]) -> Conflict:
    """The conflict of a macro F1 that no formula gives; ``bounded`` are the ranges of both."""
    possible = hull([r for c in q.plain if c.name in TWINS for r in c.ranges] or bounded)
    tried = [*(() if q.is_testable else FORMULAS[:2]), *(c.name for c in q.plain)]
    why = f"no formula called macro F1 gives it ({', '.join(tried)} tried)"
    f1 = q.known.values("f1")
    unsized = facts.supports is None and all(c.known for c in facts.classes)
    if unsized and f1 and q.reported.meets(hull(f1)):
        why += "; a weighted F1 would be possible, but the class sizes are not given"
    return Conflict(facts.header("metric", "reported_macro_f1"), possible, why)


# Conflicts of a row, as written and if digits were cut off


PrintedScore = tuple[str, Fraction]
"""A number as printed, and its value as a fraction."""


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

    def score(self, row: ReportedRow, units: Units, kind: str, name: str) -> PrintedScore | None:
        """A score of a row: its text, and its value as a fraction."""
        header = self.source.places.get((kind, name), "")
        printed = row.scores.get(header)
        return None if printed is None else (printed.text, printed.value / units[header])

    def facts(self, row: ReportedRow, units: Units, cut: bool) -> TableFacts:
        """The facts of a row in given units, its digits rounded or perhaps cut off."""
        by_place, impossible = self.source.places, []

        def at(kind: str, name: str = "") -> Range | None:
            header = by_place.get((kind, name), "")
            written = row.scores.get(header)
            if written is None:
                return None
            if self.is_count(header, written) and self.assumptions.runs == 1:
                return Range(written.value, written.value)
            printed = written.range(units[header], cut=cut)
            bounds = SIGNED if name in SIGNED_METRICS else UNIT
            inside = printed if kind == "correct" else printed.meet(bounds)
            if inside is None:
                why = f"it must lie between {bounds.low} and {bounds.high}"
                why += " (100 %)" * (bounds == UNIT)
                impossible.append(Conflict(header, bounds, why))
            return inside

        names = [name for kind, name in by_place if kind == "metric"]
        known = {name: value for name in names if (value := at("metric", name)) is not None}
        classes = tuple(
            ClassFacts(v, at("precision", v), at("recall", v), at("f1", v), self.size(row, v))
            for v in self.labels
        )
        n, hits = self.items(row), at("correct")
        wrong = tuple(impossible)
        facts = TableFacts(classes, known, n, hits, self.assumptions, by_place, units, wrong)
        if facts.supports is not None and not sum(facts.supports):
            raise InputError(f"{row.name}: the sizes of the classes add up to 0, expected an item")
        return facts

    def verdict(self, row: ReportedRow, *, cut: bool = False) -> ConsistencyVerdict:
        """The verdict on a row in the units that give the fewest conflicts."""
        verdicts: list[ConsistencyVerdict] = []
        for units in self.scales.readings(row):
            verdicts.append(check(self.facts(row, units, cut), limit=self.limit))
            if not verdicts[-1].conflicts:
                break
        return min(verdicts, key=lambda one: len(one.conflicts))

    def clean(self, row: ReportedRow, *, cut: bool = False) -> bool:
        """Whether a row has no conflict."""
        return not self.verdict(row, cut=cut).conflicts

    def conflicts(self, row: ReportedRow, verdict: ConsistencyVerdict) -> tuple[Conflict, ...]:
        """The conflicts of a row by strength, given the verdict on it as written."""
        if not verdict.conflicts:
            return ()
        # A proof holds even if digits were cut off; its range is that of values as written.
        cut = self.verdict(row, cut=True).conflicts
        as_written = {c.column: c for c in verdict.conflicts}
        proofs = [as_written.get(c.column, c) for c in cut]
        relaxed = replace(self, assumptions=replace(self.assumptions, abstentions=True))
        if cut and relaxed.clean(row, cut=True):
            return tuple(replace(c, strength="weak", note=OUTSIDE, outside=True) for c in proofs)
        sure, note = {c.column for c in cut}, "unless digits were cut off instead of rounded"
        others = [c for c in verdict.conflicts if c.column not in sure]
        return *proofs, *(replace(c, strength="weak", note=note) for c in others)


def with_values(row: ReportedRow, changed: Mapping[str, PrintedNumber | None]) -> ReportedRow:
    """The row with other values, or none, in some columns."""
    scores = {h: w for h, w in {**row.scores, **changed}.items() if w is not None}
    counts = {h: n for h, n in row.counts.items() if h not in changed}
    return replace(row, scores=scores, counts=counts)
