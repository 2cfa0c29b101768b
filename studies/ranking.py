"""``python -m studies.ranking``: do chances, rank intervals and letters hold what they promise?

Systems with known scores answer random items, and what ``rank`` says of them is held against what
is true. The tables go into docs/ranking.md. Same seed, same page, whatever the machine.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing import Pool
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the threads
import numpy as np
from scipy.special import ndtr

import evenhand as eh
from benchmarks.harness import write
from evenhand.catalogue.binding import bind, bind_all
from evenhand.inference.bootstrap import bootstrap
from evenhand.inference.permutation import pairs_of_all
from evenhand.inference.rows import Rows
from evenhand.ranking.ranks import ranks
from evenhand.ranking.runs import entries_of

PAGE = Path("docs/ranking.md")
LEVEL = 0.95
HARD = 0.5
"""How far an item that is hard for one system is hard for all: a correlation."""

SETS, PART, REPLICATES = 60, 12, 200
ITEMS, CLASSES, SIZES = 500, 4, (3, 8, 20, 40, 60)
LETTER_SETS, POWER_SETS, LETTER_PART = 2000, 100, 100
TILTS = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)
"""How far a system that guesses prefers late classes: it names the last exp(2·tilt) times as often
as the first."""


@dataclass(frozen=True)
class Systems:
    """A class mix, and for each system what it answers to each true class."""

    mix: np.ndarray
    channels: np.ndarray

    def truth(self, metric: str) -> np.ndarray:
        """What each system scores on endlessly many items."""
        cells = 1e6 * self.mix[:, None] * self.channels
        return np.array([float(getattr(eh, metric)(eh.Confusion.from_matrix(c))) for c in cells])

    def answers(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """True labels of n items, and the systems' (n × systems), often wrong on the same ones."""
        s, k, _ = self.channels.shape
        true = rng.choice(k, n, p=self.mix)
        luck = np.sqrt(HARD) * rng.normal(size=(n, 1)) + np.sqrt(1 - HARD) * rng.normal(size=(n, s))
        first = (np.arange(k) + np.arange(k)[:, None]) % k  # the right class, then the others
        shares = np.take_along_axis(self.channels, np.broadcast_to(first, (s, k, k)), axis=2)
        reached = shares.cumsum(axis=2)[:, true].swapaxes(0, 1)[..., :-1] < ndtr(luck)[..., None]
        return true, (reached.sum(axis=-1) + true[:, None]) % k


@dataclass(frozen=True)
class Design:
    """A kind of competition: how far apart the systems are."""

    name: str
    size: int

    def systems(self, rng: np.random.Generator) -> Systems:
        """Accuracies as the design has them, and preferences among the wrong classes."""
        s = self.size
        right = np.full(s, 0.7)
        match self.name:
            case "near":
                right += rng.normal(0, 0.01, s)
            case "spread":
                right += rng.normal(0, 0.03, s)
            case "even":
                right -= 0.12 * np.arange(s) / s
            case "families":  # a few good ideas, each submitted in several variants
                right += rng.normal(0, 0.03, s)[np.arange(s) % max(2, s // 5)]
                right += rng.normal(0, 0.003, s)
            case "clear winner":
                right[0] += 0.07
        skew = 0.0 if self.name == "equal" else rng.random(s)
        channels = eh.simulate.graded_errors(CLASSES, right, np.broadcast_to(skew, s))
        return Systems(eh.simulate.graded_mix(CLASSES), channels)


DESIGNS = tuple(
    Design(name, size)
    for name in ("equal", "near", "spread", "even", "families", "clear winner", "population")
    for size in SIZES
)


def population(size: int, which: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fifty thousand items of six unequal classes that each system confuses in its own way.

    With the score of each system on all of them.
    """
    rng = np.random.default_rng([size, which])
    right = rng.normal(0.68, 0.02, size)
    own = rng.dirichlet(np.full(6, 0.5), (size, 6))
    channels = right[:, None, None] * np.eye(6) + (1 - right)[:, None, None] * own
    true, pred = Systems(eh.simulate.graded_mix(6), channels).answers(rng, 50_000)
    return true, pred, np.array([eh.macro_f1(true, p) for p in pred.T])


@dataclass
class Found:
    """What one data set showed: rank intervals in two ways, and everyone's chance."""

    design: Design
    best: np.ndarray
    chance: dict[str, np.ndarray]
    covers: dict[str, bool] = field(default_factory=dict)
    length: dict[str, float] = field(default_factory=dict)


def one(design: Design, seed: list[int], pool: tuple[np.ndarray, ...] | None) -> Found:
    """One competition, ranked."""
    rng = np.random.default_rng(seed)
    if pool is not None:
        at = rng.integers(0, len(pool[0]), ITEMS)
        true, pred, real = pool[0][at], pool[1][at], pool[2]
    else:
        systems = design.systems(rng)
        true, pred = systems.answers(rng, ITEMS)
        real = np.round(systems.truth("macro_f1"), 9)
    names = [f"s{i:02}" for i in range(design.size)]
    sample = eh.Sample.from_labels(true, dict(zip(names, pred.T, strict=True)))
    board = eh.rank(sample, metrics=[], replicates=REPLICATES, seed=seed[-1])
    standings = [board[name]["macro_f1"] for name in names]
    ends = {"rank": np.array([(x.rank_low, x.rank_high) for x in standings]).T}
    entries = entries_of(sample)
    kernels = bind_all(["macro_f1"], entries.tables, classes="task", undefined=0.0)
    (drawn,) = bootstrap(entries.rows, kernels, count=REPLICATES, seed=seed[-1])
    placed = ranks(drawn)
    ends["replicates"] = np.quantile(placed, [0.025, 0.975], axis=0, method="inverted_cdf")
    first = real == real.max()
    ways = ("best_low", "best_probability", "best_high")
    chance = {way: np.array([getattr(x, way) for x in standings]) for way in ways}
    found = Found(design, first / first.sum(), chance)
    low, high = 1 + (real[:, None] > real).sum(axis=0), (real[:, None] >= real).sum(axis=0)
    for way, (a, b) in ends.items():
        found.covers[way] = bool(((a <= low) & (high <= b)).all())
        found.length[way] = float((b - a + 1).mean())
    return found


@dataclass(frozen=True)
class Cell:
    """Equal systems that prefer different classes: how often letters tell any two apart."""

    metric: str
    k: int
    n: int
    better: float = 0.0
    """By how much one more system is more accurate, for the power."""

    def systems(self) -> Systems:
        """Right, or a guess that is tilted to early or late classes; equal by the metric."""
        mix = eh.simulate.graded_mix(self.k)
        guess = np.exp(2 * np.array(TILTS)[:, None] * np.arange(self.k) / self.k)
        guess = eh.simulate.random_guess(guess / guess.sum(axis=1, keepdims=True))
        even = guess[TILTS.index(0.0)]
        aim = Systems(mix, self._channel(0.6, even)[None]).truth(self.metric)[0]
        low, high = np.zeros(len(TILTS)), np.ones(len(TILTS))
        for _ in range(40):
            middle = (low + high) / 2
            below = Systems(mix, self._channel(middle, guess)).truth(self.metric) < aim
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        channels = self._channel(low, guess)
        if self.better:
            channels = np.concatenate([channels, self._channel(0.6 + self.better, even)[None]])
        return Systems(mix, channels)

    def _channel(self, right: np.ndarray | float, guess: np.ndarray) -> np.ndarray:
        share = np.asarray(right)[..., None, None]
        return share * np.eye(self.k) + (1 - share) * guess


CELLS = tuple(
    Cell(metric, k, n) for metric in ("macro_f1", "macro_precision") for k in (3, 10, 20)
    for n in (300, 500, 2000)
)  # fmt: skip


def apart(cell: Cell, systems: Systems, seed: list[int]) -> tuple[bool, float]:
    """Whether any two equal systems get different letters; the share told from the better one."""
    true, pred = systems.answers(np.random.default_rng(seed), cell.n)
    one = np.ones(cell.n)
    rows = Rows(cell.k, true, pred, one, one, one.astype(int))
    table = eh.Confusion.from_labels(np.arange(cell.k), np.arange(cell.k))  # every class is true
    kernels = [bind(cell.metric, table)]
    values, size = rows.values(kernels, one[None])[0][0], pred.shape[1]
    ((found, *_),) = pairs_of_all(
        rows, kernels, [values], [np.zeros(size)], [[i] for i in range(size)]
    )
    told, s = found.apart(LEVEL), len(TILTS)
    return bool(told[:s, :s].any()), float(told[s:, :s].mean()) if cell.better else 0.0


def main() -> None:
    """Run all parts and write the page's tables; ``letters`` or ``chances`` runs one of them."""
    wanted = sys.argv[1:] or ["chances", "letters"]
    with Pool(2) as pool:
        if "chances" in wanted:
            jobs = [(d, at) for d in range(len(DESIGNS)) for at in range(0, SETS, PART)]
            rows = [x for part in _done(pool.imap(_chances, jobs), len(jobs)) for x in part]
            write(PAGE, "chances", "\n".join(chances_page(rows)))
        if "letters" in wanted:
            parts = [
                (c, better, at)
                for c in range(len(CELLS))
                for better, sets in ((0.0, LETTER_SETS), (0.05, POWER_SETS))
                for at in range(0, sets, LETTER_PART)
            ]
            told = zip(parts, _done(pool.imap(_letters, parts), len(parts)), strict=True)
            write(PAGE, "letters", "\n".join(letters_page(list(told))))


def _done(parts: Iterator[object], count: int) -> Iterator[object]:
    begun = time.time()
    for done, part in enumerate(parts, 1):
        print(f"{done}/{count} {time.time() - begun:.0f} s", file=sys.stderr, flush=True)
        yield part


def _chances(job: tuple[int, int]) -> list[Found]:
    d, start = job
    design = DESIGNS[d]
    pool = population(design.size, start) if design.name == "population" else None
    return [one(design, [d, i], pool) for i in range(start, start + PART)]


def _letters(job: tuple[int, float, int]) -> list[tuple[bool, float]]:
    c, better, start = job
    cell = replace(CELLS[c], better=better)
    systems = cell.systems()
    return [
        apart(cell, systems, [c, int(better > 0), i]) for i in range(start, start + LETTER_PART)
    ]


def chances_page(rows: list[Found]) -> list[str]:
    """Calibration of P(best) and coverage of rank intervals, as Markdown."""
    lines = [
        "### P(best) and rank intervals",
        "",
        f"`make ranking-study`: {SETS} data sets of {ITEMS} items a row, {CLASSES} unequal "
        f"classes, macro_f1, {REPLICATES} replicates; items hard for one system are hard for all "
        f"(correlation {HARD:g}). *Equal*: the same accuracy of 0.7; *near* and *spread*: "
        "accuracies with a standard deviation of 0.01 and 0.03; *even*: from 0.70 down to 0.58 in "
        "equal steps; *families*: one to each five systems, 0.03 apart, 0.003 within; *clear "
        "winner*: one is 0.07 above the rest; *population*: items drawn from "
        f"{SETS // PART} sets of 50,000 of six classes, each system with confusions of its own. "
        "All but the equal ones predict at different rates. Of the leader: both ends of P(best) "
        "and `best_probability` between them, on average, and how often it is *truly best* (1/m "
        "for one of m equal ones; ± the Monte-Carlo standard error). Of rank intervals: how often "
        "all systems' intervals hold together, and their mean length in ranks, by paired tests and "
        "by the middle 95 % of the replicates.",
        "",
        "| design | systems | from | middle | to | truly best | all ranks: tests | replicates "
        "| length: tests | replicates |",
        "| --- | " + " | ".join(["---:"] * 9) + " |",
    ]
    for design in DESIGNS:
        own = [r for r in rows if r.design == design]
        at = [r.chance["best_probability"].argmax() for r in own]
        ways = ("best_low", "best_probability", "best_high")
        said = [[r.chance[way][i] for r, i in zip(own, at, strict=True)] for way in ways]
        best = [r.best[i] for r, i in zip(own, at, strict=True)]
        cells = [f"{np.mean(x):.2f}" for x in said]
        cells.append(f"{np.mean(best):.2f} ± {np.std(best) / np.sqrt(len(best)):.2f}")
        cells += [f"{100 * np.mean([r.covers[w] for r in own]):.1f} %" for w in own[0].covers]
        cells += [f"{np.mean([r.length[w] for r in own]):.1f}" for w in own[0].length]
        lines.append(f"| {design.name} | {design.size} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "Over all designs: where `best_probability` is in this range, how often is it so?",
        "",
        "| P(best) | systems | said | truly best | leaders | said | truly best |",
        "| --- | " + " | ".join(["---:"] * 6) + " |",
    ]
    pooled = [_pooled(rows, leaders=leaders) for leaders in (False, True)]
    for b in range(10):
        cells = [_bin(*x, b) for x in pooled]
        lines.append(f"| {b / 10:.1f} to {(b + 1) / 10:.1f} | " + " | ".join(cells) + " |")
    return lines


def _pooled(rows: list[Found], *, leaders: bool) -> tuple[np.ndarray, np.ndarray]:
    """Chances as said and how far they are true, of all systems or of the likeliest one."""
    pairs = [(r.chance["best_probability"], r.best) for r in rows]
    if leaders:
        pairs = [(c[[c.argmax()]], b[[c.argmax()]]) for c, b in pairs]
    said, true = zip(*pairs, strict=True)
    return np.concatenate(said), np.concatenate(true)


def _bin(said: np.ndarray, true: np.ndarray, b: int) -> str:
    inside = np.minimum((10 * said).astype(int), 9) == b
    if not inside.any():
        return "0 | |"
    return f"{inside.sum():,} | {said[inside].mean():.2f} | {true[inside].mean():.2f}"


def letters_page(parts: list[tuple[tuple[int, float, int], list[tuple[bool, float]]]]) -> list[str]:
    """The family-wise error of letters and their power, as Markdown."""
    lines = [
        "### Letters",
        "",
        f"How often letters tell any two of {len(TILTS)} equal systems apart, at 5 %: "
        f"{LETTER_SETS:,} data sets a cell, ± the Monte-Carlo standard error. The systems have the "
        "same score in the population but guess, where they do not know, early or late classes; "
        "the k classes are as 1, 2, …, k. *Power*: the share of them told from "
        f"a system whose accuracy is 0.05 higher, {POWER_SETS} data sets.",
        "",
        "| metric | classes | items | any equal pair told apart | power |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for c, cell in enumerate(CELLS):
        false = [x for (at, better, _), rows in parts if at == c and not better for x, _ in rows]
        power = [x for (at, better, _), rows in parts if at == c and better for _, x in rows]
        rate = float(np.mean(false))
        error = np.sqrt(rate * (1 - rate) / len(false))
        lines.append(
            f"| {cell.metric} | {cell.k} | {cell.n:,} | {100 * rate:.1f} ± {100 * error:.1f} % "
            f"| {100 * np.mean(power):.0f} % |"
        )
    return lines


if __name__ == "__main__":
    main()
