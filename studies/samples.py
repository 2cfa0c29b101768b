"""Do intervals hold with several samples a question, with and without topics? (docs/logs.md)"""

import sys

import numpy as np

import evenhand as eh

CELLS = [(n, k, topics) for topics in (0, 20) for n in (50, 200, 1000) for k in (1, 3, 10)]
"""Questions, samples of each, and topics that they belong to, if any."""
MIX = [0.5, 0.3, 0.2]
LABELS = np.array(["a", "b", "c"])


def draw(rng, n, k, topics):
    """Truth, topic and samples of two systems: each is right by skill, question and topic."""
    true = rng.choice(3, n, p=MIX)
    topic = np.arange(n) % topics if topics else None
    common = rng.normal(0, 0.6, topics)[topic] if topics else 0.0
    ease = rng.normal(0, 1, n) + common
    samples = []
    for skill in (0.8, 1.1):
        own = skill + ease + rng.normal(0, 0.5, n)
        right = rng.random((n, k)) < 1 / (1 + np.exp(-own))[:, None]
        samples.append(np.where(right, true[:, None], rng.choice(3, (n, k), p=MIX)))
    return true, topic, samples


def sample_of(true, topic, samples):
    """Every sample an item of its share's weight, in clusters of questions or topics."""
    n, k = samples[0].shape
    cluster = np.repeat(np.arange(n) if topic is None else topic, k)
    systems = {name: LABELS[x.reshape(-1)] for name, x in zip("AB", samples, strict=True)}
    options = {"weights": np.full(n * k, 1 / k)} if k > 1 else {}
    if k > 1 or topic is not None:
        options["cluster"] = cluster
    return eh.Sample.from_labels(
        LABELS[np.repeat(true, k)], systems, labels=list(LABELS), **options
    )


def main(repeats: int = 2000, seed: int = 42) -> None:
    """Print a row for each cell: how often 95 % intervals hold, in per cent."""
    metrics = ["accuracy", "macro_f1"]
    many = [draw(np.random.default_rng([seed, n]), 300_000, 1, n) for n in (0, 30_000)]
    sums = [eh.compare(sample_of(*data), metrics=metrics, tests="delta") for data in many]
    print(f"{repeats} data sets a row, 95 % intervals, seed {seed}")
    print("| questions | samples | topics | accuracy | difference | macro F1 | its difference |")
    print("|" + " --- |" * 7)
    for n, k, topics in CELLS:
        rng = np.random.default_rng([seed, n, k, topics])
        truth, covered = sums[bool(topics)], np.zeros(4)
        for _ in range(repeats):
            sample = sample_of(*draw(rng, n, k, topics))
            scores = eh.rank(sample, by_metric="accuracy", metrics=["macro_f1"], replicates=1)["A"]
            pairs = eh.compare(sample, metrics=metrics, tests="delta")
            for i, name in enumerate(metrics):
                value, known = scores[name], truth["A", "B", name]
                covered[2 * i] += value.low <= known.values[0] <= value.high
                covered[2 * i + 1] += (
                    pairs["A", "B", name].low <= known.value <= pairs["A", "B", name].high
                )
        cells = " | ".join(f"{100 * c / repeats:.1f}" for c in covered)
        print(f"| {n:,} | {k} | {topics or '–'} | {cells} |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
