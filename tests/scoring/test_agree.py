"""Alpha of many annotators: published tables, plain pairs, and how often its interval holds."""

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError


def rows(*lines):
    return [[None if v == "." else v for v in line.split()] for line in lines]


FOUR = rows(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
"""Krippendorff (2011), section C: four observers, twelve units."""
THREE = rows(
    ". . . . . 3 4 1 2 1 1 3 3 . 3",
    "1 . 2 1 3 3 4 3 . . . . . . .",
    ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
)
"""Wikipedia, Krippendorff's alpha, "A computational example"."""
PUBLISHED = [
    (rows("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"), "nominal", 0.095),  # 2011, section A
    (rows("a a b b d c c c e d d a", "b a b b b c c c e d d d"), "nominal", 0.692),  # section B
    (FOUR, "nominal", 0.743),
    (FOUR, "ordinal", 0.815),
    (FOUR, "interval", 0.849),
    (FOUR, "ratio", 0.797),
    (THREE, "nominal", 0.691),
    (THREE, "interval", 0.811),
]


@pytest.mark.parametrize(("ratings", "distance", "alpha"), PUBLISHED)
def test_published(ratings, distance, alpha):
    assert eh.agree(ratings, distance=distance).alpha.value == pytest.approx(alpha, abs=5e-4)


def by_pairs(ratings, far):
    """Alpha from every pair of ratings: within items, and of all pairable ratings."""
    units = [[v for v in unit if v is not None] for unit in zip(*ratings, strict=True)]
    units = [u for u in units if len(u) > 1]
    every = [v for u in units for v in u]
    pairs = [(len(u) - 1, a, b) for u in units for a, b in itertools.permutations(u, 2)]
    within = sum(far(a, b) / others for others, a, b in pairs)
    all_of = sum(far(a, b) for a, b in itertools.permutations(every, 2))
    return 1 - (within / len(every)) / (all_of / (len(every) * (len(every) - 1)))


@pytest.mark.parametrize("seed", range(5))
def test_every_pair_by_hand(seed):
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 4, (3, 20)).tolist()
    ratings = [[None if rng.random() < 0.3 else v for v in row] for row in drawn]
    far = {"nominal": lambda a, b: a != b, "interval": lambda a, b: (a - b) ** 2}
    far["ratio"] = lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0
    for kind, d in far.items():
        expected = by_pairs(ratings, d)
        assert eh.agree(ratings, distance=kind).alpha.value == pytest.approx(expected, abs=1e-12)
    costs = [[0, 1, 2, 9], [1, 0, 3, 4], [2, 3, 0, 1], [9, 4, 1, 0]]
    found = eh.agree(ratings, distance=costs, labels=range(4)).alpha.value
    assert found == pytest.approx(by_pairs(ratings, lambda a, b: costs[a][b]), abs=1e-12)


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "interval"])
def test_two_annotators_are_a_table(kind):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 4, 60)
    b = np.where(rng.random(60) < 0.6, a, rng.integers(0, 4, 60))
    found = eh.agree([a.tolist(), b.tolist()], distance=kind).alpha.value
    assert found == pytest.approx(eh.krippendorff_alpha(a, b, distance=kind), abs=1e-12)


def test_forms_are_one():
    wide = dict(zip("ABCD", FOUR, strict=True))
    long = [(i, a, v) for a, column in wide.items() for i, v in enumerate(column) if v is not None]
    frame = pd.DataFrame(long, columns=["item", "who", "answer"])
    expected = eh.agree(FOUR)
    assert eh.agree(wide) == eh.agree(pd.DataFrame(wide)) == expected
    found = eh.agree(frame, item="item", annotator="who", label="answer")
    assert found.alpha == expected.alpha and found.missing == expected.missing == 7
    assert (expected.n, expected.pairable, expected.ratings) == (12, 11, 41)
    assert expected.annotators == ("A", "B", "C", "D")
    assert json.loads(expected.to_json())["alpha"]["value"] == expected.alpha.value


def test_no_width_is_not_knowledge():
    found = eh.agree([[1, 1, 1], [1, 1, 1]])
    assert found.alpha.value == 1 and found.alpha.low is None and found.warnings


def test_perfect_agreement_of_few_is_not_certain():
    """Three items on two labels could be chance; three hundred could not."""
    few, many = (eh.agree([[1, 2, 1] * n] * 2) for n in (1, 100))
    assert few.alpha.value == many.alpha.value == many.alpha.high == 1
    assert few.alpha.low < 0 and many.alpha.low > 0.9
    assert few.warnings == (
        "alpha rests on 1 of 3 items: on the others all chose the commonest label",
    )
    assert many.warnings == ()


def test_the_error_is_not_that_of_the_items_seen_alone():
    """One rater alone used the rare label, once: the jackknife sees next to nothing vary."""
    ratings = [["a"] * 19 + ["b"], ["a"] * 20, ["a"] * 20]
    found = eh.agree(ratings).alpha
    assert found.value == pytest.approx(0) and found.high > 0.5


@pytest.mark.parametrize(
    ("ratings", "options", "words"),
    [
        ([[1, 2]], {}, "at least two annotators"),
        ([[1, 2], [1]], {}, "a rating, or none, for each item"),
        ([[1, None], [None, 2]], {}, "no item has two ratings"),
        ([["a"], ["b"]], {"distance": "interval"}, "labels must be numbers for interval"),
        ([[1, 2], [1, 2]], {"distance": "cubic"}, "'nominal', 'ordinal', 'interval', 'ratio'"),
        ([[1, 2], [1, 2]], {"labels": [1]}, "ratings must be among 1, got 2"),
        ([[1, 2], [1, "b"]], {}, "must be of one type"),
        ([[1, 2], [1, 2]], {"item": "i"}, "lacks annotator"),
        (
            {"i": [1, 1], "w": ["x", "x"], "v": [1, 2]},
            {"item": "i", "annotator": "w", "label": "v"},
            "'x' has rated the item 1 more than once",
        ),
    ],
)
def test_what_cannot_be_ratings(ratings, options, words):
    with pytest.raises(InputError, match=words):
        eh.agree(ratings, **options)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
def test_the_interval_holds(kind):
    """40 items, three annotators of whom each leaves out a fifth, three classes: 95 ± 2 %."""
    rng = np.random.default_rng(7)
    mix, draws = [0.5, 0.3, 0.2], 600

    def ratings(n):
        truth = rng.choice(3, n, p=mix)
        found = np.where(rng.random((3, n)) < 0.7, truth, rng.choice(3, (3, n), p=mix))
        return [
            [None if gone else int(v) for v, gone in zip(row, rng.random(n) < 0.2, strict=True)]
            for row in found
        ]

    true = eh.agree(ratings(100_000), distance=kind).alpha.value
    found = [eh.agree(ratings(40), distance=kind).alpha for _ in range(draws)]
    held = np.mean([a.low <= true <= a.high for a in found])
    assert 0.93 <= held <= 0.98, held


@pytest.mark.slow
@pytest.mark.parametrize("rare", ["5 %", "10 %", "5 and 10 %"])
def test_the_interval_holds_with_a_rare_class(rare):
    """Three annotators, 15 and 30 items: not 49 to 75 %, as the jackknife alone."""
    from studies.agree import MIXES, RATES, study

    rng, times = np.random.default_rng(11), 200
    for n in (15, 30):
        for rate in RATES:
            held, _, _ = study(rng, n, MIXES[rare], rate, times)
            assert held > 0.95 - 3 * np.sqrt(0.95 * 0.05 / times)


def test_two_readers_have_kappa_and_the_share_agreed_on():
    """Cohen (1960): 20 and 15 of 50 alike, 5 and 10 apart; an item with one rating is left out."""
    table = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15, ("y", None): 3}
    first, second = zip(*(pair for pair, n in table.items() for _ in range(n)), strict=True)
    found = eh.agree({"A": first, "B": second})
    assert found.agreement.value == 0.7 and found.kappa.value == pytest.approx(0.4)
    both = eh.score(first[:50], second[:50], metrics=["kappa", "accuracy"])
    assert (found.kappa.low, found.kappa.high) == (both["kappa"].low, both["kappa"].high)
    assert found["kappa"].value == found.kappa.value and list(found) == [
        "alpha",
        "kappa",
        "agreement",
    ]
    assert "; Cohen's kappa 0.4000 [" in str(found) and "agreed on 0.7000 [" in str(found)
    assert found.to_dict()["agreement"]["low"] == both["accuracy"].low
    three = eh.agree({"A": first, "B": second, "C": second})
    assert three.kappa is None and three.to_dict()["kappa"] is None and list(three) == ["alpha"]


RATED = {"id": [str(i) for i in range(30)], "anna": ["a", "b", "c"] * 10}
RATED |= {"ben": [*RATED["anna"][:-2], "a", "a"], "carl": [*RATED["anna"][:-4], *"abcb"]}


@pytest.mark.parametrize(
    ("row", "at"),
    [
        (("Total", "30", "30", "30"), 30),
        (("Gesamt", "30", "30", "30"), 30),
        (("id", "anna", "ben", "carl"), 15),
        (("id", "anna", "ben", "carl"), 0),
    ],
)
def test_a_row_that_is_no_item_is_refused(row, at):
    items = list(zip(*RATED.values(), strict=True))
    frame = pl.DataFrame([*items[:at], row, *items[at:]], schema=list(RATED), orient="row")
    with pytest.raises(eh.InputError, match=rf"row {at + 1} \('{row[0]}', .* occur nowhere else"):
        eh.agree(frame)
    assert eh.agree({name: frame[name].to_list() for name in ("anna", "ben", "carl")}).n == 31


def test_a_rare_label_that_all_give_is_one():
    rated = {name: [*column[:-1], "rare"] for name, column in RATED.items()}
    assert eh.agree(pl.DataFrame(rated)).n == 30


def test_a_column_that_agrees_by_chance_is_no_annotator():
    numbers = {name: list(map("abc".index, RATED[name])) for name in ("anna", "ben", "carl")}
    frame = pl.DataFrame(numbers | {"length": [i * 7 % 5 // 2 for i in range(30)]})
    with pytest.raises(eh.InputError, match="'length' agrees with the others by chance only"):
        eh.agree(frame)
    assert len(eh.agree(frame.drop("length")).annotators) == 3
