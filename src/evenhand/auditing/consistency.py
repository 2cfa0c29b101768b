"""Consistency: everything that one row must satisfy, read one way."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evenhand.auditing.attained import ATTAINED, Attained, meets, scale, spread
from evenhand.auditing.columns import PER_CLASS, SIGNED_METRICS
from evenhand.auditing.facts import ClassFacts, Conflict, Facts
from evenhand.auditing.formulas import TWINS, Question, question
from evenhand.auditing.pairs import paired
from evenhand.auditing.predict import Known, hit_rate
from evenhand.auditing.ranges import SIGNED, UNIT, Range, harmonic, hull, mean_of_f1
from evenhand.auditing.several import each_class
from evenhand.auditing.solutions import solutions
from evenhand.auditing.spans import Span, settle
from evenhand.auditing.totals import accuracy, adding_up, fitted, hit_rates, sizes_conflict

LIMIT = 100
"""Solutions that a row's search may list before it answers 'unknown'."""

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
class Verdict:
    """The conflicts of a row, the question of its macro F1, and whether the search gave up.

    ``facts`` are those that it is on; ``sound`` says that nothing but the macro F1 is in conflict.
    """

    conflicts: tuple[Conflict, ...]
    question: Question | None
    unknown: bool
    facts: Facts
    sound: bool

    @property
    def told(self) -> Question | None:
        """The question, if the rest of the row says something about it."""
        return self.question if self.question is not None and self.question.told else None


def check(facts: Facts, *, limit: int = LIMIT) -> Verdict:
    """Hold every number of a row against the others."""
    given = facts
    facts, conflicts = _possible(facts)
    several = facts.assumptions.several
    facts = each_class(facts) if several else facts
    wrong_total = sizes_conflict(facts)
    if wrong_total is not None:
        conflicts.append(wrong_total)
    supports = facts.supports
    n = facts.n if wrong_total is None else None
    if n is None and supports is not None and wrong_total is None:
        n = sum(supports)
    settled = [settle(facts, i, None if several else n) for i in range(len(facts.classes))]
    conflicts += [c for _, _, found in settled for c in found]
    share, found = accuracy(facts, n)
    conflicts += found
    spans = tuple(s for _, s, _ in settled if s is not None)
    # Averages are held against a class as it is printed where its own numbers disagree.
    pairs = zip(facts.classes, settled, strict=True)
    classes = tuple(printed if wrong else c for printed, (c, _, wrong) in pairs)
    known = Known(facts, classes, None, n, share)
    joint = not several and supports is not None and len(spans) == len(facts.classes)
    if joint and not conflicts and n is not None:
        known, found = _added_up(replace(known, spans=spans), n)
        conflicts += found
    conflicts += _against_predictions(known)
    conflicts += _pairs(facts)
    tables: list[Attained] | None = None
    unknown = False
    if joint and not conflicts and known.spans is not None and n is not None:
        found_tables = solutions(
            known.spans,
            n,
            None if share is None else share.times(n),
            abstentions=facts.assumptions.abstentions,
            limit=limit,
        )
        unknown = found_tables is None
        if found_tables is not None:
            tables, found = _on_tables(facts, [Attained(t, n) for t in found_tables])
            conflicts += found
    reported = facts.metrics.get("reported_macro_f1")
    asked = None if reported is None else question(known, reported, tables)
    if asked is not None and not asked.plain:
        asked = None
    sound = not conflicts
    if asked is not None and asked.told and not any(c.fits for c in asked.found):
        conflicts.append(_no_formula(facts, asked))
    return Verdict(tuple(conflicts), asked, unknown, given, sound)


def _possible(facts: Facts) -> tuple[Facts, list[Conflict]]:
    """What lies outside a metric's range is a conflict; the rest is cut to the range."""
    conflicts = []

    def kept(r: Range | None, column: str, bounds: Range) -> Range | None:
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
        inside = kept(r, facts.header("metric", name), bounds)
        if inside is not None:
            metrics[name] = inside
    classes = []
    for c in facts.classes:
        p, q, f = (kept(getattr(c, x), facts.header(x, c.label), UNIT) for x in PER_CLASS)
        classes.append(ClassFacts(c.label, p, q, f, c.support))
    return replace(facts, metrics=metrics, classes=tuple(classes)), conflicts


def _added_up(known: Known, n: int) -> tuple[Known, list[Conflict]]:
    """The margins made to add up, first by themselves, then with the reported hits."""
    spans = known.spans or ()
    found = adding_up(known.facts, spans, n)
    if found is not None:
        return replace(known, spans=None), [found]
    alone = _fitted(known, n, None)
    if alone is None:
        why = "no whole numbers of hits and predictions of all classes add up"
        return replace(known, spans=None), [Conflict(_largest(known.facts), UNIT, why)]
    known = _narrowed(known, alone)
    made = hull(hit_rate(known) or [UNIT])
    if known.accuracy is None or not made.meets(known.accuracy):
        return known, []
    both = _fitted(known, n, known.accuracy.times(n))
    if both is None:
        why = "no whole numbers of hits of all classes add up to it"
        return known, [Conflict(_accuracy_column(known.facts), made, why)]
    return _with_recall(_narrowed(known, both), n)


def _fitted(
    known: Known, n: int, hits: Range | None, recall: Range | None = None
) -> tuple[Span, ...] | None:
    """The margins that add up; of two classes, each with what the other leaves."""
    outside = known.facts.assumptions.abstentions
    found = fitted(known.spans or (), n, hits, outside)
    if found is None or len(found) != 2 or outside:
        return found
    return paired(known.facts.classes, found, hits, recall)


def _with_recall(known: Known, n: int) -> tuple[Known, list[Conflict]]:
    """Of two classes, hits and macro recall are the whole table: two numbers, two unknowns."""
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


def _largest(facts: Facts) -> str:
    """A column of the largest class of which something is reported."""
    order = sorted(facts.classes, key=lambda c: -(c.support or 0))
    places = ((part, c.label) for c in order for part in PER_CLASS if getattr(c, part) is not None)
    return facts.header(*next(places, ("n", "")))


def _narrowed(known: Known, spans: tuple[Span, ...]) -> Known:
    before = known.spans or ()
    classes = tuple(
        c if s is old else s.scores(c)
        for s, old, c in zip(spans, before, known.classes, strict=True)
    )
    return Known(known.facts, classes, spans, known.n, known.accuracy)


def _against_predictions(known: Known) -> list[Conflict]:
    made = known.predicted
    conflicts = []
    hits = made.get("accuracy")
    if known.accuracy and hits and not any(known.accuracy.meets(r) for r in hits):
        column = _accuracy_column(known.facts)
        conflicts.append(Conflict(column, hull(hits), _REASONS["accuracy"]))
    for name, reported in known.facts.metrics.items():
        if name in ("accuracy", "reported_macro_f1") or name not in made:
            continue
        if not any(reported.meets(r) for r in made[name]):
            why = _REASONS.get(name, "the rest of the row bounds it")
            conflicts.append(Conflict(known.facts.header("metric", name), hull(made[name]), why))
    return conflicts


def _accuracy_column(facts: Facts) -> str:
    order = ("accuracy", "micro_f1", "micro_recall", "micro_precision", "weighted_recall")
    for name in order:
        if name in facts.metrics and name in hit_rates(facts.assumptions):
            return facts.header("metric", name)
    return facts.header("correct")


def _pairs(facts: Facts) -> list[Conflict]:
    """Metrics that bound each other without any class."""
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
        made = (harmonic if single else mean_of_f1)(m["micro_precision"], m["micro_recall"])
        if not made.meets(m["micro_f1"]):
            why = "it is 2PR/(P+R) of micro precision and recall"
            conflicts.append(Conflict(facts.header("metric", "micro_f1"), made, why))
    return conflicts


def _on_tables(facts: Facts, tables: list[Attained]) -> tuple[list[Attained], list[Conflict]]:
    """The solutions that give every metric, and the first metric that leaves none."""
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


def _no_formula(facts: Facts, asked: Question) -> Conflict:
    """A macro F1 that no formula gives."""
    twins = [c for c in asked.plain if c.name in TWINS]
    why = f"no formula called macro F1 gives it ({', '.join(c.name for c in asked.plain)} tried)"
    f1 = asked.known.values("f1")
    unsized = facts.supports is None and all(c.known for c in facts.classes)
    if unsized and f1 and asked.reported.meets(hull(f1)):
        why += "; a weighted F1 would be possible, but the class sizes are not given"
    return Conflict(
        facts.header("metric", "reported_macro_f1"), hull(r for c in twins for r in c.ranges), why
    )
