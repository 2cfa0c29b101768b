"""Drift: how often ``eh.shift.drift`` alarms, where nothing, the mix, or more has changed.

``python -m studies.drift 400`` prints a row a design. Classifiers are right in a share of the items
of every class, errors even; with probabilities, items are normal around their class and the
posterior is exact for the reference mix. docs/prevalence.md has the table.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

import evenhand as eh

ALERT = 0.02
REPLICATES = 200


@dataclass(frozen=True)
class Design:
    """What live data differ in: the share of the first class, and how good the classifier is."""

    name: str
    mix: tuple[float, ...]
    quality: float
    labelled: int
    live: int
    moved: float = 0.0
    live_quality: float | None = None
    probabilities: bool = False

    @property
    def live_mix(self) -> np.ndarray:
        """The first class has gained, the others lost in proportion."""
        mix = np.array(self.mix)
        rest = mix[1:] * (1 - mix[0] - self.moved) / mix[1:].sum()
        return np.append(mix[0] + self.moved, rest)

    def drawn(self, rng: np.random.Generator, n: int, mix: np.ndarray, quality: float) -> tuple:
        """True labels, and predictions or probabilities."""
        k = len(mix)
        true = rng.choice(k, n, p=mix)
        if not self.probabilities:
            wrong = (true + rng.integers(1, k, n)) % k
            return true, np.where(rng.random(n) < quality, true, wrong)
        centres = 2.0 * np.eye(k)
        x = rng.normal(centres[true], 1 / quality)
        logits = x @ centres.T - 2.0 + np.log(self.mix)  # exact at a quality of 1
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        return true, p / p.sum(axis=1, keepdims=True)


TWO, THREE, RARE = (0.3, 0.7), (0.5, 0.3, 0.2), (0.05, 0.95)
FIVE = (0.4, 0.25, 0.15, 0.12, 0.08)
DESIGNS = (
    Design("same mix", TWO, 0.85, 1000, 500),
    Design("same mix", THREE, 0.8, 1000, 2000),
    Design("same mix", RARE, 0.9, 1000, 2000),
    Design("same mix", FIVE, 0.75, 1000, 2000),
    Design("same mix, few items", THREE, 0.8, 200, 300),
    Design("moved by the alert", TWO, 0.85, 1000, 2000, 0.02),
    Design("moved by the alert", THREE, 0.8, 1000, 2000, 0.02),
    Design("moved by the alert", RARE, 0.9, 1000, 2000, 0.02),
    Design("moved by 5 points", THREE, 0.8, 2000, 5000, 0.05),
    Design("moved by 10 points", RARE, 0.9, 1000, 2000, 0.1),
    Design("moved by 10 points", THREE, 0.8, 1000, 2000, 0.1),
    Design("moved by 10 points, weak classifier", THREE, 0.6, 1000, 2000, 0.1),
    Design("same mix, worse inside classes", THREE, 0.8, 1000, 2000, 0, 0.7),
    Design("same mix", THREE, 1.0, 1000, 1000, probabilities=True),
    Design("moved by 10 points", THREE, 1.0, 1000, 1000, 0.1, probabilities=True),
    Design("same mix, 1.1 times as noisy", THREE, 1.0, 1000, 1000, 0, 0.9, probabilities=True),
    Design("same mix, 1.3 times as noisy", THREE, 1.0, 1000, 1000, 0, 0.75, probabilities=True),
    Design("same mix, twice as noisy", THREE, 1.0, 1000, 1000, 0, 0.5, probabilities=True),
)
VERDICTS = ("changed", "more than the mix changed", "unchanged", "unclear")


def study(design: Design, times: int) -> dict[str, float]:
    """Shares of the verdicts."""
    rng = np.random.default_rng([17, DESIGNS.index(design)])
    verdicts = dict.fromkeys(VERDICTS, 0.0)
    live_quality = design.quality if design.live_quality is None else design.live_quality
    for _ in range(times):
        reference = design.drawn(rng, design.labelled, np.array(design.mix), design.quality)
        _, live = design.drawn(rng, design.live, design.live_mix, live_quality)
        if design.probabilities:
            method, labels = "saerens", list(range(len(design.mix)))
            sample = eh.Sample.from_probabilities(reference[0], {"m": reference[1]}, labels=labels)
            data: tuple = (sample, live)
        else:
            method, data = None, (*reference, live)
        how = {"metrics": "accuracy", "replicates": REPLICATES, "method": method}
        verdicts[eh.shift.drift(*data, alert=ALERT, **how).verdict] += 1 / times
    return verdicts


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print("| live data | classes | labelled | live | alarms | changed | more than the mix |"
          " unchanged | unclear |")  # fmt: skip
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for d in DESIGNS:
        verdicts = study(d, times)
        alarm = verdicts["changed"] + verdicts["more than the mix changed"]
        error = math.sqrt(max(alarm * (1 - alarm), 0) / times)
        kind = " (probabilities)" if d.probabilities else ""
        shares = " | ".join(f"{100 * v:.1f}" for v in verdicts.values())
        print(f"| {d.name}{kind} | {len(d.mix)} | {d.labelled:,} | {d.live:,} | "
              f"{100 * alarm:.1f} ± {100 * error:.1f} | {shares} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
