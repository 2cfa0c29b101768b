"""Several samples of each item: what varies between items and within, and what is named for k."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from evenhand.data.sample import Sample, SoftSample
from evenhand.errors import InputError
from evenhand.inference.rows import Floats
from evenhand.inference.wilson import critical_value, effective_sample_size, wilson_interval
from evenhand.records import Interval, Method, Record
from evenhand.warnings import ResultWarning, SamplesOfItems


class ItemSamples(Record):
    """Items with several samples: how many each has, and how many of them are right.

    ``votes`` says of each item which share of a vote of its samples is right.
    """

    json_fields = """k between within mean_at_k pass_at_k=pass_at_all
    solved_at_least_once majority_vote"""

    counts: Floats
    right: Floats
    votes: Floats
    level: float

    @property
    def k(self) -> int:
        """The number of samples that every item has."""
        return int(self.counts.min())

    @property
    def within(self) -> float:
        """The variance of the samples of an item, which more samples lower."""
        p, several = self.right / self.counts, self.counts > 1
        own = p * (1 - p) * self.counts / np.maximum(self.counts - 1, 1)
        return float(own[several].mean()) if several.any() else 0.0

    @property
    def between(self) -> float:
        """The variance of the items' own means, which only more items lower."""
        means = self.right / self.counts
        return max(0.0, float(means.var(ddof=1) - self.within * (1 / self.counts).mean()))

    def mean(self, values: Floats) -> Interval:
        """The mean over items, with Wilson's interval at an effective sample size."""
        n, value = len(values), float(values.mean())
        se = float(values.std(ddof=1) / np.sqrt(n))
        size = np.nan_to_num(effective_sample_size(np.array(value), np.array(se), 0, 1), nan=n)
        z = critical_value(self.level, n - 1)
        low, high = map(float, wilson_interval(np.array(value), np.asarray(size), z))
        return Interval(value, se, low, high, self.level, Method("wilson", "effective"))

    def pass_at(self, k: int) -> Interval:
        """The chance that one of k samples is right: mean of 1 − C(m − c, k) / C(m, k) over items.

        It is unbiased for items with at least k samples m, c of them right. (Chen et al. 2021.)
        """
        if k > self.k:
            raise InputError(f"pass@{k} needs {k} samples of every item, got {self.k} of some")
        wrong = self.counts - self.right
        steps = (np.maximum(wrong - i, 0) / (self.counts - i) for i in range(k))
        return self.mean(1 - np.prod(list(steps), axis=0))

    @property
    def mean_at_k(self) -> Interval:
        """The share of samples that are right, of the mean item."""
        return self.mean(self.right / self.counts)

    @property
    def pass_at_all(self) -> Interval:
        """The chance that one of as many samples as every item has is right."""
        return self.pass_at(self.k)

    @property
    def solved_at_least_once(self) -> Interval:
        """The share of items of which any sample is right."""
        return self.mean((self.right > 0).astype(float))

    @property
    def majority_vote(self) -> Interval:
        """The share of items of which most samples are right."""
        return self.mean(self.votes)

    @property
    def named(self) -> dict[str, Interval]:
        """The four numbers that are confused, by name."""
        return {
            f"mean@{self.k}": self.mean_at_k,
            f"pass@{self.k}": self.pass_at_all,
            "solved at least once": self.solved_at_least_once,
            "majority vote": self.majority_vote,
        }

    @property
    def advice(self) -> str:
        """Where the variance is, and what as many answers again would do to the interval."""
        n, k, share = len(self.counts), self.k, self.between / ((self.between + self.within) or 1.0)
        halved = 1 - np.sqrt(1 - self.within / (2 * ((k * self.between + self.within) or 1.0)))
        return (
            f"{100 * share:.0f} % of the variance of samples lies between items, "
            f"{100 * (1 - share):.0f} % within them. {k} more samples of each item would narrow "
            f"the interval by {100 * halved:.0f} %, {n:,} more items by 29 %."
        )


def samples_of(
    data: Any, notes: Iterable[ResultWarning], level: float = 0.95
) -> ItemSamples | None:
    """What samples of the first system say, where each cluster of 0 or 1 is an item's samples."""
    note = next((n for n in notes if isinstance(n, SamplesOfItems)), None)
    if note is None or data.cluster is None or not isinstance(data, Sample | SoftSample):
        return None
    items = np.unique(data.cluster, return_inverse=True)[1]
    if items.max() + 1 != note.items:  # a topic, and not an item
        return None
    labels: Any = None
    hits, samples = np.ones(len(items)), np.ones(len(items))
    if isinstance(data, SoftSample):
        hits = data.probability[0][:, 1]
        if not data.graded or not np.isin(hits, (0, 1)).all():
            return None
    else:
        labels, samples = data.pred[:, 0], data.items.astype(float)
        hits = (labels == data.true).astype(float)
    counts, right = (np.bincount(items, x) for x in (samples, samples * hits))
    votes = (right > counts / 2) + (right == counts / 2) / 2
    if labels is not None:  # the label that most samples give; equal ones share the vote
        tally = np.zeros((note.items, len(data.labels) + 1))
        np.add.at(tally, (items, labels), samples)
        first = tally == tally.max(axis=1, keepdims=True)
        chosen = np.bincount(items, first[items, labels] * hits) > 0
        votes = chosen / first.sum(axis=1)
    return ItemSamples(counts, right, votes, level)
