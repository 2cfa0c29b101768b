"""Does an audit name the formula behind a table's macro F1, and never the wrong one?

Tables of simulated systems are printed as papers print them, in layouts that tell more or less;
the formula is known. ``python -m studies.verdicts`` writes the shares of right, undecided and
wrong verdicts into docs/audit.md.

Systems are of three kinds, none of them the audit's own model, and share leanings towards some
classes with the other systems of their table.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.audit import printed, scores_of
from benchmarks.harness import write
from evenhand.auditing.audit import audit

PAGE = Path("docs/audit.md")
TABLES = 300
TRIPLE = ("macro_precision", "macro_recall", "macro_f1")
PRINTS = ((True, 1), (True, 2), (False, 2), (False, 3), (False, 4))
"""Percent or not, and decimals."""

Kind = Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]
"""Chances of true × predicted, from class sizes and leanings."""


def _leaning(rng: np.random.Generator, size: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """Class j is taken for t with a chance ∝ exp(skill·[j = t] + lean_j)."""
    k = len(size)
    skill = rng.normal(rng.uniform(0.5, 4), rng.choice([0.1, 0.5, 1]), k) + np.log(k - 1)
    return np.exp(np.diag(skill) + lean)


def _habits(rng: np.random.Generator, size: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """Each class has a recall of its own, and what is missed goes to the same classes."""
    skill = rng.beta(*rng.choice([[3, 1.5], [30, 8], [100, 5]]), len(size))
    habit = np.exp(3 * lean)
    return np.diag(skill) + (1 - skill)[:, None] * habit / habit.sum()


def _timid(rng: np.random.Generator, size: np.ndarray, lean: np.ndarray) -> np.ndarray:
    """What is missed goes to the largest class, so that precision is above recall elsewhere."""
    k, most = len(size), int(size.argmax())
    skill = np.clip(rng.normal(rng.uniform(0.4, 0.9), rng.choice([0.02, 0.1]), k), 0.05, 0.99)
    skill[most] = 0.98
    habit = np.exp(lean) / np.exp(lean).sum() * 0.1
    habit[most] += 0.9
    return np.diag(skill) + (1 - skill)[:, None] * habit


KINDS = (_leaning, _habits, _timid)


@dataclass(frozen=True)
class Layout:
    """What a table prints, and what kind of systems it is of."""

    name: str
    columns: tuple[str, ...] = TRIPLE
    parts: tuple[str, ...] = ()
    sizes: bool = False
    classes: tuple[int, int] = (2, 30)
    rows: tuple[int, int] = (1, 50)
    prints: tuple[tuple[bool, int], ...] = PRINTS
    leaning: tuple[float, ...] = (0.05, 0.3, 1.0)
    kinds: tuple[Kind, ...] = KINDS
    misprint: bool = False
    """One macro F1 of each table is not what the formula gives."""
    some: bool = False
    """The mean of F1 is over some of the classes only."""
    runs: int = 1
    """The scores are means over so many runs, and the table does not say so."""
    times: int = 1
    """As many times the number of tables, where they are small."""


ALL = ("precision", "recall", "f1")
LAYOUTS = (
    Layout("P, R, F1"),
    Layout("P, R, F1; one row", rows=(1, 1), times=4),
    Layout("P, R, F1; 20 to 50 rows", rows=(20, 50)),
    Layout("P, R, F1; 2 classes", classes=(2, 2)),
    Layout("P, R, F1; 10 to 30 classes", classes=(10, 30)),
    Layout("P, R, F1; small gaps", leaning=(0.01, 0.05), kinds=(_leaning,)),
    Layout("P, R, F1; large gaps", leaning=(1.0, 1.5)),
    Layout("P, R, F1; percent, 1 decimal", prints=((True, 1),)),
    Layout("P, R, F1; 4 decimals", prints=((False, 4),)),
    Layout("P, R, F1, accuracy, kappa, MCC", (*TRIPLE, "accuracy", "kappa", "mcc")),
    Layout("P, R, F1, accuracy; class sizes", (*TRIPLE, "accuracy"), sizes=True),
    Layout("P, R, F1; of classes too", parts=ALL),
    Layout("P, R, F1; of classes too; class sizes", parts=ALL, sizes=True),
    Layout("F1; P, R of classes; class sizes", ("macro_f1",), ("precision", "recall"), True),
    Layout("F1; recalls of classes; class sizes", ("macro_f1",), ("recall",), True),
    Layout("P, R, F1; recalls of classes; class sizes", TRIPLE, ("recall",), True),
    Layout("F1; F1 of classes", ("macro_f1",), ("f1",)),
    Layout(
        "F1; F1 of classes; small gaps",
        ("macro_f1",),
        ("f1",),
        leaning=(0.01, 0.05),
        kinds=(_leaning,),
        times=3,
    ),
    Layout("F1, accuracy", ("macro_f1", "accuracy")),
    Layout("P, R, F1; one misprint", rows=(3, 30), misprint=True, times=3),
    Layout("P, R, F1; of classes too; one misprint", parts=ALL, rows=(3, 30), misprint=True),
    Layout(
        "F1; F1 of classes; one misprint",
        ("macro_f1",),
        ("f1",),
        rows=(3, 30),
        misprint=True,
        times=3,
    ),
    Layout(
        "F1; F1 of classes; over some", ("macro_f1",), ("f1",), classes=(3, 6), some=True, times=3
    ),
    Layout(
        "F1, accuracy; F1 of classes; over some",
        ("macro_f1", "accuracy"),
        ("f1",),
        classes=(3, 6),
        some=True,
        times=3,
    ),
    Layout("P, R, F1; means of 3 runs", runs=3),
    Layout("P, R, F1; means of 5 runs; 4 decimals", runs=5, prints=((False, 4),)),
    Layout("P, R, F1; means of 5 runs; 20 to 50 rows", runs=5, rows=(20, 50)),
    Layout("P, R, F1; of classes too; means of 5 runs", parts=ALL, runs=5),
)
OFF = (0.003, 0.01, 0.03, 0.09)
"""How far off a misprint is."""
SHARED = (0.0, 0.7, 0.95)
"""Shares of the items that all runs of a system answer alike."""


def a_table(rng: np.random.Generator, layout: Layout) -> tuple[list[dict[str, str]], str]:
    """A table as it is printed, and the formula of its macro F1."""
    k = round(np.exp(rng.uniform(*np.log(layout.classes))))
    n = int(np.exp(rng.uniform(np.log(50 * k), np.log(1000 * k))))
    size = rng.multinomial(n - 2 * k, rng.dirichlet(np.full(k, rng.choice([0.7, 3, 100])))) + 2
    percent, decimals = layout.prints[rng.integers(len(layout.prints))]
    formula = str(rng.choice(["macro_f1", "f1_of_averages"]))
    kind = layout.kinds[rng.integers(len(layout.kinds))]
    spread = rng.choice(layout.leaning)
    shared = rng.normal(0, spread, k) * rng.choice([0, 0.5, 1])
    shared += np.log(size / n) * rng.choice([0, 0, 0.3])  # large classes are favoured
    own = rng.choice([0.03, 0.3, 1])  # variants of one system, or systems of many authors
    rows = []
    count = round(np.exp(rng.uniform(*np.log(layout.rows))))
    wrong = rng.integers(count) if layout.misprint else -1
    kept, alike = list(range(k)), True  # alike: the mean over all classes has the same digits
    if layout.some:
        left = sorted(rng.choice(k, 1 if k == 3 else rng.integers(1, 3), replace=False).tolist())
        kept = [c for c in range(k) if c not in left]
        formula = f"macro_f1 without {', '.join(map(str, left))}"
    for i in range(count):
        chance = kind(rng, size, shared + rng.normal(0, spread, k) * own)
        chance /= chance.sum(1, keepdims=True)
        cells = np.stack([_cells(rng, size, chance)])
        if layout.runs > 1:
            alike_in_all = (size * rng.choice(SHARED)).astype(int)
            own_answers = [_cells(rng, size - alike_in_all, chance) for _ in range(layout.runs)]
            cells = _cells(rng, alike_in_all, chance) + np.stack(own_answers)
        outside = np.zeros(k, dtype=int)
        of_runs = [scores_of(np.column_stack([m, outside]), "listed", 0) for m in cells]
        scores = {c: sum(run[c] for run in of_runs) / len(of_runs) for c in of_runs[0]}
        scores["macro_f1"] = scores["mean" if formula == "macro_f1" else "f1_of_averages"]
        if layout.some:
            scores["macro_f1"] = sum(scores[f"f1[{c}]"] for c in kept) / len(kept)
            value = printed(scores["mean"], decimals, percent, ROUND_HALF_EVEN)
            alike &= value == printed(scores["macro_f1"], decimals, percent, ROUND_HALF_EVEN)
        if i == wrong:
            off = Fraction(str(rng.choice(OFF))) * int(rng.choice([-1, 1]))
            scores["macro_f1"] = min(max(scores["macro_f1"] + off, Fraction(0)), Fraction(1))
        shown = [*layout.columns, *(f"{part}[{c}]" for part in layout.parts for c in range(k))]
        row = {c: printed(scores[c], decimals, percent, ROUND_HALF_EVEN) for c in shown}
        sizes = {f"support[{c}]": str(s) for c, s in enumerate(size)} if layout.sizes else {}
        rows.append({"name": f"system {i}"} | row | sizes)
    return rows, "macro_f1" if layout.some and alike else formula


def _cells(rng: np.random.Generator, size: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """A table of so many items of each class."""
    return np.array([rng.multinomial(s, p) for s, p in zip(size, chance, strict=True)])


def verdicts(layout: Layout, tables: int, seed: int) -> Counter[str]:
    """How many verdicts are right, undecided and wrong, and where the only formula that fits
    every row is the true one, or, because of a misprint, another.
    """
    tally: Counter[str] = Counter()
    for i in range(tables * layout.times):
        rows, truth = a_table(np.random.default_rng([seed, LAYOUTS.index(layout), i]), layout)
        found = audit(rows)
        kind = "right" if found.formula == truth else "wrong" if found.formula else "undecided"
        tally[kind] += 1
        tally[f"{kind}, {truth.split()[0]}"] += 1
        tally["findings"] += not found.ok
        if found.judgement.alone:
            only = "true" if found.judgement.alone == truth else "other"
            tally[f"only {only}"] += 1
            tally[f"only {only}, named"] += found.formula == found.judgement.alone
    return tally


HEAD = (
    "| table prints | tables | mean of F1: right | undecided | wrong | F1 of averages: right "
    "| undecided | wrong | only the true one fits: named | only another fits: named |"
)


def line(layout: Layout, tally: Counter[str]) -> str:
    """A row of the published table."""
    cells = []
    for truth in ("macro_f1", "f1_of_averages"):
        kinds = ("right", "undecided", "wrong")
        counts = [tally[f"{kind}, {truth}"] for kind in kinds]
        cells += [f"{100 * c / sum(counts):.1f} %" if any(counts) else "–" for c in counts]
    for only in ("only true", "only other"):
        of = f"{tally[f'{only}, named']:,} of {tally[only]:,}"
        cells.append(of if tally[only] else "–")
    tables = sum(tally[kind] for kind in ("right", "undecided", "wrong"))
    return f"| {layout.name} | {tables:,} | {' | '.join(cells)} |"


def main() -> None:
    """Run every layout, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=int, default=TABLES, help="for each layout")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--layout", help="only those whose name holds this; nothing is written")
    chosen = parser.parse_args()
    lines = [HEAD, "| --- |" + " ---: |" * 9]
    for layout in LAYOUTS:
        if chosen.layout is None or chosen.layout in layout.name:
            tally = verdicts(layout, chosen.tables, chosen.seed)
            lines.append(line(layout, tally))
            print(lines[-1], tally["findings"], "with findings", file=sys.stderr, flush=True)
    if chosen.layout is None:
        write(PAGE, "verdicts", "\n".join(lines))


if __name__ == "__main__":
    main()
