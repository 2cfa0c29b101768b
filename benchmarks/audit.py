"""How often an audit finds a wrong digit, and whether it ever blames an honest table.

    python -m benchmarks.audit --honest 10000     zero false alarms over random honest tables
    python -m benchmarks.audit --honest 10000 --through latex     the same, printed and read again
    python -m benchmarks.audit --seeded 40        one wrong digit in one of 50 rows: how many found
    python -m benchmarks.audit --speed            1,000 systems × 10 classes

Everything about the honest tables is exact: margins are integers, scores are fractions, and the
rounding is decimal. They are made here without any of the code that audits them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import numpy as np

from benchmarks.printed import LABELS, WRITERS, written
from evenhand.auditing.audit import audit, audits
from evenhand.errors import InputError

FORMULAS = ("macro_f1", "f1_of_averages", "weighted_f1", "micro_f1", "weighted_f1_of_averages")


@dataclass(frozen=True)
class Honest:
    """A table that was made from real counts, and how to audit it."""

    rows: list[dict[str, str]]
    options: dict
    formula: str


def printed(x: Fraction | float, decimals: int, percent: bool, half: str) -> str:
    """A score as a paper prints it."""
    with localcontext() as context:
        context.prec = 60
        value = (
            Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else Decimal(x)
        )
        value *= 100 if percent else 1
        return str(value.quantize(Decimal(1).scaleb(-decimals), rounding=half))


def scores_of(cells: np.ndarray, rule: str, worth: int) -> dict[str, Fraction | float]:
    """Every score of one table (rows = true; the last column is outside), exactly."""
    k = len(cells)
    correct = [int(cells[i, i]) for i in range(k)]
    bias = [int(b) for b in cells[:, :k].sum(0)]
    size = [int(s) for s in cells.sum(1)]
    n = sum(size)

    def ratio(a: int, b: int) -> Fraction:
        return Fraction(a, b) if b else Fraction(worth)

    p = [ratio(c, b) for c, b in zip(correct, bias, strict=True)]
    r = [ratio(c, s) for c, s in zip(correct, size, strict=True)]
    f = [ratio(2 * c, b + s) for c, b, s in zip(correct, bias, size, strict=True)]
    kept = [i for i in range(k) if size[i] or (rule == "seen" and bias[i]) or rule == "listed"]
    found: dict[str, Fraction | float] = {}
    for i in range(k):
        found |= {f"precision[{i}]": p[i], f"recall[{i}]": r[i], f"f1[{i}]": f[i]}

    def mean(x: list[Fraction]) -> Fraction:
        return sum(x[i] for i in kept) / Fraction(len(kept))

    def weighted(x: list[Fraction]) -> Fraction:
        return sum(v * s for v, s in zip(x, size, strict=True)) / Fraction(n)

    def harmonic(a: Fraction, b: Fraction) -> Fraction:
        return 2 * a * b / (a + b) if a + b else Fraction(0)

    hits = sum(correct)
    found["accuracy"] = found["micro_recall"] = found["weighted_recall"] = Fraction(hits, n)
    found["micro_precision"] = ratio(hits, sum(bias))
    found["micro_f1"] = Fraction(2 * hits, sum(bias) + n)
    found["macro_precision"], found["macro_recall"], found["mean"] = mean(p), mean(r), mean(f)
    found["f1_of_averages"] = harmonic(mean(p), mean(r))
    found["weighted_precision"], found["weighted_f1"] = weighted(p), weighted(f)
    found["weighted_f1_of_averages"] = harmonic(weighted(p), Fraction(hits, n))
    chance = sum(b * s for b, s in zip(bias, size, strict=True))
    found["kappa"] = ratio(n * hits - chance, n * n - chance)
    outside = n - sum(bias)
    spread = (n * n - sum(s * s for s in size)) * (
        n * n - sum(b * b for b in bias) - outside * outside
    )
    found["mcc"] = (n * hits - chance) / float(spread) ** 0.5 if spread else Fraction(worth)
    return found


def a_table(rng: np.random.Generator, size: np.ndarray, *, outside: bool) -> np.ndarray:
    """Cells of one system on a test set with classes of these sizes."""
    k = len(size)
    skill = rng.beta(3, 1.5, k) * rng.choice([1, 0.3, 1, 1])
    habit = rng.dirichlet(np.full(k, rng.choice([0.2, 1.0, 5.0])))
    lost = rng.uniform(0, 0.2) if outside else 0
    cells = np.zeros((k, k + 1), dtype=np.int64)
    for t in range(k):
        share = np.append((1 - skill[t]) * habit * (1 - lost), lost * (1 - skill[t]))
        share[t] += skill[t]
        cells[t] = rng.multinomial(int(size[t]), share / share.sum())
    return cells


def an_honest_table(
    rng: np.random.Generator,
    *,
    systems: int | None = None,
    k: int | None = None,
    n: int | None = None,
    decimals: int | None = None,
    percent: bool | None = None,
    supports: bool | None = None,
    runs: int | None = None,
    columns: str | None = None,
) -> Honest:
    """A table of reported scores as an honest author would print it; what is not given is drawn."""
    k = k or int(rng.integers(2, 21))
    n = n or int(np.exp(rng.uniform(np.log(20), np.log(20_000))))
    decimals = int(rng.integers(1, 5)) if decimals is None else decimals
    percent = bool(rng.integers(2)) if percent is None else percent
    supports = bool(rng.integers(2)) if supports is None else supports
    runs = runs or (int(rng.integers(2, 11)) if rng.random() < 0.3 else 1)
    columns = columns or str(rng.choice(["all", "averages", "classes", "some"]))
    half = str(rng.choice([ROUND_HALF_UP, ROUND_HALF_EVEN]))
    rule, worth = str(rng.choice(["seen", "true", "listed"])), int(rng.random() < 0.2)
    outside = bool(rng.random() < 0.2)
    formula = str(rng.choice(FORMULAS, p=[0.4, 0.3, 0.1, 0.1, 0.1]))
    size = rng.multinomial(n, rng.dirichlet(np.full(k, rng.choice([0.5, 2.0, 20.0]))))
    shown = [f"{part}[{i}]" for part in ("precision", "recall", "f1") for i in range(k)]
    shown += ["accuracy", "macro_precision", "macro_recall", "macro_f1", "kappa", "mcc"]
    shown += ["micro_f1", "weighted_precision", "weighted_recall", "weighted_f1"]
    if columns == "averages":
        shown = [c for c in shown if "[" not in c]
    elif columns == "classes":
        shown = [c for c in shown if "[" in c or c.startswith("macro")]
    elif columns == "some":
        shown = [c for c in shown if rng.random() < 0.6] or ["accuracy"]
    if formula not in ("macro_f1", "f1_of_averages"):
        # Any of the five can be told from a row only where all of them can be worked out.
        full = columns in ("all", "classes") and supports
        formula = formula if full else "macro_f1"
    rows = []
    for i in range(systems or int(rng.integers(1, 5))):
        made = [scores_of(a_table(rng, size, outside=outside), rule, worth) for _ in range(runs)]
        mean = {c: sum(m[c] for m in made) / runs for c in made[0]}
        mean["macro_f1"] = mean["mean" if formula == "macro_f1" else formula]
        row = {"name": f"system {i}"} | {
            c: printed(mean[c], decimals, percent, half) for c in shown
        }
        rows.append(row)
    options: dict = {"runs": runs, "abstentions": outside}
    sizes = {str(i): int(s) for i, s in enumerate(size)}
    if supports and rng.integers(2):
        options["support"] = sizes
    elif supports:
        rows = [row | {f"support[{v}]": str(s) for v, s in sizes.items()} for row in rows]
    if supports or rng.integers(2):
        rows = [row | {"n": str(n)} for row in rows]
    options["complete"] = supports or columns != "some"
    return Honest(rows, options, formula)


def with_a_wrong_digit(rng: np.random.Generator, table: Honest) -> tuple[Honest, int, str]:
    """The table with one digit of one score changed."""
    at = int(rng.integers(len(table.rows)))
    row = dict(table.rows[at])
    columns = [c for c in row if c != "name" and c != "n" and not c.startswith("support")]
    column = str(rng.choice(columns))
    text = row[column]
    places = [i for i, c in enumerate(text) if c.isdigit()]
    if not text.startswith("1"):
        # A first digit that makes the score larger than 1 is no fair test.
        places = [i for i in places if i != 0 or "." not in text[:2]]
    i = int(rng.choice(places))
    digit = str(rng.choice([d for d in "0123456789" if d != text[i]]))
    row[column] = text[:i] + digit + text[i + 1 :]
    rows = [*table.rows[:at], row, *table.rows[at + 1 :]]
    return Honest(rows, table.options, table.formula), at, column


def printed_again(rng: np.random.Generator, table: Honest, style: str) -> tuple[str, dict]:
    """The table as a document, and how to audit it."""
    options = dict(table.options)
    spreads = options["runs"] > 1 and bool(rng.integers(2))
    if spreads:
        del options["runs"]
    if "support" in options:
        options["support"] = {LABELS[int(k)]: n for k, n in options["support"].items()}
    return written(rng, table.rows, style, spreads=spreads), options


def false_alarms(count: int, seed: int = 0, through: str = "") -> list[tuple[int, Honest, list]]:
    """The honest tables in which something was found; there should be none.

    ``through``: each is printed as papers do, in LaTeX, Markdown or as text of a PDF, and read
    again; half of the means over runs have a spread beside them, and nobody says how many runs.
    What cannot be read is an alarm too.
    """
    found = []
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        table = an_honest_table(rng)
        data, options = (
            printed_again(rng, table, through) if through else (table.rows, table.options)
        )
        try:
            result = audits(data, **options)
        except InputError as e:
            found.append((i, table, [str(e)]))
            continue
        if not result.ok:
            systems = [s for one in result.values() for s in one.systems]
            found.append((i, table, [f for s in systems for f in s.findings]))
        if sys.stderr.isatty() and i % 100 == 99:
            print(f"\r{i + 1:,} tables, {len(found)} false alarms", end="", file=sys.stderr)
    return found


def detection(count: int, seed: int = 0, **fixed: object) -> dict[str, float]:
    """The share of wrong digits that were found in the right row, as a proof or at all."""
    tally: Counter[str] = Counter()
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        table = an_honest_table(rng, systems=50, runs=1, **fixed)
        wrong, at, column = with_a_wrong_digit(rng, table)
        result = audit(wrong.rows, **wrong.options)
        system = result.systems[at]
        tally["found"] += not system.ok
        tally["proof"] += any(f.strength == "proof" for f in system.findings)
        tally["column"] += any(f.column == column or column in f.reason for f in system.findings)
        tally["noticed"] += not system.ok or system.name in result.unexplained
        tally["false"] += any(not s.ok for j, s in enumerate(result.systems) if j != at)
    return {name: tally[name] / count for name in ("found", "proof", "column", "noticed", "false")}


def study(count: int) -> None:
    """The detection rates, as the table in docs/audit.md."""
    names = "class sizes | columns | values | found | impossible | column named | noticed | false"
    print(f"| {names} |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for supports in (True, False):
        for columns in ("all", "classes", "averages"):
            for percent, decimals in ((False, 4), (True, 1)):
                fixed = {"supports": supports, "columns": columns, "percent": percent}
                rates = detection(count, k=5, n=2000, decimals=decimals, **fixed)
                words = f"{'percent' if percent else 'fraction'}, {decimals} decimals"
                shares = " | ".join(f"{100 * rates[r]:.0f} %" for r in rates)
                known = "known" if supports else "unknown"
                print(f"| {known} | {columns} | {words} | {shares} |", flush=True)


def speed() -> None:
    """A table of 1,000 systems × 10 classes."""
    rng = np.random.default_rng(0)
    for supports in (True, False):
        for decimals in (4, 2):
            table = an_honest_table(
                rng, systems=1000, k=10, n=2000, decimals=decimals, percent=False,
                supports=supports, runs=1, columns="all",
            )  # fmt: skip
            start, busy = time.perf_counter(), time.process_time()
            result = audit(table.rows, **table.options)
            seconds, busy = time.perf_counter() - start, time.process_time() - busy
            known = "sizes known" if supports else "sizes unknown"
            print(f"{known}, {decimals} decimals: {seconds:.1f} s ({busy:.1f} s of one core)")
            assert result.ok


def main() -> None:
    """Run the studies that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--honest", type=int, default=0, metavar="TABLES")
    parser.add_argument("--through", choices=list(WRITERS), default="")
    parser.add_argument("--seeded", type=int, default=0, metavar="TABLES", help="for each setting")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.honest:
        start = time.perf_counter()
        found = false_alarms(chosen.honest, chosen.seed, chosen.through)
        seconds = time.perf_counter() - start
        way = f" through {chosen.through}" if chosen.through else ""
        print(f"{chosen.honest:,} honest tables{way}, {len(found)} false alarms, {seconds:.0f} s")
        for i, table, findings in found[:5]:
            print(i, table.options, findings[:2])
    if chosen.seeded:
        study(chosen.seeded)
    if chosen.speed:
        speed()


if __name__ == "__main__":
    main()
