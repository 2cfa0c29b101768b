"""Distances between classes: by hand, published, and against plain sums over the cells."""

import pickle

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.spelling import Spec
from evenhand.core.contingency import Contingency
from evenhand.core.derivatives import cell_gradient
from evenhand.errors import InputError, MetricError

TREE = {"F": "C", "G": "E", "E": ["B", "C"]}
"""The hierarchy of Kiritchenko et al. (2006): G lies below E, which lies below B and C."""
COSTS = np.array([[0, 1, 5], [1, 0, 2], [10, 2, 0]])
CELLS = np.array([[9, 1, 2], [3, 12, 4], [2, 5, 17]])
OUTSIDE = np.array([1, 0, 2])


def test_kiritchenko_et_al_2006():
    """An item of G taken for F: C is shared of {C, F} and {B, C, E, G}."""
    found = eh.score(["G"], ["F"], labels=list("BCEFG"), distance=TREE, interval=None)
    assert found["hierarchical_precision:distance=tree"].value == 1 / 2
    assert found["hierarchical_recall:distance=tree"].value == 1 / 4
    assert found["hierarchical_f1:distance=tree"].value == pytest.approx(1 / 3)
    assert found["mean_absolute_error:distance=tree"].value == 4  # F on one side; B, E, G


def test_a_single_root_is_shared_by_all_and_counts_nothing():
    bare = {"dog": "animal", "cat": "animal", "rose": "plant"}
    rooted = {**bare, "animal": "thing", "plant": "thing"}
    labels = ["dog", "cat", "rose"]
    for tree in (bare, rooted):
        d = eh.Distance.from_tree(tree)
        assert [[d.between(a, b) for b in labels] for a in labels] == [
            [0, 2, 4],
            [2, 0, 4],
            [4, 4, 0],
        ]


def plain_kappa(cells, outside, far):
    wide = np.hstack([cells, outside[:, None]]).astype(float)
    s, p, b = wide.sum(), wide.sum(axis=1), wide.sum(axis=0)
    return 1 - s * (far * wide).sum() / (far * np.outer(p, b)).sum()


def wide(far, lost):
    return np.hstack([far, np.full((len(far), 1), lost)])


def test_any_matrix_against_plain_sums():
    table = eh.Confusion.from_matrix(CELLS, labels="abc", outside=OUTSIDE)
    far, every = wide(COSTS, 10), np.hstack([CELLS, OUTSIDE[:, None]])
    d = eh.Distance.from_matrix(COSTS, labels="abc", name="costs")
    assert eh.mean_cost(table, distance=d) == pytest.approx((far * every).sum() / every.sum())
    rows = (far * every).sum(axis=1) / every.sum(axis=1)
    assert eh.macro_absolute_error(table, distance=d) == pytest.approx(rows.mean())
    assert eh.weighted_kappa(table, distance=d) == pytest.approx(plain_kappa(CELLS, OUTSIDE, far))


def test_words_are_matrices():
    places = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    for word, far in (("ordinal", places), ("quadratic", places**2), ("flat", places > 0)):
        for name in ("weighted_kappa", "mean_absolute_error", "macro_absolute_error"):
            metric = getattr(eh, name)
            assert metric(CELLS, distance=word) == pytest.approx(metric(CELLS, distance=far * 1))


def test_flat_distances_are_nominal_metrics():
    assert eh.weighted_kappa(CELLS, distance="flat") == pytest.approx(eh.kappa(CELLS))
    assert eh.mean_cost(CELLS) == pytest.approx(1 - eh.accuracy(CELLS))
    assert eh.hierarchical_f1(CELLS) == pytest.approx(eh.accuracy(CELLS))


def test_labels_find_their_rows_in_any_order():
    d = eh.Distance.from_matrix(COSTS[::-1, ::-1], labels="cba")
    table = eh.Confusion.from_matrix(CELLS, labels="abc")
    assert eh.mean_cost(table, distance=d) == eh.mean_cost(table, distance=COSTS)
    numbers = eh.Distance.from_matrix(COSTS, labels=["1", "2", "3"])
    of_ints = eh.Confusion.from_matrix(CELLS, labels=[1, 2, 3])
    assert eh.mean_cost(of_ints, distance=numbers) == eh.mean_cost(table, distance=COSTS)


def test_a_frame_names_its_rows_and_columns():
    frame = pd.DataFrame(COSTS, index=list("abc"), columns=list("abc"))
    d = eh.Distance.from_matrix(frame.loc[list("cab"), list("bca")])
    assert [[d.between(a, b) for b in "abc"] for a in "abc"] == COSTS.tolist()
    with pytest.raises(InputError, match="index and columns of the frame must name the same"):
        eh.Distance.from_matrix(frame.set_axis(list("xyz"), axis=0))


SEEN = [
    ("weighted_kappa", COSTS),
    ("mean_cost", COSTS),
    ("macro_absolute_error", COSTS),
    ("hierarchical_f1", {"a": "x", "b": "x", "c": "y"}),
    ("hierarchical_fbeta", {"a": "x", "b": "x", "c": "y"}),
]


@pytest.mark.parametrize(("name", "distance"), SEEN)
def test_gradients_are_finite_differences(name, distance):
    from evenhand.data.distances import as_distance

    far = as_distance(distance).over(tuple("abc"))
    record = table_metrics()[name]
    cells = np.hstack([CELLS, OUTSIDE[:, None]]).astype(float)

    def value(c):
        return float(record.function(Contingency.from_cells(c[:, :-1], c[:, -1]), distance=far))

    found = cell_gradient(
        lambda c: record.function(c, distance=far),
        Contingency.from_cells(cells[:, :-1], cells[:, -1]),
    ).dense()
    for at in np.ndindex(cells.shape):
        step = np.zeros(cells.shape)
        step[at] = 1e-5
        slope = (value(cells + step) - value(cells - step)) / 2e-5
        assert found[at] == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(("name", "distance"), SEEN)
def test_delta_errors_are_those_of_the_bootstrap(name, distance):
    big = CELLS * 40
    found = [
        eh.score(big, labels="abc", metrics=[name], distance=distance, interval=i, replicates=1500)
        for i in ("delta", "bootstrap")
    ]
    delta, drawn = (next(iter(s.metrics.values())).se for s in found)
    assert delta == pytest.approx(drawn, rel=0.12)


def test_an_interval_keeps_to_the_range():
    found = eh.score([[5, 1, 0], [0, 6, 0], [0, 0, 7]], labels="abc", distance=COSTS)
    for name in ("mean_cost:distance=matrix", "weighted_kappa:distance=matrix"):
        s = found[name]
        assert s.low < s.value < s.high
    assert found["mean_cost:distance=matrix"].low >= 0
    assert found["weighted_kappa:distance=matrix"].high <= 1


def test_every_verb_sees_it():
    rng = np.random.default_rng(0)
    true = rng.choice(list("abc"), 120)
    a, b = (np.where(rng.random(120) < p, true, rng.choice(list("abc"), 120)) for p in (0.8, 0.5))
    how = {"distance": eh.Distance.from_matrix(COSTS, labels="abc", name="costs")}
    name, value = "mean_cost:distance=costs", {}
    for key, guess in (("A", a), ("B", b)):
        value[key] = eh.mean_cost(true, guess, **how)
    few = {"replicates": 50, "metrics": "mean_cost", **how}
    pair = eh.compare(true, {"A": a, "B": b}, **few)["A", "B"]
    assert pair.metric == name and pair.difference == pytest.approx(value["A"] - value["B"])
    board = eh.rank(true, {"A": a, "B": b}, by_metric="mean_cost", **few)
    assert board.metric == name and board.systems[0].name == "A"
    assert float(board["B"][name]) == pytest.approx(value["B"])
    assert "mean cost" in str(eh.gate(true, b, a, margin=1.0, metrics="mean_cost", **how).message)
    assert eh.plan(true, a, metrics="mean_cost", width=0.1, **how).needed > 120
    elsewhere = eh.shift.extrapolate(true, a, to="a=0.2,b=0.2,c=0.6", metrics="mean_cost", **how)
    assert elsewhere.observed[name].value == pytest.approx(value["A"])
    folds = eh.cross_validated(true, a, fold=np.arange(120) % 4, metrics="mean_cost", **how)
    assert folds.to_dict()
    assert name in eh.report(true, a, **few).data["metrics"]


def test_the_signature_tells_distances_apart():
    def signed(far):
        found = eh.score(CELLS, metrics="mean_cost", distance=far, interval=None)
        return found["mean_cost:distance=matrix"].signature

    one, other = signed(COSTS), signed(COSTS * 2)
    assert one.parameters.startswith("distance=matrix#") and one.parameters != other.parameters
    assert set(one.differences(other)) == {"parameters"}


def test_what_is_scored_unasked():
    found = eh.score(CELLS, labels="abc", distance="ordinal", interval=None)
    assert {"macro_f1", "weighted_kappa", "off_by_one_accuracy", "krippendorff_alpha_ordinal"} <= {
        *found
    }
    assert "mean_cost" not in found and "hierarchical_f1" not in found
    costs = eh.score(CELLS, labels="abc", distance=COSTS, interval=None)
    assert "mean_cost:distance=matrix" in costs
    assert "hierarchical_f1:distance=matrix" not in costs


def test_a_metric_that_says_its_own_distance_keeps_it():
    words = (":distance=linear", "", ":distance=quadratic")
    asked = [f"weighted_kappa{word}" for word in words]
    found = eh.score(CELLS, metrics=asked, distance=COSTS, interval=None)
    assert list(found) == [
        "weighted_kappa",
        "weighted_kappa:distance=matrix",
        "weighted_kappa:distance=quadratic",
    ]
    assert found["weighted_kappa"].value == eh.weighted_kappa(CELLS)


def test_alpha_by_its_distance():
    for word in ("nominal", "ordinal", "interval"):
        name = "krippendorff_alpha" + ("" if word == "nominal" else f"_{word}")
        assert Spec.parse(f"krippendorff_alpha:distance={word}").name == name
        assert eh.krippendorff_alpha(CELLS, distance=word) == getattr(eh, name)(CELLS)


def test_distances_are_values():
    d = eh.Distance.from_tree(TREE)
    assert d == eh.Distance.from_tree(TREE) == pickle.loads(pickle.dumps(d))
    assert d != eh.Distance.from_matrix(COSTS, labels="abc") and hash(d) == hash(
        eh.Distance.from_tree(TREE)
    )
    assert repr(d) == "<Distance 'tree': tree of 5 classes>"
    with pytest.raises(ValueError, match="read-only"):
        d.far[0, 0] = 3


@pytest.mark.parametrize(
    ("distance", "words"),
    [
        ("cubic", "distance must be 'ordinal', 'linear', 'quadratic', 'flat', a matrix"),
        ([[0, 1], [1, 0]], "must have a row for each of the 3 classes 'a', 'b', 'c', got 2"),
        ([[0, 1, 2]], "a square matrix of numbers"),
        ([[0, -1], [1, 0]], "finite and ≥ 0, got -1 in row 1, column 2"),
        ([[0, 1], [1, 3]], "0 between a class and itself, got 3 in row 2"),
        ({"a": "x", "b": "x"}, "'tree' must be among 'x', 'a', 'b', got 'c'"),
        ({"a": "b", "b": "a", "c": "a"}, "no class stands above itself"),
        ({"a": {"b": 1}, "b": {"z": 2}}, "costs of 'b' must be by its classes, got 'z'"),
    ],
)
def test_what_cannot_be_a_distance(distance, words):
    with pytest.raises(InputError, match=words):
        eh.score(CELLS, labels="abc", metrics="weighted_kappa", distance=distance)


def test_a_tree_is_needed_where_there_is_none():
    with pytest.raises(MetricError, match="hierarchical_f1 needs a tree"):
        eh.hierarchical_f1(CELLS, distance=COSTS)
    with pytest.raises(MetricError, match="distance of weighted_kappa must be linear or"):
        eh.score(CELLS, metrics="weighted_kappa:distance=cubic")
    with pytest.raises(InputError, match="cannot be called 'linear'"):
        eh.Distance.from_matrix(COSTS, name="linear")


def test_a_tree_is_a_mapping():
    with pytest.raises(
        eh.InputError, match="a tree must map each class to that above it, got list"
    ):
        eh.Distance.from_tree(["a", "b"])
