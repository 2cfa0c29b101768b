"""The interval field: one record, written and read back."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.signature import IntervalField, ReplicateField, Signature
from evenhand.cli import group
from evenhand.options import LEVEL

NUMBERS = st.integers(0, 10**24 - 1)
DRAWS = st.none() | st.builds(ReplicateField, NUMBERS, NUMBERS)
LEVELS = st.floats(1e-9, 1 - 1e-12)
FLAGS = {"stratified": st.booleans(), "clusters": st.booleans(), "drawn": DRAWS, "ranked": DRAWS}
FIELDS = st.builds(
    IntervalField,
    st.sampled_from(["auto", "delta", "bootstrap", "bca", "wilson", "some_other"]),
    LEVELS,
    st.none() | st.sampled_from(["logit", "fisher", "range", "cut", "runs"]),
    **FLAGS,
) | st.builds(
    IntervalField,
    st.just("paired"),
    LEVELS,
    tests=st.lists(st.sampled_from(["delta", "bootstrap", "mcnemar"]), min_size=1).map(tuple),
    further=st.lists(
        st.tuples(st.sampled_from(["margin", "other_option"]), st.floats(1e-9, 100)), max_size=2
    ).map(tuple),
    **FLAGS,
)

N = 60
RANDOM = np.random.default_rng(3)
TRUE = RANDOM.integers(0, 3, N)
ONE, OTHER = (np.where(RANDOM.random(N) < p, TRUE, RANDOM.integers(0, 3, N)) for p in (0.8, 0.6))
CLUSTER = np.arange(N) // 2
WEIGHTS = RANDOM.uniform(0.5, 2, N)
FEW = {"metrics": ["macro_f1", "mcc", "accuracy", "f1_gap"], "replicates": 30}
VERBS = {
    "score": lambda **k: eh.score(TRUE, ONE, **FEW, **k),
    "score delta": lambda **k: eh.score(TRUE, ONE, interval="delta", transform="range", **FEW, **k),
    "score bootstrap": lambda **k: eh.score(TRUE, ONE, interval="bootstrap", seed=5, **FEW, **k),
    "score bca": lambda **k: eh.score(TRUE, ONE, interval="bca", level=0.995, **FEW, **k),
    "compare": lambda **k: eh.compare(TRUE, ONE, OTHER, **FEW, **k),
    "compare margin": lambda **k: eh.compare(TRUE, ONE, OTHER, margin=1e-5, **FEW, **k),
    "rank": lambda **k: eh.rank(
        TRUE, {"A": ONE, "B": OTHER}, metrics="macro_f1", replicates=30, **k
    ),
    "extrapolate": lambda **k: eh.shift.extrapolate(TRUE, ONE, metrics="macro_f1", **k),
    "sweep": lambda **k: eh.shift.sweep(TRUE, ONE, label=0, metrics="macro_f1", at=[0.5], **k),
    "estimate": lambda **k: eh.shift.estimate_prevalence(
        TRUE, ONE, predicted=OTHER, metrics="macro_f1", replicates=30, **k
    ),
}
WRITTEN = {
    "score": "auto.95",
    "score delta": "delta-range.95",
    "score bootstrap": "bootstrap.95.30.seed5",
    "score bca": "bca.99.5.30.seed0",
    "compare": "paired-randomisation.95.30.seed0",
    "compare margin": "paired-randomisation.95.30.seed0+margin.0.00001",
    "rank": "auto.95+joint-bootstrap.30.seed0+paired-delta.holm",
    "extrapolate": "auto.95",
    "sweep": "auto.95",
    "estimate": "bootstrap.95.30.seed0",
}


def texts(result: object) -> set[str]:
    """The interval fields of all signatures of a result."""
    scores = result.metrics.values() if isinstance(result, eh.Scores) else ()
    systems = result.systems if isinstance(result, eh.Leaderboard) else ()
    signed = [part.signature for part in (result, *scores, *systems)]
    signed += result.signatures.values() if isinstance(result, eh.Comparison) else ()
    return {s.interval for s in signed} - {"none"}


@given(FIELDS)
def test_reading_undoes_writing(field: IntervalField) -> None:
    assert IntervalField.parse(str(field)) == field


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("beside", [{}, {"cluster": CLUSTER}, {"weights": WEIGHTS}], ids=list)
def test_what_is_written_is_read(verb: str, beside: dict[str, object]) -> None:
    found = VERBS[verb](**beside)
    for text in texts(found):
        field = IntervalField.parse(text)
        assert field is not None and str(field) == text
        assert field.clusters == ("cluster" in beside)
    if "cluster" not in beside:
        assert found.signature.interval == WRITTEN[verb]


def test_clusters_and_strata_set_two_intervals_apart() -> None:
    plain, grouped = (eh.score(TRUE, ONE, metrics="mcc", cluster=c) for c in (None, CLUSTER))
    assert grouped["mcc"].signature.interval == "wilson-effective.95.clusters"
    apart = plain["mcc"].signature.differences(grouped["mcc"].signature)
    assert apart == {"interval": ("wilson-effective.95", "wilson-effective.95.clusters")}
    fixed = eh.score(TRUE, ONE, metrics="mcc", stratify=True)
    assert fixed["mcc"].signature.interval == "wilson-effective.95.stratified"


@pytest.mark.parametrize("level", [1e-9, 0.29, 0.5, 0.9, 0.999, 0.951234567, 1 - 1e-12])
def test_the_level_is_kept_to_the_last_digit(level: float) -> None:
    LEVEL.check(level, "level")
    found = IntervalField.parse(eh.score(TRUE, ONE, metrics="mcc", level=level).signature.interval)
    assert found is not None and found.level == level


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("delta.95", ("delta", None, 0.95, None)),
        ("delta.99.5", ("delta", None, 0.995, None)),
        ("delta-logit.95.stratified", ("delta", "logit", 0.95, None)),
        ("bootstrap.95.2000.seed0", ("bootstrap", None, 0.95, ReplicateField(2000, 0))),
        ("bca.99.5.500.seed7", ("bca", None, 0.995, ReplicateField(500, 7))),
    ],
)
def test_old_texts(text: str, parts: tuple[object, ...]) -> None:
    found = IntervalField.parse(text)
    assert found is not None and str(found) == text
    assert (found.method, found.scale, found.level, found.drawn) == parts


@pytest.mark.parametrize(
    "text", ["none", "", "delta", "delta.", "x.y", "auto.95+joint-bootstrap.9.seed0+other"]
)
def test_text_of_another_kind(text: str) -> None:
    assert IntervalField.parse(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("delta-logit.95", "95 % interval by delta on the scale of log-odds"),
        ("delta.99.5.clusters", "99.5 % interval by delta, by clusters of items"),
        ("wilson-effective.90", "90 % interval by Wilson's method at an effective sample size"),
        (
            "bootstrap.90.stratified.500.seed3",
            "90 % interval by bootstrap, within true classes, 500 replicates, seed 3",
        ),
        (
            "paired-delta+mcnemar.95.2000.seed0",
            "95 % interval by paired standard errors, p by difference/SE, "
            "McNemar's test (mid-p), 2,000 replicates, seed 0",
        ),
        (
            "paired-randomisation.95.2000.seed0+margin.0.01",
            "95 % interval by paired standard errors, p by a paired randomisation test or "
            "difference/SE, the larger, 2,000 replicates, seed 0, "
            "tested against a margin of 0.01",
        ),
        (
            "auto.95+joint-bootstrap.2000.seed0+paired-delta.holm",
            "95 % interval by the method that suits each metric; P(best) by a joint "
            "bootstrap of 2,000 replicates, seed 0; ranks and ties by paired standard errors and "
            "Holm",
        ),
        ("wilson.95", "95 % interval by Wilson's method"),
        (
            "paired-noninferior.95.clusters",
            "one-sided test of non-inferiority at 95 % by the paired difference, by clusters of "
            "items",
        ),
        ("somehow", "somehow"),
    ],
)
def test_in_words(text: str, words: str) -> None:
    assert Signature(interval=text, version="").explain() == f"interval: {words}"


@pytest.fixture
def scored(tmp_path):
    """Scores as CSV, of items with clusters and weights."""
    path = tmp_path / "rows.csv"
    rows = zip(TRUE, ONE, CLUSTER, WEIGHTS.round(3), strict=True)
    path.write_text("\n".join(["t,p,c,w", *(",".join(map(str, r)) for r in rows)]) + "\n")

    def run(*options: str) -> Result:
        head = ["score", str(path), "--true", "t", "--pred", "p", "--format", "csv"]
        return CliRunner().invoke(group, [*head, *options])

    return run


def signature_in(found: Result) -> str:
    line = found.stdout.splitlines()[1]
    return line[line.index("metric:") :].strip('"')


def test_a_stated_mix_with_clusters() -> None:
    found = eh.score(TRUE, ONE, metrics="macro_f1@uniform", cluster=CLUSTER)
    assert found["macro_f1@uniform"].low is not None


def test_one_class_is_not_several() -> None:
    said = eh.score(["x"] * 5, ["x"] * 4 + ["y"], metrics="macro_f1").content().footnote
    assert "averaged over the one class that occurs in the truth; " in said
