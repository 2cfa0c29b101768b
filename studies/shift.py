"""``python -m studies.shift``: do predictions of scores under another class mix come true?

A classifier is trained, tested on labelled items, and taken to data with another class mix.
What the test set says about the scores there is held against the scores there. The tables go
into docs/prevalence.md. Same seed, same page, whatever the machine.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the threads
import numpy as np

import evenhand as eh
from benchmarks.harness import write
from studies import ends

PAGE = Path("docs/prevalence.md")
METRICS = ["macro_precision", "macro_f1", "mcc"]
SETS = 200
TEST = 1000
NEW = 1000
REPLICATES = 200
PART = 20


@dataclass(frozen=True)
class World:
    """Classes that are normal around their middles; training and new class mixes."""

    name: str
    k: int
    new: str

    @property
    def old_mix(self) -> np.ndarray:
        """Geometric, the first class most frequent."""
        mix = 0.7 ** np.arange(self.k)
        return mix / mix.sum()

    @property
    def new_mix(self) -> np.ndarray:
        """The other way round, or the first class rare."""
        if self.new == "turned":
            return self.old_mix[::-1]
        mix = self.old_mix.copy()
        mix[0] = 0.02
        mix[1:] *= 0.98 / mix[1:].sum()
        return mix

    @property
    def middles(self) -> np.ndarray:
        """On a circle, neighbours 2.2 standard deviations apart."""
        angle = 2 * np.pi * np.arange(self.k) / self.k
        return 1.1 / np.sin(np.pi / self.k) * np.column_stack([np.cos(angle), np.sin(angle)])

    def items(
        self, rng: np.random.Generator, n: int, mix: np.ndarray, drift: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """True classes and features; ``drift`` moves all items."""
        truth = rng.choice(self.k, n, p=mix)
        x = self.middles[truth] + rng.normal(size=(n, 2))
        return truth, x + drift


WORLDS = tuple(
    World(f"{k} classes, {words}", k, new)
    for k in (2, 4, 8)
    for new, words in (("turned", "mix turned round"), ("rare", "largest class now 2 %"))
)


class Classifier:
    """Linear discriminant analysis, trained on items."""

    def __init__(self, truth: np.ndarray, x: np.ndarray, k: int) -> None:
        self.middles = np.stack([x[truth == i].mean(axis=0) for i in range(k)])
        rest = x - self.middles[truth]
        self.inverse = np.linalg.inv(rest.T @ rest / len(x))
        self.prior = np.bincount(truth, minlength=k) / len(x)

    def probabilities(self, x: np.ndarray) -> np.ndarray:
        """Of each class, for each item."""
        gap = x[:, None] - self.middles
        score = np.log(self.prior) - np.einsum("nki,ij,nkj->nk", gap, self.inverse, gap) / 2
        p = np.exp(score - score.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)


def main() -> None:
    """Run all worlds and write the page's tables."""
    jobs = [(w, start) for w in range(len(WORLDS)) for start in range(0, SETS, PART)]
    found: dict[int, list[dict[str, float]]] = {w: [] for w in range(len(WORLDS))}
    begun = time.time()
    with Pool(2) as pool:
        for done, (w, rows) in enumerate(pool.imap_unordered(_job, jobs), 1):
            found[w] += rows
            print(f"{done}/{len(jobs)} {time.time() - begun:.0f} s", file=sys.stderr, flush=True)
    write(PAGE, "study", "\n".join(page({w: means(rows) for w, rows in found.items()})))
    write(PAGE, "ends", "\n".join(ends.page()))


def _job(job: tuple[int, int]) -> tuple[int, list[dict[str, float]]]:
    w, start = job
    world = WORLDS[w]
    rng = np.random.default_rng([w, 99])
    model = Classifier(*world.items(rng, 3000, world.old_mix), world.k)
    truth, x = world.items(rng, 1_000_000, np.full(world.k, 1 / world.k))
    table = eh.Confusion.from_labels(truth, model.probabilities(x).argmax(axis=1))
    return w, [one(world, model, table, [w, i]) for i in range(start, min(start + PART, SETS))]


def one(
    world: World, model: Classifier, population: eh.Confusion, seed: list[int]
) -> dict[str, float]:
    """One test set and one new set: errors, coverage and warnings as numbers."""
    rng = np.random.default_rng(seed)
    truth, x = world.items(rng, TEST, world.old_mix)
    while len(set(truth.tolist())) < world.k:
        truth, x = world.items(rng, TEST, world.old_mix)
    test = eh.Confusion.from_labels(
        truth, model.probabilities(x).argmax(axis=1), labels=range(world.k)
    )
    new_truth, new_x = world.items(rng, NEW, world.new_mix)
    p = model.probabilities(new_x)
    there = eh.Confusion.from_labels(new_truth, p.argmax(axis=1), labels=range(world.k))
    mix = dict(enumerate(world.new_mix.tolist()))
    real = population.calibrate(mix)
    told = eh.shift.extrapolate(test, to=mix, metrics=METRICS)
    guessed = eh.shift.estimate_prevalence(
        test,
        predicted=p,
        trained_on=dict(enumerate(model.prior.tolist())),
        metrics=METRICS,
        replicates=REPLICATES,
        seed=seed[1],
    )
    row: dict[str, float] = {}
    for m in METRICS:
        true, here, fresh = (float(getattr(eh, m)(t)) for t in (real, test, there))
        row[f"{m} realised"] = fresh
        row[f"{m} stays"] = abs(here - fresh)
        row[f"{m} stated"], row[f"{m} estimated"] = told[m].value, guessed[m].value
        row[f"{m} stated error"] = abs(told[m].value - fresh)
        row[f"{m} estimated error"] = abs(guessed[m].value - fresh)
        row[f"{m} stated covers"] = told[m].low <= true <= told[m].high
        row[f"{m} estimated covers"] = guessed[m].low <= true <= guessed[m].high
    rare = int(np.argmin(world.new_mix))
    fresh = float(eh.precision(there)[rare])
    true = float(eh.precision(real)[rare])
    expected, other = told.classes[rare].expected["precision"], guessed.classes[rare].precision
    row["rare realised"], row["rare stated"] = fresh, expected.value
    row["rare stays"] = abs(float(eh.precision(test)[rare]) - fresh)
    row["rare stated error"] = abs(expected.value - fresh)
    row["rare estimated error"] = abs(other.value - fresh)
    row["rare stated covers"] = (expected.low or 0) <= true <= (expected.high or 1)
    row["rare estimated covers"] = (other.low or 0) <= true <= (other.high or 1)
    for method in ("adjusted", "likelihood", "saerens"):
        shares = [c.shares[method] for c in guessed.classes]
        inside = [
            v.low is not None and v.high is not None and v.low <= t <= v.high
            for v, t in zip(shares, world.new_mix, strict=True)
        ]
        row[f"{method} covers"] = float(np.mean(inside))
        row[f"{method} error"] = float(
            np.mean([abs(v.value - t) for v, t in zip(shares, world.new_mix, strict=True)])
        )
    row["alarm"] = warned(guessed)
    _, moved = world.items(rng, NEW, world.new_mix, drift=1.0)
    drifted = eh.shift.estimate_prevalence(
        test,
        predicted=model.probabilities(moved),
        trained_on=dict(enumerate(model.prior.tolist())),
        metrics=METRICS[:1],
        replicates=100,
        seed=seed[1],
    )
    row["alarm at drift"] = warned(drifted)
    return row


def warned(found: eh.shift.PrevalenceEstimate) -> float:
    """Whether a test of fit is below 1 %."""
    return float(any(f.p is not None and f.p < 0.01 for f in found.fits.values()))


def means(rows: list[dict[str, float]]) -> dict[str, float]:
    """The mean of every number over the data sets, which are taken in any order."""
    return {key: float(np.mean(sorted(r[key] for r in rows))) for key in rows[0]}


def page(found: dict[int, dict[str, float]]) -> list[str]:
    """The tables, as Markdown."""
    names = {"rare": "precision of the rarest class", **{m: m for m in METRICS}}
    lines = [
        "## Does it come true?",
        "",
        f"`make shift-study`: {SETS} times a test set of {TEST:,} labelled items with the training "
        f"mix and {NEW:,} new items with another, for a linear discriminant trained once on 3,000 "
        "items of normal classes on a circle. *Error* is the mean absolute difference from the "
        "score realised on the new items: of the test set's score as it stands, of the "
        "extrapolation to the known mix, and of the one to the mix estimated from the new "
        "predictions (likelihood). *Coverage* is how often the 95 % interval holds the score of "
        "the population with the new mix.",
        "",
        "| world | score | realised | error: test score | known mix | estimated mix "
        "| coverage: known mix | estimated mix |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for w, row in found.items():
        for key, name in names.items():
            lines.append(
                f"| {WORLDS[w].name} | {name} | {row[f'{key} realised']:.3f} "
                f"| {row[f'{key} stays']:.3f} | {row[f'{key} stated error']:.3f} "
                f"| {row[f'{key} estimated error']:.3f} "
                f"| {100 * row[f'{key} stated covers']:.1f} % "
                f"| {100 * row[f'{key} estimated covers']:.1f} % |"
            )
    lines += [
        "",
        "The mix itself: mean absolute error of a class's share, and how often its 95 % interval "
        "holds it. *Alarms* are how often a test of fit falls below 1 %: when only the mix has "
        "changed, where it should stay quiet, and when all items have moved too (by one standard "
        "deviation in both features).",
        "",
        "| world | error: adjusted | likelihood | Saerens | coverage: adjusted | likelihood "
        "| Saerens | alarms: mix only | and drift |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    methods = ("adjusted", "likelihood", "saerens")
    for w, row in found.items():
        errors = " | ".join(f"{row[f'{m} error']:.4f}" for m in methods)
        covers = " | ".join(f"{100 * row[f'{m} covers']:.1f} %" for m in methods)
        alarms = f"{100 * row['alarm']:.1f} % | {100 * row['alarm at drift']:.1f} %"
        lines.append(f"| {WORLDS[w].name} | {errors} | {covers} | {alarms} |")
    return lines


if __name__ == "__main__":
    main()
