"""What the laws are tried on: tables, margins, labels, and every metric of the registry."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.spelling import Spec
from evenhand.core.registry import AVERAGES, find
from evenhand.data.cells import coalesce

PARAMETERS = {
    "beta": ("0", "0.5", "2"),
    "p": ("-inf", "-3", "-1", "0", "0.5", "2", "inf"),
    "alpha": ("0", "0.25", "1"),
    "w": ("0", "0.5"),
}
ROUNDED = {
    "aickin_alpha": 1e-5,
    "p_above_no_information_rate": 1e-7,
    "cramers_v": 1e-6,
    "pearson_c": 1e-6,
    "relative_classifier_information": 1.0,
}
"""Metrics of which a tiny rest decides, or that are found by approximation."""
DIFFERENCES = {"f1_gap", "macro_csi", "adjusted_balanced_accuracy"}
POLICIES = [0.0, 1.0, float("nan")]


def spellings(task="single", *, one_class=True):
    """Every metric of a task as it is spelled, with several values of each parameter."""
    found = []
    for m in table_metrics().values():
        if task not in m.tasks or (m.of_one_class and not one_class):
            continue
        options = ["label=0"] if m.of_one_class else []
        found.append(":".join([m.name, *options]))
        for name in m.parameters:
            for value in m.choices.get(name) or PARAMETERS[name]:
                found.append(f"{m.name}:{','.join([f'{name}={value}', *options])}")
    return found


def precision(record):
    """How far off rounding may leave a metric where weights are of all sizes or, if it takes none,
    counts are huge: 0 if every digit holds."""
    if record.name in ROUNDED:
        return ROUNDED[record.name]
    exact = record.family in ("micro", "one_class", "weighted", "items")
    exact |= record.family == "macro" and record.name not in DIFFERENCES
    exact |= record.family == "detection" and not record.one_vs_rest
    exact |= (
        record.family == "distance"
        and "kappa" not in record.name
        and not (record.name.startswith("krippendorff"))
    )
    return 0.0 if exact else 1e-12 if record.family == "association" else 1e-14


def averages():
    """The averages of metrics of one class that are made from their names."""
    names = [
        f"{kind}_{m.name}" for m in table_metrics().values() if m.of_one_class for kind in AVERAGES
    ]
    return [find(name) for name in names if name not in table_metrics()]


def fitting(texts, table):
    """Those that are defined on weights, if the table has some."""
    counted = table.weighing == "none"
    return [t for t in texts if counted or Spec.parse(t).metric.size != "matters"]


SINGLE = spellings()
COUNTS = spellings(one_class=False)


@st.composite
def cells(draw, min_k=1, max_k=5, largest=20, dtype=np.int64, shape=()):
    """k × k cells (or a stack of them), each of whose tables holds something."""
    k = draw(st.integers(min_k, max_k))
    if dtype is np.int64:
        # zeros are common, so that classes go unseen, unpredicted, untrue
        one = st.one_of(st.just(0), st.integers(0, largest))
    else:
        one = st.one_of(st.just(0.0), st.floats(0.125, float(largest), width=32))
    found = draw(hnp.arrays(dtype, (*shape, k, k), elements=one, fill=st.nothing()))
    empty = found.sum(axis=(-1, -2)) == 0
    found[empty, 0, 0] = 1
    return found


@st.composite
def full_cells(draw, min_k=2, max_k=5):
    """Cells of which every class is true of some item."""
    found = draw(cells(min_k, max_k))
    never = found.sum(axis=1) == 0
    found[never, -1] = 1
    return found


@st.composite
def tables(draw, min_k=1, max_k=5, *, outside=None, weighted=None):
    """One table, with or without an outside column, of counts or of weights."""
    weighted = draw(st.booleans()) if weighted is None else weighted
    outside = draw(st.booleans()) if outside is None else outside
    found = draw(cells(min_k, max_k, dtype=np.float64 if weighted else np.int64))
    lost = None
    if outside:
        lost = draw(hnp.arrays(found.dtype, found.shape[:-1], elements=st.integers(0, 5)))
    return eh.Confusion.from_matrix(found, outside=lost)


@st.composite
def wide(draw, orders=15):
    """A weighted table, its cells 0 or up to so many orders of magnitude apart."""
    k = draw(st.integers(1, 5))
    bottom = draw(st.integers(-orders, 0))
    top = draw(st.integers(bottom, bottom + orders))
    one = st.one_of(
        st.just(0.0),
        st.tuples(st.floats(1, 10, width=32), st.integers(bottom, top)).map(
            lambda x: x[0] * 10.0 ** x[1]
        ),
    )
    weights = draw(hnp.arrays(np.float64, (k, k), elements=one, fill=st.nothing()))
    outside = np.zeros(k)
    if draw(st.booleans()):
        outside = draw(hnp.arrays(np.float64, k, elements=one, fill=st.nothing()))
    if not weights.sum() + outside.sum():
        weights[0, 0] = 0.5
    return eh.Confusion.from_matrix(weights, outside=outside)


def sparse(table):
    """The same table, or stack of tables, in sparse cells."""
    data = coalesce(table.data.entries(), k=table.k, shape=table.shape)
    return eh.Confusion.from_cells(
        table.labels,
        data,
        keys=table.keys,
        n=table.n,
        missing=table.missing,
        dropped=table.dropped,
    )


HOSTILE = st.text(
    st.one_of(
        st.sampled_from(list(",=@:\\|%\n\t\r \"'<&$_#~^{}")),
        st.sampled_from(
            ["\u202e", "\x00", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "é", "😀", "\u200d"]
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=8,
)
LABELS = st.one_of(
    st.lists(HOSTILE, min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(-3, 9), min_size=1, max_size=5, unique=True),
)


@st.composite
def columns(draw, min_size=1, max_size=30, labels=LABELS):
    """Two columns of labels of one kind."""
    known = draw(labels)
    n = draw(st.integers(min_size, max_size))
    return tuple(draw(st.lists(st.sampled_from(known), min_size=n, max_size=n)) for _ in range(2))
