"""Audits of reported tables: findings, likely causes, the formula of macro F1, rankings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any, TypedDict

import numpy as np

from evenhand.auditing.consistency import (
    ConsistencyVerdict,
    Examiner,
    with_values,
)
from evenhand.auditing.content import Derivation, blocks, suspicious, times, title
from evenhand.auditing.facts import UNKNOWN_RUNS, Assumptions, Conflict
from evenhand.auditing.formula import FormulaVerdict, Status, WeightedFormula, judge
from evenhand.auditing.headers import PER_CLASS, ReportedColumn
from evenhand.auditing.layout import ColumnOptions
from evenhand.auditing.numbers import COUNTED, read_number
from evenhand.auditing.ranges import UNIT, harmonic, mean_of_f1
from evenhand.auditing.reported import (
    Outside,
    ReportedRow,
    ReportedTable,
    Scales,
    SeveralLabels,
    SpreadsBeside,
    Undecided,
    Units,
    outside_intervals,
    read_source,
    read_sources,
    several_labels,
)
from evenhand.core.margins import harmonic as harmonic_mean
from evenhand.errors import InputError
from evenhand.options import AuditOptions, check_progress, whole_number, with_options
from evenhand.records import Record, known
from evenhand.results.document import Block, Content, Paragraph, Section, Table
from evenhand.results.result import Collection, Entry, Result
from evenhand.text import Cell, Grid

TRIALS = 120
"""Changes that are tried on one row."""


def likely_causes(examiner: Examiner, row: ReportedRow) -> tuple[list[str], list[str]]:
    """Columns without any one of which a row is consistent, and explanations in words."""
    columns, places, scores = examiner.source.columns, examiner.source.places, row.scores
    few = len(scores) <= TRIALS
    tried = [h for h in scores if few or columns[h].kind not in PER_CLASS]
    tried += [h for h in row.counts if columns[h].kind == "n"]
    suspects = [h for h in tried if examiner.clean(with_values(row, {h: None}))]
    pairs = [(("metric", "macro_precision"), ("metric", "macro_recall"))]
    pairs += [(("precision", v), ("recall", v)) for v in examiner.labels]
    causes = []
    for a, b in [[places.get(place, "") for place in pair] for pair in pairs[:TRIALS]]:
        differ = a in scores and b in scores and scores[a] != scores[b]
        if differ and examiner.clean(with_values(row, {a: scores[b], b: scores[a]})):
            causes.append(f"{a} and {b} look swapped")
    if len(suspects) == 1:
        causes.append(f"without {suspects[0]} the row is consistent")
    elif 1 < len(suspects) <= 4:
        causes.append(f"the row is consistent without any one of {', '.join(suspects)}")
    return suspects, causes


# Findings


class AuditFinding(Record):
    """A reported number that cannot be true, and the range it could have had.

    ``low`` and ``high`` are in the unit of ``reported``. ``strength`` is "proof" under the
    assumptions that ``message`` names, or "weak" where the number is possible if it was cut
    off instead of rounded. ``digits`` are the
    decimals that tell the range from what was printed, and ``arithmetic`` lines to redo by hand.
    """

    json_fields = "column reported low high strength message"

    column: str
    reported: str
    low: float
    high: float
    strength: str
    reason: str
    assuming: str
    digits: int = 0
    arithmetic: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The reason, and what it assumes."""
        return f"{self.reason} (assuming {self.assuming})"


def finding(
    examiner: Examiner, row: ReportedRow, units: Units, conflict: Conflict, causes: Sequence[str]
) -> AuditFinding:
    """A conflict as a finding: in the unit of the printed number, with its arithmetic."""
    column = conflict.column
    written, possible = row.scores.get(column), conflict.range.times(units.get(column, 1))
    return AuditFinding(
        column,
        str(row.counts.get(column, "")) if written is None else written.text,
        float(possible.low),
        float(possible.high),
        conflict.strength,
        "; ".join([", ".join(filter(None, (conflict.reason, conflict.note))), *causes]),
        "; ".join(examiner.assumptions.words),
        0 if written is None or examiner.is_count(column, written) else written.finer,
        tuple(Derivation(examiner, row, units, column).lines()),
    )


# Formula of the table


def formula_verdict(source: ReportedTable, rows: Sequence[ConsistencyVerdict]) -> FormulaVerdict:
    """The formula behind some rows, judged from those whose other numbers are consistent.

    None is told where headings do not say that precision and recall are macro averages: of one
    class F1 is 2PR/(P+R), and weighted averages and means of folds have it below.
    """
    agreeing = [r.question for r in rows if r.tells]
    if not agreeing and any(r.question.is_testable for r in rows):
        return FormulaVerdict(None, "inconsistent")
    verdict = judge(agreeing)
    if verdict.formula is not None and source.vague:
        return replace(verdict, formula=None, status="vague")
    return verdict


# Ranking by both macro F1s


class Reranked(Record):
    """One system under both formulas; a positive ``move`` is places won under F1 of averages."""

    json_fields = "name macro_f1 f1_of_averages rank_macro_f1 rank_f1_of_averages move"

    name: str
    macro_f1: float | None
    f1_of_averages: float | None
    rank_macro_f1: int | None
    rank_f1_of_averages: int | None

    @property
    def move(self) -> int | None:
        """Places won by going from macro_f1 to f1_of_averages."""
        if self.rank_macro_f1 is None or self.rank_f1_of_averages is None:
            return None
        return self.rank_macro_f1 - self.rank_f1_of_averages


EQUAL = 1e-12
"""Scores closer than this share a rank."""


def recompute_f1s(
    examiner: Examiner, row: ReportedRow, units: Units
) -> tuple[float | None, float | None]:
    """macro_f1 and f1_of_averages of one row, from its classes as they are printed.

    The mean of F1 is of the printed F1s, or of 2PR/(P+R) where these are not printed.
    """
    if not examiner.labels:
        return None, None
    scores = [[examiner.score(row, units, part, v) for v in examiner.labels] for part in PER_CLASS]
    p, r, f1 = (np.array([np.nan if x is None else float(x[1]) for x in each]) for each in scores)
    each = harmonic_mean(p, r) if np.isnan(f1).any() else f1
    return known(each.mean()), known(harmonic_mean(p.mean(), r.mean()))


def rank_by_both(
    names: Sequence[str], values: Sequence[tuple[float | None, float | None]]
) -> tuple[Reranked, ...]:
    """The systems ranked by both formulas, in the order of macro_f1; ties share the best rank."""

    def ranks(scores: Sequence[float | None]) -> list[int | None]:
        known = np.array([np.nan if x is None else x for x in scores])
        better = (known > known[:, None] + EQUAL).sum(axis=1).tolist()
        return [None if x is None else n + 1 for x, n in zip(scores, better, strict=True)]

    first, second = zip(*values, strict=True)
    rows = map(Reranked, names, first, second, ranks(first), ranks(second))
    last = len(names) + 1
    order = sorted(rows, key=lambda r: (r.rank_macro_f1 or last, r.rank_f1_of_averages or last))
    return tuple(order)


# Audit of one table

EXPLAINED = 100
"""Rows whose findings are also searched for a likely cause."""


class AuditedSystem(Entry):
    """One row: the formulas that fit its macro F1, the judgement on it alone, and its findings.

    ``unknown`` says that the search for its tables ended undecided: nothing was found wrong,
    and not everything was tried. ``suspects`` are the columns without any one of which a row with
    findings would be consistent. ``outside`` says that predictions outside the classes would
    explain the row.
    """

    json_fields = "name formula verdict strength ok findings"

    name: str
    formula: tuple[str, ...]
    findings: tuple[AuditFinding, ...]
    judgement: FormulaVerdict
    unknown: bool = False
    suspects: tuple[str, ...] = ()
    outside: bool = False

    @property
    def verdict(self) -> str | None:
        """The formula that this row alone tells; none where it leaves it open."""
        return self.judgement.formula

    @property
    def strength(self) -> float | None:
        """How many times as probable the best formula makes this row as all others do."""
        return self.judgement.candidates[0].strength if self.judgement.candidates else None

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class CandidateSummary(TypedDict):
    """A formula, and how well it explains the rows."""

    formula: str
    explained: int
    exact: int
    strength: float


class AuditSummary(TypedDict):
    """The audit in numbers."""

    systems: int
    with_findings: int
    findings: int
    proofs: int
    weak: int
    formula: str | None
    status: Status
    strength: str
    candidates: tuple[CandidateSummary, ...]
    tested: int
    unexplained: list[str]
    unknown: list[str]
    unused: list[str]
    assumptions: list[str]


class Audit(Collection[str, AuditedSystem], Result):
    """The audit of a table: its systems, the formula behind its macro F1, its assumptions.

    ``ranking`` is there if asked for, or where the two macro F1s rank the systems differently.
    ``judgement`` is on all rows whose macro F1 can be tested; ``unexplained`` are those that the
    formula it names does not explain.

    >>> import evenhand as eh
    >>> row = {"name": "ours", "macro_precision": "0.7", "macro_recall": "0.5", "macro_f1": "0.9"}
    >>> found = eh.audit([row])
    >>> list(found), found.ok
    (['ours'], False)
    """

    systems: tuple[AuditedSystem, ...]
    judgement: FormulaVerdict
    tested: int
    unexplained: tuple[str, ...]
    unused: tuple[str, ...]
    assumptions: Assumptions
    ranking: tuple[Reranked, ...] | None = None
    columns: tuple[ReportedColumn, ...] = ()
    printed: tuple[ReportedRow, ...] = ()

    json_fields = "columns(header=heading taken_for) systems summary ranking?"

    @property
    def parts(self) -> dict[str, AuditedSystem]:
        """The systems by name."""
        return {s.name: s for s in self.systems}

    @property
    def formula(self) -> str | None:
        """The formula behind the table's macro F1; none where it is unclear."""
        return self.judgement.formula

    @property
    def ok(self) -> bool:
        """Whether nothing was found in any row."""
        return all(s.ok for s in self.systems)

    @property
    def summary(self) -> AuditSummary:
        """The audit in numbers."""
        findings = [f for s in self.systems for f in s.findings]
        proofs = sum(f.strength == "proof" for f in findings)
        return {
            "systems": len(self.systems),
            "with_findings": sum(not s.ok for s in self.systems),
            "findings": len(findings),
            "proofs": proofs,
            "weak": len(findings) - proofs,
            "formula": self.formula,
            "status": self.judgement.status,
            "strength": self.judgement.strength,
            "candidates": self.judgement.select("candidates")["candidates"],
            "tested": self.tested,
            "unexplained": list(self.unexplained),
            "unknown": [s.name for s in self.systems if s.unknown],
            "unused": list(self.unused),
            "assumptions": list(self.assumptions.words),
        }

    def content(self) -> Content:
        """The formula, the findings and why, the ranking, what all of it assumes."""
        return Content(title(self), blocks(self), self._data, warnings=self.warning_lines)

    def _data(self) -> Grid:
        """One row a finding, and one for each system without."""
        nothing: list[Cell] = ["", "", None, None, "", ""]
        rows: list[list[Cell]] = []
        for s in self.systems:
            start = (s.name, "; ".join(s.formula), "yes" if s.ok else "no")
            findings = [[*f.to_dict().values()] for f in s.findings]
            rows += [[*start, *cells] for cells in findings or [nothing]]
        return Grid(["name", "formula", "ok", *AuditFinding.json_fields.split()], rows)


@with_options(AuditOptions)
def audit(data: Any, options: AuditOptions) -> Audit:
    """Which formula is behind each reported macro F1, and which numbers cannot be true.

    ``data`` is a document with one table (CSV, LaTeX, Markdown, HTML, Excel, text copied from a
    PDF, what scikit-learn and caret print): its file or its text; a data frame; or a list of
    dictionaries, one system a row, with keys ``name``, metrics, ``precision[LABEL]``,
    ``recall[LABEL]``, ``f1[LABEL]``, ``support[LABEL]``, ``n`` and ``correct``. ``meanings`` says
    what headings mean that cannot be guessed. ``support`` gives
    class sizes once for all rows. ``runs``: the scores are means of so many runs, 1 unless a
    spread is printed beside them. ``multilabel``: items may have several labels; unless said, the
    table's own micro averages tell. ``abstentions``: predictions may be outside the classes.
    ``complete=False``: there are more classes than those listed. ``limit`` bounds the search for
    tables in each row.

    Reference: Opitz & Burst 2019 for the two formulas; what is checked, and what each check
    assumes, stands in docs/audit.md.

    >>> row = {"macro_precision": "0.725", "macro_recall": "0.5667", "macro_f1": "0.6042"}
    >>> audit([row]).systems[0].formula
    ('macro_f1',)
    """
    source = read_source(data, ColumnOptions.checked(options.meanings, options.support))
    return _audited(source, options)


def _audited(source: ReportedTable, options: AuditOptions) -> Audit:
    runs, multilabel, progress = options.runs, options.multilabel, options.progress
    check_progress(progress)
    notes = source.notes
    if runs is not None:
        notes = tuple(note for note in notes if not isinstance(note, SpreadsBeside))
    runs = runs or (UNKNOWN_RUNS if source.varying else 1)
    if multilabel is None:
        multilabel = not options.abstentions and several_labels(source)
        notes = (*notes, SeveralLabels()) if multilabel else notes
    assumptions = Assumptions(runs, options.abstentions, options.complete, multilabel)
    most = 10**COUNTED - 1
    support = options.support or {}
    sizes = {str(k): whole_number(n, "support", 0, most) for k, n in support.items()}
    examiner = Examiner(source, Scales(source), sizes, assumptions, options.limit)
    rows: list[ConsistencyVerdict] = []
    for row in source.rows:
        rows.append(examiner.verdict(row))
        if progress is not None:
            progress(len(rows), len(source.rows))
    judgement = formula_verdict(source, rows)
    systems = tuple(_systems(examiner, rows, judgement.formula))
    names = [row.name for row in source.rows]
    pairs = zip(source.rows, rows, strict=True)
    values = [recompute_f1s(examiner, row, r.facts.units) for row, r in pairs]
    # What a ranking is made of must not be proved false.
    wrong = [[f.column for f in s.findings if f.strength == "proof"] for s in systems]
    of_class = {h for h, c in source.columns.items() if c.kind in PER_CLASS}
    values = [(None, None) if of_class & {*w} else v for v, w in zip(values, wrong, strict=True)]
    ranking = rank_by_both(names, values)
    ranked = ranking if options.rerank or any(r.move for r in ranking) else None
    for warning, what in ((Undecided, "unknown"), (Outside, "outside")):
        concerned = tuple(s.name for s in systems if getattr(s, what))
        notes = (*notes, warning(concerned)) if concerned else notes
    tested = sum(r.tells for r in rows)
    missed = tuple(name for name, r in zip(names, rows, strict=True) if r.misses(judgement.formula))
    verdict = (systems, judgement, tested, missed, source.unused, assumptions, ranked)
    columns = tuple(source.columns.values())
    return Audit(*verdict, columns, source.rows, cautions=notes)


def _systems(
    examiner: Examiner, verdicts: Sequence[ConsistencyVerdict], formula: str | None
) -> Iterator[AuditedSystem]:
    """Each row's findings under the formula of the table, with likely causes."""
    explained = 0
    for row, verdict in zip(examiner.source.rows, verdicts, strict=True):
        units, fits = verdict.facts.units, verdict.question.fitting
        suspects, causes = list[str](), list[str]()
        graded = (*examiner.conflicts(row, verdict), *outside_intervals(row, units))
        conflicts = replace(verdict, conflicts=graded).conflicts_under(formula)
        if verdict.conflicts and conflicts and explained < EXPLAINED:
            explained += 1
            suspects, causes = likely_causes(examiner, row)
            # What is no suspect merely follows from one that is.
            conflicts = [c for c in conflicts if c.column in suspects] or conflicts
        alone = formula_verdict(examiner.source, [verdict])
        findings = tuple(finding(examiner, row, units, c, causes) for c in conflicts)
        further = verdict.unknown, tuple(suspects), any(c.outside for c in graded)
        yield AuditedSystem(row.name, fits, findings, alone, *further)


# Audit of every table in a document


class Audits(Collection[str, Audit], Result):
    """The audits of the tables of a document, by their captions.

    >>> import evenhand as eh
    >>> text = "| Model | P | R | F1 |\\n|---|---|---|---|\\n| ours | 70.0 | 50.0 | 90.0 |\\n"
    >>> found = eh.audits(text)
    >>> list(found), found.ok
    (['table 1'], False)
    """

    tables: tuple[tuple[str, Audit], ...]

    @property
    def parts(self) -> dict[str, Audit]:
        """The audits by caption; captions that come twice are numbered."""
        by_caption: dict[str, Audit] = {}
        for caption, one in self.tables:
            names = chain([caption], (f"{caption} ({i})" for i in count(2)))
            by_caption[next(name for name in names if name not in by_caption)] = one
        return by_caption

    @property
    def ok(self) -> bool:
        """Whether nothing was found in any table."""
        return all(one.ok for _, one in self.tables)

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand audit --format json`` prints of several tables."""
        return {"tables": [{"caption": c} | one.to_dict() for c, one in self.items()]}

    def content(self) -> Content:
        """One section a table."""
        sections = []
        for i, (caption, one) in enumerate(self.items(), 1):
            inner = one.content()
            title = f"{caption}: {inner.title}"
            sections.append(Section(f"table-{i}", caption, title, inner.parts))
        title = suspicious(sum(not a.ok for a in self.values()), len(self.tables), "table")
        return Content(title, sections, self._data, warnings=self.warning_lines)

    def _data(self) -> Grid:
        """The rows of every table after each other."""
        grids = [(caption, one.content().data()) for caption, one in self.items()]
        rows: list[list[Cell]] = [[caption, *row] for caption, grid in grids for row in grid.rows]
        return Grid(["table", *grids[0][1].columns], rows)


@with_options(AuditOptions)
def audits(data: Any, options: AuditOptions) -> Audits:
    """The audit of every table in a document: a file, its text, or ``-`` for standard input.

    Takes what ``audit`` takes, with the same options for all tables: ``multilabel``,
    ``abstentions``, ``complete`` and the others.

    >>> audits([{"name": "ours", "accuracy": "0.7", "micro_f1": "0.7"}]).ok
    True
    """
    sources = read_sources(data, ColumnOptions.checked(options.meanings, options.support))
    return Audits(tuple((s.caption, _audited(s, options)) for s in sources))


def single(document: Audits) -> Audit | Audits:
    """The only audit, where a document has one table."""
    return document.tables[0][1] if len(document.tables) == 1 else document


# Formula behind one precision, recall and macro F1

_WORDS = {
    "macro_f1": "the mean of the per-class F1 (macro_f1)",
    "f1_of_averages": "the F1 of macro precision and macro recall (f1_of_averages)",
}


class Which(Collection[str, tuple[float, float]], Result):
    """One triple: its formula if that can be told, and where each formula's value can lie.

    ``digits`` are the decimals that tell these places from what was printed.

    >>> which("0.725", "0.5667", "0.6361")["macro_f1"][1] >= 0.636
    True
    """

    json_fields = """precision recall f1 formula status strength candidates macro_f1 f1_of_averages
    message ok"""

    precision: str
    recall: str
    f1: str
    judgement: FormulaVerdict
    macro_f1: tuple[float, float]
    f1_of_averages: tuple[float, float]
    message: str
    digits: int = 4

    @property
    def formula(self) -> str | None:
        """The formula; none where it is unclear."""
        return self.judgement.formula

    @property
    def status(self) -> str:
        """Whether a formula is named, and if not, why."""
        return self.judgement.status

    @property
    def strength(self) -> str:
        """The evidence for the formula in a word."""
        return self.judgement.strength

    @property
    def candidates(self) -> tuple[WeightedFormula, ...]:
        """Each formula with how well it explains the triple."""
        return self.judgement.candidates

    @property
    def ok(self) -> bool:
        """Whether some formula fits."""
        return any(c.explained for c in self.candidates)

    @property
    def parts(self) -> dict[str, tuple[float, float]]:
        """Where the value of each formula can lie."""
        return {"macro_f1": self.macro_f1, "f1_of_averages": self.f1_of_averages}

    def content(self) -> Content:
        """The formula in words, and where the value of each can lie."""
        words = {c.formula: "fits" if c.explained else "does not fit" for c in self.candidates}
        rows: list[list[Cell]] = [[name, *ends, words[name]] for name, ends in self.items()]
        grid = Grid(["formula", "low", "high", f"reported {self.f1}"], rows)
        parts: list[Block] = [Paragraph(self.message, "verdict"), Table(grid, digits=self.digits)]
        plain = Grid(["formula", "low", "high", "fits"], rows)
        title = f"P {self.precision}, R {self.recall}, macro F1 {self.f1}"
        return Content(title, parts, lambda: plain, warnings=self.warning_lines)


def which(precision: Any, recall: Any, f1: Any, *, runs: int = 1) -> Which:
    """The formula behind a triple, from the inequality P̄+R̄−1 ≤ macro_f1 ≤ 2·P̄·R̄/(P̄+R̄).

    Values are best given as text, so that their decimals are known.

    >>> which("0.725", "0.5667", "0.6042").formula
    'macro_f1'
    >>> which("0.725", "0.5667", "0.6361").formula
    'f1_of_averages'
    >>> which("0.725", "0.5667", "0.7").formula is None
    True
    """
    row = {"macro_precision": precision, "macro_recall": recall, "macro_f1": f1}
    for name, value in row.items():
        what = name.removeprefix("macro_")
        number = read_number(str(value), what)
        if number is None or not 0 <= number.value <= 100:
            raise InputError(f"{what}: expected a share from 0 to 1 or 0 to 100 %, got {value!r}")
    source = read_source([row])
    (system,) = audit(source, runs=runs).systems
    scores = source.rows[0].scores
    units = Scales(source).readings(source.rows[0])[0]
    p, r, reported = (scores[h].range(units[h]) for h in row)
    mean = mean_of_f1(p, r)
    side = "larger than 2PR/(P+R)" if reported.low > mean.high else "smaller than P + R − 1"
    message = f"impossible: {side}, neither formula gives it"
    if system.formula:
        message = _formula_message(system.judgement)
    elif not all(UNIT.meets(one) for one in (p, r, reported)):
        message = "impossible: a score lies between 0 and 1, or between 0 and 100 %"
    both = (x.times(units["macro_f1"]) for x in (mean, harmonic(p, r) if runs == 1 else mean))
    of_mean, of_averages = ((float(x.low), float(x.high)) for x in both)
    p_text, r_text, f1_text = (scores[name].text for name in row)
    known = (system.judgement, of_mean, of_averages, message, scores["macro_f1"].finer)
    return Which(p_text, r_text, f1_text, *known)


def _formula_message(verdict: FormulaVerdict) -> str:
    if verdict.formula is not None:
        return f"{_WORDS[verdict.formula]}; the evidence is {verdict.strength}: {times(verdict)}"
    why = "both formulas fit, and the two often agree to as many digits"
    if verdict.alone is not None:
        why = f"only {_WORDS[verdict.alone]} gives them, but a misprint, digits cut off or means "
        why += "over runs are nearly as probable"
    return f"unclear from these numbers: {why}"
