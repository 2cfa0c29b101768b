"""Groups: how often all intervals of a comparison of groups hold at once, and false alarms.

Groups of items have a rate of right answers each. ``python -m studies.groups 1000`` prints a line a
design: the share of data sets in which every difference to the (truly) best group lies in its
interval, every ratio to it, every difference to the rest, the difference of worst and best and the
worst score; and the share with any p after Holm below 5 % where all groups are alike.
"""

from __future__ import annotations

import sys

import numpy as np

import evenhand as eh

DESIGNS = {
    "3 alike, 200 items each": ((0.8, 0.8, 0.8), (200, 200, 200), None),
    "3 apart, 200 items each": ((0.9, 0.8, 0.6), (200, 200, 200), None),
    "5 alike, 40 to 400 items": ((0.8,) * 5, (40, 60, 100, 200, 400), None),
    "5 apart, 40 to 400 items": ((0.6, 0.7, 0.8, 0.85, 0.9), (40, 60, 100, 200, 400), None),
    "10 alike, 50 items each": ((0.75,) * 10, (50,) * 10, None),
    "4 alike, clusters across": ((0.8,) * 4, (100,) * 4, 40),
    "4 apart, clusters across": ((0.9, 0.8, 0.7, 0.8), (100,) * 4, 40),
}
MIX = np.array([0.5, 0.3, 0.2])
LABELS = np.arange(3)


def drawn(rng, rates, sizes, clusters):
    """Labels of groups; in clusters, some are easier than others."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    n = len(group)
    true = rng.choice(LABELS, n, p=MIX)
    right = np.asarray(rates)[group]
    cluster = None
    if clusters:
        cluster = rng.integers(0, clusters, n)
        right = np.clip(right + rng.choice([-0.1, 0.1], clusters)[cluster], 0, 1)
    wrong = (true + rng.integers(1, 3, n)) % 3
    return group, true, np.where(rng.random(n) < right, true, wrong), cluster


def truths(metric, rates):
    """Values of groups in a very large sample, by the expected tables."""
    tables = (MIX[:, None] * (r * np.eye(3) + (1 - r) / 2 * (1 - np.eye(3))) for r in rates)
    return np.array([float(getattr(eh, metric)(table)) for table in tables])


def holds(x, true):
    """Whether the truth lies in an interval, if there is one."""
    if x.low is None:
        return True
    return x.low - 1e-12 <= true <= (np.inf if x.high is None else x.high) + 1e-12


def study(name, times, metric, seed=0):
    rates, sizes, clusters = DESIGNS[name]
    each = truths(metric, rates)
    rng = np.random.default_rng(seed)
    found = np.zeros(4)
    for _ in range(times):
        group, true, guess, cluster = drawn(rng, rates, sizes, clusters)
        gap = eh.groups(true, guess, by=group, cluster=cluster, metrics=metric)[metric]
        g = [gap[i] for i in range(len(sizes))]
        both, most = list(zip(g, each, strict=True)), each.max()
        found[0] += all(holds(x.to_best, v - most) for x, v in both)
        found[1] += all(holds(x.ratio_to_best, v / most) for x, v in both)
        found[2] += holds(gap.difference, each.max() - each.min())
        found[3] += holds(gap.worst_score, each.min())
    return found / times


ACCUSED = {
    "one of 6 bad, 112 to 600 items": ((0.6, *(0.8,) * 5), (200, 112, 200, 300, 400, 600)),
    "one of 6 bad, 50 items each": ((0.5, *(0.8,) * 5), (50,) * 6),
}


def accused(name, times, metric, seed=7):
    """How often a good group is called worse than the best, and how often the bad one is."""
    rates, sizes = ACCUSED[name]
    rng, found = np.random.default_rng(seed), np.zeros(2)
    for _ in range(times):
        group, true, guess, _ = drawn(rng, rates, sizes, None)
        worse = set(eh.groups(true, guess, by=group, metrics=metric)[metric].worse)
        found += bool(worse - {0}), 0 in worse
    return found / times


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| groups | metric | to best | ratio | difference | worst |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in DESIGNS:
        for metric in ("accuracy", "macro_f1"):
            shares = " | ".join(f"{100 * x:.1f} %" for x in study(name, times, metric))
            print(f"| {name} | {metric} | {shares} |", flush=True)
    print("\n| groups | metric | a good one accused | the bad one named |")
    print("| --- | --- | --- | --- |")
    for name in ACCUSED:
        for metric in ("accuracy", "macro_f1"):
            wrong, right = accused(name, times, metric)
            print(f"| {name} | {metric} | {100 * wrong:.1f} % | {100 * right:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
