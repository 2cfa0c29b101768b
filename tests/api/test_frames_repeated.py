"""A frame with rows of several systems, or several rows per item, is never pooled in silence."""

import random
from functools import partial

import duckdb
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError

COLUMNS = {"true": "target", "pred": "answer"}
WIDE = {"true": "target", "pred": ["A", "B"]}
GATE = partial(eh.gate, margin=0.1)
SYSTEMS = (
    "the frame has several rows per item (3 systems in 'model', 40 values of 'question_id' in "
)
LONG = f"{SYSTEMS}600 rows): "
TWICE = "the frame has several rows per item (40 values of 'question_id' in 80 rows): "
TAKES = "by_row=True takes every row for an item"

LIBRARIES = {
    "pandas": lambda f: f,
    "index": lambda f: f.set_index("question_id"),
    "polars": pl.from_pandas,
    "lazy": lambda f: pl.from_pandas(f).lazy(),
}


@pytest.fixture(params=LIBRARIES)
def library(request):
    return LIBRARIES[request.param]


@pytest.fixture(scope="module")
def long():
    """Five samples of each of three models for forty questions."""
    rng = random.Random(3)
    truth = [rng.choice("ab") for _ in range(40)]
    rows = [
        (q, f"m{m}", sample, truth[q], truth[q] if rng.random() < 0.7 else "a")
        for q in range(40)
        for m in range(3)
        for sample in range(5)
    ]
    return pd.DataFrame(rows, columns=["question_id", "model", "sample", "target", "answer"])


@pytest.fixture(scope="module")
def wide(long):
    """Forty questions and two systems."""
    first = long[long["sample"] == 0]
    frame = first.pivot(index=["question_id", "target"], columns="model", values="answer")
    return frame.reset_index().rename(columns={"m0": "A", "m1": "B"})[
        [*"AB", "question_id", "target"]
    ]


@pytest.mark.parametrize("verb", [eh.score, eh.report])
def test_systems_and_samples_in_one_frame(library, long, verb):
    with pytest.raises(InputError) as error:
        verb(library(long), **COLUMNS)
    assert str(error.value) == f"{LONG}by='model', cluster='question_id'; {TAKES}"


@pytest.mark.parametrize(
    ("name", "verb"), [("compare", eh.compare), ("rank", eh.rank), ("gate", GATE)]
)
def test_systems_that_are_to_be_columns(library, long, name, verb):
    with pytest.raises(InputError) as error:
        verb(library(long), **COLUMNS)
    assert str(error.value) == (
        f"{LONG}{name} takes a column for each system: pivot 'model', and name its "
        "columns by pred=[…]"
    )


@pytest.mark.parametrize("verb", [eh.compare, eh.rank, GATE, eh.report])
def test_items_that_come_twice(library, wide, verb):
    with pytest.raises(InputError) as error:
        verb(library(pd.concat([wide, wide])), **WIDE)
    assert str(error.value) == f"{TWICE}cluster='question_id'; {TAKES}"


@pytest.mark.parametrize("verb", [eh.macro_f1, eh.twins])
def test_verbs_without_those_options(library, long, verb):
    with pytest.raises(InputError) as error:
        verb(library(long), **COLUMNS)
    assert str(error.value) == (
        f"{LONG}score(…, by='model', cluster='question_id'); a frame without 'model' and "
        "'question_id' has every row for an item"
    )


def test_what_the_error_says_works(library, long, wide):
    scores = eh.score(library(long), **COLUMNS, by="model", cluster="question_id")
    assert len(scores.slices) == 3
    assert eh.score(library(long), **COLUMNS, by_row=True).n == 600
    assert eh.macro_f1(long[["target", "answer"]], **COLUMNS) > 0
    twice = library(pd.concat([wide, wide]))
    assert len(eh.rank(twice, **WIDE, cluster="question_id").systems) == 2
    assert len(eh.rank(twice, **WIDE, by_row=True).systems) == 2


def test_slices_in_which_no_item_comes_twice(library, long):
    first = long[long["sample"] == 0]
    with pytest.raises(InputError, match=r"120 rows\): by='model'; by_row=True"):
        eh.score(library(first), **COLUMNS)
    assert len(eh.score(library(first), **COLUMNS, by="model").slices) == 3
    with pytest.raises(InputError, match=r"600 rows\): cluster='question_id'; by_row=True"):
        eh.score(library(long), **COLUMNS, by="model")
    with pytest.raises(InputError, match=r"\): by=\['half', 'model'\]; by_row=True"):
        eh.score(library(first.assign(half=first["question_id"] // 20)), **COLUMNS, by="half")


def test_frames_whose_rows_are_items(library, wide):
    assert eh.score(library(wide), true="target", pred="A").n == 40
    named = wide.assign(model=["x", "y"] * 20)  # what each item is about: ids are all different
    assert eh.score(library(named), true="target", pred="A").n == 40


def test_label_sets_are_looked_at_too(long):
    sets = long.assign(target=[[t] for t in long["target"]], answer=[[t] for t in long["answer"]])
    for frame in (sets, pl.from_pandas(sets)):
        with pytest.raises(InputError, match=r"^the frame has several rows per item \(3 systems"):
            eh.score(frame, **COLUMNS)


def test_every_row_of_a_frame_in_memory_is_looked_at():
    n = 150_000
    frame = pl.DataFrame({"id": [*range(n), 0], "y": ["a", "b"] * (n // 2) + ["a"]})
    with pytest.raises(
        InputError, match=r"\(150,000 values of 'id' in 150,001 rows\): cluster='id'"
    ):
        eh.score(frame.with_columns(p=frame["y"]), true="y", pred="p")


def test_rows_that_repeat_late_in_a_lazy_frame(monkeypatch):
    monkeypatch.setattr("evenhand.data.arguments.FIRST_ROWS", 40)
    frame = pl.DataFrame({"id": [*range(45), 3, None], "gold": list("ab" * 23 + "a")})
    frame = frame.with_columns(pred="gold")
    for rows in frame.lazy(), duckdb.connect().from_arrow(frame.to_arrow()):
        with pytest.raises(InputError, match=r"45 values of 'id' in 47 rows\): cluster='id'"):
            eh.score(rows, true="gold", pred="pred")
        assert eh.score(rows, true="gold", pred="pred", by_row=True).n == 47
    assert eh.score(frame.head(45).lazy(), true="gold", pred="pred").n == 45


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_systems_in_turn_under_any_name(library):
    truth = [t for t in "xyxxyyz" for _ in "ab"]
    columns = {"Algorithm": list("ab") * 7, "label": truth, "pred": list("xyyxxyxxyxyyzz")}
    frame, names = library(columns), {"true": "label", "pred": "pred"}
    with pytest.raises(InputError, match=r"'Algorithm' in turn, .* by='Algorithm', and by_row"):
        eh.score(frame, **names)
    assert len(eh.score(frame, **names, by="Algorithm").slices) == 2
    assert eh.score(frame, **names, by_row=True).n == 14
    sorted_by_class = library(columns | {"label": sorted(truth)})
    assert eh.score(sorted_by_class, **names).n == 14
