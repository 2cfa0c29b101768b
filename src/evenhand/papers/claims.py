"""Claims of the founding documents: registry, shared computations, verdicts, results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from inspect import signature
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.catalogue.names import having
from evenhand.core.arrays import Array
from evenhand.core.derivatives import gradient
from evenhand.core.margins import Counts
from evenhand.core.metrics.macro import f1_gap, f1_of_averages, macro_f1
from evenhand.core.metrics.per_class import f1, precision, recall
from evenhand.core.ratio import ratio
from evenhand.errors import InputError
from evenhand.options import SEED, instance, sequence
from evenhand.properties.search import proper, scattered_tables, small_tables
from evenhand.properties.subject import subject_of
from evenhand.ranking.ranks import average_ranks
from evenhand.records import Record
from evenhand.results.document import Block, Content, FactList, Heading, Paragraph, Table
from evenhand.results.result import Collection, Result
from evenhand.simulate import even_errors, graded_errors, graded_mix, tables, uniform_guess
from evenhand.text import Cell, Grid, Look, ShownCell, counted

Cells = NDArray[Any]


@lru_cache
def sample_tables(k: int) -> Cells:
    """All small tables and some hundred larger ones, rows = true."""
    return np.concatenate([small_tables(k), scattered_tables(k, 0)])


@lru_cache
def with_every_class(k: int) -> Cells:
    """Those in which every class is true and predicted."""
    cells = sample_tables(k)
    return np.asarray(cells[proper(cells)])


def counts(cells: Any) -> Counts:
    """The margins, every class averaged."""
    return Counts.from_cells(np.asarray(cells))


def scores(metric: Callable[..., Array], cells: Any, **options: Any) -> Cells:
    """A metric's scores of a stack of tables."""
    return np.asarray(metric(counts(cells), **options))


def exact(metric: str, cells: Any) -> list[Fraction]:
    """A metric's scores of a stack of tables, in fractions."""
    values = subject_of(metric).exact(np.asarray(cells))
    assert values is not None
    return values


def twins(cells: Any) -> tuple[Cells, Cells]:
    """The F1 of averages and the mean of F1."""
    return scores(f1_of_averages, cells), scores(macro_f1, cells)


def twins_gap(m: Any) -> float:
    """How far the two are apart on one table."""
    a, b = twins(m)
    return float(a - b)


def per_class(cells: Any) -> tuple[Cells, Cells, Cells]:
    """Precision, recall and F1 of every class."""
    c = counts(cells)
    return precision(c), recall(c), f1(c)


def harmonic(p: Any, r: Any) -> Cells:
    """2pr/(p + r), 0 where both are 0."""
    return np.asarray(ratio(2 * p * r, p + r))


def gap(p: Any, r: Any) -> Cells:
    """The gap of configurations of precisions and recalls, whether a table has them or not."""
    return np.asarray(harmonic(p.mean(axis=-1), r.mean(axis=-1)) - harmonic(p, r).mean(axis=-1))


@lru_cache
def grid_tables(k: int, most: int) -> Cells:
    """Every k × k table with cells from 0 to ``most``."""
    return np.array(list(product(range(most + 1), repeat=k * k))).reshape(-1, k, k)


def with_recalls(recalls: Cells, mix: Cells, rng: np.random.Generator, *shape: int) -> Cells:
    """Tables with these recalls and class mixes, their errors spread over classes at random."""
    k = recalls.shape[-1]
    errors = rng.dirichlet(np.ones(k), (*shape, k)) * (1 - np.eye(k))
    errors *= ((1 - recalls) / errors.sum(axis=-1))[..., None]
    return np.asarray((errors + recalls[..., None] * np.eye(k)) * mix[..., None])


WORKED = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
"""The worked example of the note on weighted metrics, rows = true."""


def table_text(m: Any) -> str:
    """A table on one line."""
    return str(np.asarray(m).astype(int).tolist())


# Documents


_OUTLINES = (files("evenhand.papers") / "outlines.txt").read_text(encoding="utf-8").splitlines()
DOCUMENTS = {number: title for number, title, _ in (line.split(" | ") for line in _OUTLINES)}
"""By the number that the ids of their claims begin with."""
PLACES = {line[:3]: line.split(" | ")[2].split("; ") for line in _OUTLINES}
"""The places of each document's claims, in reading order."""


def place(document: str, where: str) -> int:
    """Where in a document a claim is made: at the longest of its places that ``where`` begins with.

    >>> place("003", "section 4, macro precision") < place("003", "appendix C.1")
    True
    """
    places = PLACES[document]
    matches = [p for p in places if re.match(rf"{re.escape(p)}(?!\w)", where)]
    if not matches:
        raise ValueError(f"the outline of {document} has no place for {where!r}")
    return places.index(max(matches, key=len))


# Opitz's (2022) notation


class TransposedTables:
    """Tables as Opitz (2022) writes them: m[i, j] is predicted i, true j; with the letters of
    appendix F, of each table and cell.
    """

    def __init__(self, m: Cells) -> None:
        self.m, self.n, self.cells = m, int(m.shape[-1]), np.swapaxes(m, -1, -2)
        self.correct = c = np.diagonal(m, axis1=-2, axis2=-1)
        self.bias, self.prevalence = b, p = m.sum(axis=-1), m.sum(axis=-2)
        sums = [x.sum(axis=-1)[..., None, None] for x in (b, c, p * b, p * p, b * b)]
        self.s, self.c, self.pb, self.pp, self.bb = sums
        self.z = b[..., None, :] + p[..., :, None]
        self.v, self.u = 2 * p[..., None, :], 2 * b[..., :, None]
        self.top = self.c * self.s - self.pb

    @classmethod
    def sample(cls) -> TransposedTables:
        """Tables without an empty class or an empty cell, so that everything has a derivative."""
        return cls(np.random.default_rng(7).integers(1, 40, (60, 3, 3)).astype(np.float64))

    def slope(self, metric: Callable[[Counts], Array]) -> Cells:
        """∂metric/∂m[i, j]."""
        return np.swapaxes(gradient(metric, counts(self.cells)).dense()[..., :-1], -1, -2)

    def off(self, x: Cells) -> Cells:
        """The entries off the diagonal."""
        return np.asarray(np.broadcast_to(x, self.m.shape)[:, ~np.eye(self.n, dtype=bool)])

    def on(self, x: Cells) -> Cells:
        """The entries on the diagonal."""
        return np.diagonal(np.broadcast_to(x, self.m.shape), axis1=-2, axis2=-1)


# Claims and their checks

Verdict = Literal[
    "holds", "holds with a remark", "misprint", "fails as printed", "rendering", "cannot be checked"
]
MODULES = ("two_macro_f1", "figures", "notes", "overview", "overview_derivations")


@dataclass(frozen=True)
class Outcome:
    """What a computation found, in words or as facts that the claim's own words have places for.

    Where no computation can decide, somebody has read the document: then it is ``by_eye``.
    """

    verdict: Verdict
    computed: str = ""
    evidence: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    by_eye: bool = False

    @property
    def basis(self) -> str:
        """What the verdict rests on."""
        return "read by eye" if self.by_eye else "computed"


Check = Callable[..., Outcome]
read_by_eye = partial(Outcome, by_eye=True)
NOT_INSTALLED = Outcome("cannot be checked", "nothing to run", "scikit-learn is not installed here")
"""The outcome of a claim that runs scikit-learn, where that cannot be."""
INPUTS: dict[str, Callable[[], Any]] = {
    "cells": partial(sample_tables, 3),
    "proper": partial(with_every_class, 3),
    "t": TransposedTables.sample,
    "sklearn": partial(import_module, "sklearn.metrics"),
}
"""What a check may ask for by name, beside a seed and what is printed."""
PREFIX = "claim_"
MARKS = ("Where: ", "Printed: ", "Correct: ")
PARAGRAPH = re.compile(rf"\n\s*\n|\n\s*(?={'|'.join(MARKS)})")
ERRATA = {
    "Errors of the document": ("misprint", "fails as printed"),
    "Damage of the text that was at hand, not the authors'": ("rendering",),
}
"""Verdicts on what is wrong, by whose fault it is."""


@dataclass(frozen=True)
class Claim:
    """One claim; ``check`` computes its outcome from what its parameters name.

    These are ``seed``; ``printed``, as stated; ``cells``, many tables of 3 classes; ``proper``,
    those in which each class is true and predicted; ``t``, some tables in Opitz's notation; and
    ``sklearn``, the metrics of scikit-learn. ``words`` are what was computed and the evidence, with
    places for the facts of the outcome.
    """

    id: str
    where: str
    claim: str
    printed: str
    correct: str
    words: tuple[str, ...]
    check: Check = field(compare=False)

    @classmethod
    def stated(cls, check: Check) -> Claim:
        """The claim that a function called ``claim_ID`` checks and its docstring states.

        After the statement come paragraphs that begin with ``Where:`` and ``Printed:``, what was
        computed and the evidence, where the computation does not word these itself, and one that
        begins with ``Correct:``, the corrected formula where that is not what was computed.
        """
        statement, *words = (" ".join(p.split()) for p in PARAGRAPH.split(check.__doc__ or ""))
        notes = dict(w.split(": ", 1) for w in words if w.startswith(MARKS))
        own = tuple(w for w in words if not w.startswith(MARKS))
        name = check.__name__.removeprefix(PREFIX).replace("_", "-")
        where, printed, correct = notes["Where"], notes["Printed"], notes.get("Correct", "")
        return cls(name, where, statement, printed, correct, own, check)

    @property
    def document(self) -> str:
        """The document that makes the claim."""
        return DOCUMENTS[self.id.partition("-")[0]]

    def outcome(self, seed: int) -> Outcome:
        """The outcome, computed now."""
        own = {"seed": seed, "printed": self.printed}
        names = signature(self.check).parameters
        if "sklearn" in names and not find_spec("sklearn"):
            return NOT_INSTALLED
        outcome = self.check(**{n: own[n] if n in own else INPUTS[n]() for n in names})
        if not outcome.facts and outcome.evidence:
            return outcome
        *computed, evidence = (text.format(**outcome.facts) for text in self.words)
        return replace(outcome, computed="".join(computed) or outcome.computed, evidence=evidence)


def judged(
    as_printed: Any,
    computed: str = "",
    evidence: str = "",
    *,
    corrected: Any = False,
    remark: Any = False,
    rendering: Any = False,
    **facts: Any,
) -> Outcome:
    """The verdict: it holds, perhaps with a remark, or another rendering of the document does, or a
    corrected form (a misprint), or it fails as printed; with the facts that the claim tells.
    """
    right: Verdict = "holds with a remark" if remark else "holds"
    wrong: Verdict = "misprint" if corrected else "rendering" if rendering else "fails as printed"
    return Outcome(right if as_printed else wrong, computed, evidence, facts)


def open_within(possible: Any, **facts: Any) -> Outcome:
    """The verdict on numbers that others only confine: outside the confines they fail."""
    return Outcome("cannot be checked" if possible else "fails as printed", facts=facts)


def items(cells: Any) -> tuple[Cells, Cells]:
    """The true and the predicted class of each item of a table."""
    true, pred = (np.repeat(x.ravel(), np.ravel(cells)) for x in np.indices(np.shape(cells)))
    return true, pred


@lru_cache
def all_claims() -> list[Claim]:
    """Every claim, in the order in which the documents make them."""
    modules = (vars(import_module(f"evenhand.papers.{module}")) for module in MODULES)
    checks = (f for names in modules for name, f in names.items() if name.startswith(PREFIX))
    return sorted(map(Claim.stated, checks), key=lambda c: (c.id[:3], place(c.id[:3], c.where)))


# Comparison of printed and computed values

CLOSE = 1e-10


def same(a: Any, b: Any, close: float = CLOSE) -> bool:
    """Whether two arrays agree everywhere."""
    return bool(np.allclose(a, b, rtol=1e-9, atol=close))


def worst(a: Any, b: Any) -> float:
    """The largest difference."""
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def equal(computed: Any, base: Any, tried: str = "", close: float = CLOSE) -> Outcome:
    """The outcome of a claim that two computations agree, on so many tables if nothing is said."""
    difference = f"largest difference {worst(computed, base):.1g}"
    tried = tried or f"{np.shape(computed)[-1]:,} tables"
    return judged(same(computed, base, close), difference, tried)


SAMPLE = "60 tables of 3 classes"


def compared(
    printed: Cells, right: Cells | None, true: Cells, fixed: str, tried: str = SAMPLE
) -> Outcome:
    """The outcome of a formula held against what is true, and of its correction."""
    text = f"{tried}: off by up to {worst(printed, true):.2g} as printed"
    text += "" if right is None else f", {worst(right, true):.1g} as corrected"
    corrected = right is not None and same(right, true)
    return judged(same(printed, true), fixed, text, corrected=corrected)


# Simulations of figures 1 to 3 of Opitz & Burst (2019)

Floats = NDArray[np.float64]
RARE = (95, 5)
SIZES = (4, 13)
DRAWS = 200
POINTS = 21
MIXES = ((95, 5), (70, 30), (85, 5, 5, 5), (40, 30, 20, 10))
"""Class mixes of figure 1b: its legend is not in the text, so these are ours."""


def random_tasks(mix: Sequence[float], *seed: int) -> tuple[Floats, Floats]:
    """Scores of uniform guesses on 1,000 data sets of 1,000 items."""
    rng, shares = np.random.default_rng(seed), np.array(mix) / sum(mix)
    simulated = tables(shares, uniform_guess(len(mix)), items=1000, draws=1000, rng=rng)
    return twins(simulated.cells)


def gaps_by_mix(mixes: Sequence[tuple[float, ...]], seed: int) -> dict[str, Floats]:
    """The gaps of random tasks, by the class mix in words."""
    names = (f"{len(mix)} classes, {' : '.join(map('{:g}'.format, mix))}" for mix in mixes)
    gaps = (np.subtract(*random_tasks(mix, seed)) for mix in mixes)
    return dict(zip(names, gaps, strict=True))


def binary_tasks(seed: int, run: int = 0) -> tuple[Floats, Floats]:
    """The tasks of figure 1a: 95 % of the items are of one class."""
    return random_tasks(RARE, seed, 1, run)


@lru_cache
def figure_1a(seed: int, run: int = 0) -> dict[str, float]:
    """What figure 1a and its text report of one run: the highest scores, and how alike they are."""
    a, b = binary_tasks(seed, run)
    return {
        "f1_of_averages": float(a.max()),
        "macro_f1": float(b.max()),
        "rms": float(np.sqrt(((a - b) ** 2).mean())),
        "pearson": float(np.corrcoef(a, b)[0, 1]),
        "spearman": spearman(a, b),
    }


def spearman(a: Any, b: Any) -> float:
    """Rank correlation; ties get their mean rank."""
    return float(np.corrcoef(average_ranks(np.stack([a, b])))[0, 1])


def correlation_p_value(r: float, n: int) -> float:
    """Two-sided p of a correlation of n pairs, by Student's t."""
    from scipy.special import stdtr

    return float(2 * stdtr(n - 2, -abs(r) * np.sqrt((n - 2) / (1 - r * r))))


@lru_cache
def grid(figure: int, k: int, *, seed: int, draws: int = DRAWS) -> Floats:
    """Gaps of figure 2 (class mix) or 3 (kind of errors): draws × skew × accuracy."""
    rng = np.random.default_rng([seed, figure, k])
    x, y = axes(k)
    if figure == 2:
        mix, channel = graded_mix(k, y[:, None]), even_errors(k, x[None, :])
    else:
        mix, channel = graded_mix(k, 0.0), graded_errors(k, x[None, :], y[:, None])
    simulated = tables(mix, channel, items=2000, draws=draws, rng=rng)
    return np.asarray(f1_gap(Counts.from_cells(simulated.cells)))


def axes(k: int) -> tuple[Floats, Floats]:
    """Accuracy from 1/k to 1, and skew from 0 to 1."""
    return np.linspace(1 / k, 1, POINTS), np.linspace(0, 1, POINTS)


def peaks(gaps: Floats) -> tuple[float, float]:
    """The largest gap on a grid: of the means over draws, and the median of single draws."""
    return float(gaps.mean(axis=0).max()), float(np.median(gaps.max(axis=(1, 2))))


# Search


def chosen(words: Sequence[str], known: Sequence[Claim]) -> list[Claim]:
    """The claims that are named by id or its beginning, and of these those with the other words.

    Words are looked for in ids, sections and claims, then also in documents (author, year, title,
    arXiv number).
    """
    ids = [w for w in map(str.lower, words) if w[:3] in DOCUMENTS]
    exact = {c.id for c in known} & set(ids)
    begun = tuple(w for w in ids if w not in exact)
    named = [c for c in known if c.id in exact or c.id.startswith(begun)] if ids else known
    others = [w for w in words if w[:3] not in DOCUMENTS]
    if not others:
        return list(named)
    own = {c.id: f"{c.id}, {c.where}: {c.claim}" for c in named}
    full_text = {c.id: f"{c.document}, {own[c.id]}; {c.printed}" for c in named}
    matching = set(having(others, own, full_text))
    return [c for c in named if c.id in matching]


# Results

HEAD = ("id", "document", "where", "claim", "verdict", "basis", "printed", "computed", "evidence")
FEW = 3
"""Claims up to which each is shown in full."""


class FormulaCell(ShownCell):
    """A formula, whose indices are lowered where that can be written."""

    formula: str
    sort: None = None

    def text(self, digits: int) -> str:
        return self.formula

    def parts(self, digits: int) -> Iterable[tuple[str, Look]]:
        for i, part in enumerate(re.split(r"_([A-Za-z0-9]{1,2})(?![A-Za-z0-9_])", self.formula)):
            yield part, "lowered" if i % 2 else "plain"


class Judged(Record):
    """A claim with its outcome.

    >>> recompute(["001-weighted-f1"])["001-weighted-f1"].outcome.computed
    '841/1309'
    """

    json_fields = """id=claim.id document=claim.document where=claim.where claim=claim.claim
    verdict=outcome.verdict basis=outcome.basis printed=claim.printed computed=outcome.computed
    evidence=outcome.evidence"""

    claim: Claim
    outcome: Outcome


class Claims(Collection[str, Judged], Result):
    """Claims with their outcomes.

    >>> found = recompute(["lemma", "monotonously"])
    >>> found["000-lemma-not-monotone"].claim.where
    'section 2, after the lemma'
    """

    judged: tuple[Judged, ...]

    json_fields = "claims=judged"

    @property
    def parts(self) -> dict[str, Judged]:
        """The claims by their id."""
        return {j.claim.id: j for j in self.judged}

    @property
    def summary(self) -> str:
        """How many claims got each verdict."""
        kinds = [j.outcome.verdict for j in self.judged]
        parts = [f"{v} {kinds.count(v)}" for v in get_args(Verdict) if v in kinds]
        eye = sum(j.outcome.by_eye for j in self.judged)
        read = f" ({eye} read by eye)" if eye else ""
        return f"{counted(len(kinds), 'claim')}{read}: {', '.join(parts)}."

    @property
    def errata(self) -> Claims:
        """The claims that a document or its rendering has wrong."""
        wrong = {verdict for verdicts in ERRATA.values() for verdict in verdicts}
        judged = tuple(j for j in self.judged if j.outcome.verdict in wrong)
        return Claims(judged, cautions=self.cautions)

    def content(self, *, full: bool | None = None, errata: bool = False) -> Content:
        """The claims by document; in full where they are few, unless ``full`` says otherwise, and
        with ``errata`` as tables of corrections, or in ``full`` as lists.

        Those that do not simply hold are always there in full, after the tables.
        """
        in_full = full or (full is None and len(self.judged) <= FEW)
        odd = [j for j in self.judged if in_full or j.outcome.verdict != "holds"]
        blocks = [block for j in odd for block in _in_full(j)]
        if errata:
            blocks = list(self._corrections(full=full or False))
        elif not in_full:
            note = Paragraph("Name a claim to see all of it.", "note")
            blocks = [*self._tables(), *blocks, note]
        return Content(self.summary, blocks, self._data, warnings=self.warning_lines)

    def _tables(self) -> Iterable[Block]:
        """One a document, with a row a claim."""
        by_document: dict[str, list[list[Cell]]] = {}
        for c, o in ((j.claim, j.outcome) for j in self.judged):
            verdict = f"{o.verdict} (read by eye)" if o.by_eye else o.verdict
            row: list[Cell] = [c.id, verdict, c.printed, o.computed, c.claim]
            by_document.setdefault(c.document, []).append(row)
        head = ["id", "verdict", "printed", "computed", "claim"]
        for document, rows in by_document.items():
            yield Table(Grid(head, rows), document, rows="claims", wide=60)

    def _corrections(self, *, full: bool) -> Iterable[Block]:
        """A row an erratum, in one table a document and kind; or a list each if ``full``."""
        head = ("where", "printed", "correct", "claim")
        documents = dict.fromkeys(j.claim.document for j in self.judged)
        for document, (kind, verdicts) in product(documents, ERRATA.items()):
            texts = [
                (c.where, c.printed, c.correct or o.computed, c.id)
                for c, o in ((j.claim, j.outcome) for j in self.judged)
                if c.document == document and o.verdict in verdicts
            ]
            name = f"{document}: {kind}"
            if texts and full:
                yield Heading(name)
                yield from (FactList([*zip(head, row, strict=True)]) for row in texts)
            elif texts:
                rows: list[list[Cell]] = [[*map(FormulaCell, row[:3]), row[3]] for row in texts]
                yield Table(Grid(head, rows), name, rows="errata", wide=110)

    def _data(self) -> Grid:
        """Every field of every claim."""
        return Grid(HEAD, [list(j.to_dict().values()) for j in self.judged])


def _in_full(j: Judged) -> list[Block]:
    fields = j.to_dict()
    return [Heading(fields.pop("id")), FactList(list(fields.items()))]


def recompute(words: Sequence[str] = (), *, seed: int = 0) -> Claims:
    """Judge the claims that are named by id or its beginning, or have the words; else all.

    Words are looked for in ids, documents (author, year, title, arXiv number), sections and claims.
    Claims about simulations draw from the seed.

    >>> recompute(["001"]).summary
    '10 claims: holds 8, holds with a remark 1, misprint 1.'
    """
    known = all_claims()
    words = [words] if isinstance(words, str) else sequence(words, "words", "words")
    for word in words:
        instance(word, str, "words", "a list of text")
    SEED.check(seed, "seed")
    selected = chosen(words, known) if words else known
    if not selected:
        documents = ", ".join(f"{key} ({d.partition(',')[0]})" for key, d in DOCUMENTS.items())
        raise InputError(
            f"no claim has {' '.join(words)!r} in its id, document, section or words: documents "
            f"are {documents}"
        )
    return Claims(tuple(Judged(c, c.outcome(seed)) for c in selected))
