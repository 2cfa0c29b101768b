"""The documents' figures, from fresh simulation: data, specification, printed and measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from evenhand.catalogue.searching import having
from evenhand.core.promises import NAMES
from evenhand.draw.chart import Chart
from evenhand.errors import InputError
from evenhand.papers import charts
from evenhand.papers.overview_properties import ROWS
from evenhand.papers.overview_study import COLUMNS, SYSTEMS, TABLE, correlation, placed
from evenhand.papers.simulations import (
    DRAWS,
    MIXES,
    axes,
    binary_tasks,
    figure_1a,
    grid,
    peaks,
    random_tasks,
)
from evenhand.properties import table
from evenhand.properties.content import HEADS, mark
from evenhand.results.colours import LIGHT

POINTS = "gap in points"


@dataclass(frozen=True)
class Statistic:
    """A number that a document prints of its figure, beside ours."""

    figure: str
    what: str
    printed: str
    measured: str


@dataclass(frozen=True, eq=False)
class Figure:
    """What a figure is drawn from."""

    name: str
    rows: charts.Rows
    chart: Chart
    statistics: tuple[Statistic, ...] = ()


def _figure_1a(seed: int) -> Figure:
    name = "000-figure-1a"
    a, b = binary_tasks(seed)
    rows = [{"macro F1": float(y), "F1 of averages": float(x)} for x, y in zip(a, b, strict=True)]
    printed = ("about 0.56", "about 0.41", "0.13", "0.72", "0.69")
    words = ("highest F1 of averages", "highest macro F1", "RMSD", "Pearson", "Spearman")
    measured = figure_1a(seed).values()
    return Figure(
        name,
        rows,
        charts.scatter(
            "Random classifiers, classes 95 : 5",
            "1,000 data sets of 1,000 items; on the dashed line both macro F1s would agree",
            rows,
            "macro F1",
            "F1 of averages",
        ),
        tuple(
            Statistic(name, w, p, f"{m:.3f}")
            for w, p, m in zip(words, printed, measured, strict=True)
        ),
    )


def _figure_1b(seed: int) -> Figure:
    rows, name = [], "000-figure-1b"
    statistics = []
    for words, mix in MIXES.items():
        a, b = random_tasks(mix, seed)
        rows += [{"classes": words, "gap": float(g)} for g in a - b]
        statistics.append(Statistic(name, f"mean gap, {words}", "", f"{(a - b).mean():.4f}"))
    chart = charts.density(
        "Gap of random classifiers by class mix",
        "1,000 data sets of 1,000 items each; the mixes are ours, the legend is not in the text",
        rows,
        "gap",
        "classes",
    )
    return Figure(name, rows, chart, tuple(statistics))


def _surface(figure: int, k: int, seed: int, draws: int) -> Figure:
    name = f"000-figure-{figure}{'a' if k == 4 else 'b'}"
    gaps = grid(figure, k, seed=seed, draws=draws)
    mean = gaps.mean(axis=0)
    x, y = axes(k)
    skew = "skew of the classes" if figure == 2 else "skew of the errors"
    rows = [
        {"accuracy": round(float(a), 4), skew: round(float(s), 4), POINTS: 100 * float(gap)}
        for s, row in zip(y, mean, strict=True)
        for a, gap in zip(x, row, strict=True)
    ]
    printed = {(3, 4): "up to 0.8", (3, 13): "up to 1.7"}.get((figure, k), "up to 2 (2a and 2b)")
    most, single = peaks(gaps)
    peak = f"{100 * most:.2f} (mean of {draws}), {100 * single:.2f} (single run)"
    what = "Class mix" if figure == 2 else "Kind of errors, balanced classes"
    return Figure(
        name,
        rows,
        charts.heatmap(
            f"{what}: gap between the macro F1s, {k} classes",
            f"mean of {draws} tasks of 2,000 items a point; largest {100 * most:.2f}, "
            f"in the text {printed}",
            rows,
            "accuracy",
            skew,
            POINTS,
        ),
        (Statistic(name, "largest gap, points", printed, peak),),
    )


def _figure_2() -> Figure:
    rho = {(a, b): correlation(a, b) for a in COLUMNS for b in COLUMNS}
    rows = [{"a": a, "b": b, "Spearman": r, "text": f"{r:.0f}"} for (a, b), r in rho.items()]
    name = "003-figure-2"
    others = [rho["recall 2", c] for c in COLUMNS if c != "recall 2"]
    chart = charts.squares(
        "Do metrics rank the systems alike?",
        "Spearman correlation × 100 over the eight systems of table 8",
        rows,
        "b",
        "a",
        "text",
        "Spearman",
        domain=[-100, 0, 100],
        **charts.graded("orange", "paper", "blue"),
    )
    statistics = (
        Statistic(name, "recall 2 with any other, highest", "at most 14", f"{max(others):.0f}"),
        Statistic(
            name,
            "kappa with macro recall, not calibrated",
            "",
            f"{rho['kappa', 'macro_recall']:.0f}",
        ),
    )
    return Figure(name, rows, chart, statistics)


def _table_5(seed: int) -> Figure:
    name, found = "003-table-5", table(metrics=list(ROWS), seed=seed)
    heads = dict(zip(NAMES, HEADS, strict=True))
    rows = [
        {"metric": p.metric, "property": heads[n], "text": mark(f), "holds": str(f.holds)}
        for p in found.values()
        for n, f in p.items()
    ]
    printed = (mark for _, _, *marks in ROWS.values() for mark in marks)
    differing = tuple(
        Statistic(name, f"{r['metric']}, {r['property']}", mark, r["text"])
        for r, mark in zip(rows, printed, strict=True)
        if r["text"] != mark
    )
    chart = charts.squares(
        "The five properties, by search",
        "green has it, orange lacks it; in brackets: after calibration to equal classes",
        rows,
        "property",
        "metric",
        "text",
        "holds",
        domain=["True", "False", "None"],
        range=[LIGHT[c] for c in ("green", "orange", "grey")],
        step=110,
        opacity=0.3,
        font=charts.TICKS,
    )
    return Figure(name, rows, chart, differing)


def _table_8() -> Figure:
    places = placed()
    rows = [
        {
            "system": s,
            "metric": c,
            "rank": float(places[i, j]),
            "text": f"{TABLE[i, j]:.1f} ({places[i, j]:g})",
        }
        for i, s in enumerate(SYSTEMS)
        for j, c in enumerate(COLUMNS)
    ]
    chart = charts.squares(
        "Eight systems of a shared task, by metric",
        "scores as printed, ranks recomputed (ties share the mean); the darker, the better",
        rows,
        "metric",
        "system",
        "text",
        "rank",
        domain=[1, 8],
        **charts.graded("teal", "paper"),
    )
    return Figure("003-table-8", rows, chart)


FIGURES: dict[str, Callable[[int, int], Figure]] = {
    "000-figure-1a": lambda seed, draws: _figure_1a(seed),
    "000-figure-1b": lambda seed, draws: _figure_1b(seed),
    "000-figure-2a": partial(_surface, 2, 4),
    "000-figure-2b": partial(_surface, 2, 13),
    "000-figure-3a": partial(_surface, 3, 4),
    "000-figure-3b": partial(_surface, 3, 13),
    "003-figure-2": lambda seed, draws: _figure_2(),
    "003-table-5": lambda seed, draws: _table_5(seed),
    "003-table-8": lambda seed, draws: _table_8(),
}
"""What draws each figure from a seed and a number of tasks, in the order of the documents."""


def named(words: Sequence[str]) -> list[str]:
    """The figures whose name has the words, or all of them."""
    found = having(words, {name: name for name in FIGURES}) if words else list(FIGURES)
    if not found:
        known = ", ".join(FIGURES)
        raise InputError(f"no figure is called {' '.join(words)!r}: there are {known}")
    return found


def figures(words: Sequence[str] = (), *, seed: int = 0, draws: int = DRAWS) -> list[Figure]:
    """The figures whose name has the words, or all of them."""
    return [FIGURES[name](seed, draws) for name in named(words)]
