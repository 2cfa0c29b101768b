"""Figures of the founding documents, redrawn, and the claims about them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.catalogue.names import having
from evenhand.charts import chart
from evenhand.charts.chart import TEXT, Chart, Spec, numbers, text
from evenhand.charts.chart import named as chart_named
from evenhand.core.properties import NAMES
from evenhand.errors import InputError
from evenhand.io.scratch import atomic_write
from evenhand.papers.claims import (
    DRAWS,
    MIXES,
    SIZES,
    Outcome,
    axes,
    binary_tasks,
    claim,
    correlation_p_value,
    figure_1a,
    grid,
    judged,
    open_within,
    peaks,
    random_tasks,
    twins,
)
from evenhand.papers.overview import BOLD, COLUMNS, SYSTEMS, TABLE, correlation, system_ranks
from evenhand.papers.overview_derivations import ROWS
from evenhand.properties import table
from evenhand.properties.profile import HEADS, mark
from evenhand.results.document import Block, Content, Paragraph, Table
from evenhand.results.page import LIGHT
from evenhand.results.result import Result
from evenhand.simulate import even_errors, graded_mix
from evenhand.text import Cell, Grid, counted
from evenhand.warnings import ResultWarning

Rows = list[dict[str, Any]]
TICKS = "DejaVu Sans, Segoe UI Symbol, Arial Unicode MS, sans-serif"
"""Fonts that have ✓ and ✗; others borrow them from fonts that look odd beside letters."""


class NotDrawn(ResultWarning):
    """Figures were written as data and specifications only, as no renderer is installed."""

    template = """pictures were not drawn: vl-convert-python is not installed (pip install
    'evenhand[plot]'); the data and the Vega-Lite specifications were written"""


def graded(*colours: str) -> Spec:
    """A scale that goes through these colours of the theme."""
    return {"range": [LIGHT[c] for c in colours], "interpolate": "rgb"}


def scatter(rows: Rows, x: str, y: str) -> Spec:
    """Points, and the line on which both scores would be the same."""
    values = [r[name] for r in rows for name in (x, y)]
    ends = [{x: end, y: end} for end in (min(values), max(values))]
    place = {"x": numbers(x, x), "y": numbers(y, y)}
    dot = {"type": "point", "size": 14, "opacity": 0.5, "color": LIGHT["blue"]}
    dashes = {"type": "line", "strokeDash": [4, 4], "color": LIGHT["soft"]}
    diagonal = {"data": {"values": ends}, "mark": dashes, "encoding": place}
    return {"width": 360, "height": 300, "layer": [diagonal, {"mark": dot, "encoding": place}]}


def density(rows: Rows, value: str, by: str) -> Spec:
    """A smoothed density for each group, from 0 on."""
    smooth = {"density": value, "groupby": [by], "as": [value, "density"], "steps": 300}
    return {
        "width": 420,
        "height": 260,
        "transform": [{**smooth, "extent": [0, max(r[value] for r in rows)]}],
        "mark": {"type": "area", "opacity": 0.35, "line": True},
        "encoding": {
            "x": {"field": value, "type": "quantitative", "title": value},
            "y": {"field": "density", "type": "quantitative", "stack": None},
            "color": {"field": by, "type": "nominal", "legend": {"columns": 2}},
        },
    }


def heatmap(rows: Rows, x: str, y: str, colour: str, most: float) -> Spec:
    """A surface over two quantities, seen from above, with colours up to ``most``."""

    def fifth(name: str) -> Spec:
        ticks = sorted({r[name] for r in rows})[::5]
        return {"field": name, "type": "ordinal", "axis": {"values": ticks, "format": ".2f"}}

    scale = {**graded("paper", "blue"), "domain": [0, most], "nice": False}
    legend: Spec = {"orient": "right", "title": colour, "values": [0, most / 2, most]}
    legend |= {"format": ".2f", "labelOverlap": False}
    shade = {"field": colour, "type": "quantitative", "scale": scale, "legend": legend}
    down = {"sort": "descending", **fifth(y)}
    return {
        "width": 360,
        "height": 300,
        "mark": {"type": "rect", "tooltip": True},
        "encoding": {"x": fifth(x), "y": down, "color": shade},
    }


def squares(
    rows: Rows, x: str, y: str, colour: str, scale: Spec, *, step: int = 62, **style: Any
) -> Spec:
    """A table whose cells are written on and coloured, pale enough to be read."""
    across, down = (list(dict.fromkeys(r[name] for r in rows)) for name in (x, y))
    kind = "quantitative" if isinstance(rows[0][colour], float | int) else "nominal"
    shade = {"field": colour, "type": kind, "scale": scale, "legend": None}
    opacity = style.pop("opacity", 0.6)
    mark = {"type": "rect", "stroke": LIGHT["paper"], "fillOpacity": opacity}
    head = chart_named(x, across, orient="top", labelAngle=-30, labelAlign="left")
    return {
        "width": {"step": step},
        "height": {"step": 26},
        "encoding": {"x": head, "y": chart_named(y, down)},
        "layer": [
            {"mark": mark, "encoding": {"fill": shade}},
            text({"fontSize": 10, **style}, TEXT),
        ],
    }


# Claims about the simulations of Opitz & Burst (2019), section 3

RUNS = 40
TASKS = 1000


def _run_range(name: str, printed: float, seed: int) -> Outcome:
    values = np.array([figure_1a(seed, run)[name] for run in range(RUNS)])
    low, high = values.min() - 0.005, values.max() + 0.005  # printed to two digits
    return judged(
        bool(low <= printed <= high),
        f"{values.mean():.3f} on average, {values.min():.3f} to {values.max():.3f}",
        f"{RUNS} runs of 1,000 data sets of 1,000 items",
    )


def _correlation(name: str, printed: float, seed: int) -> Outcome:
    within = _run_range(name, printed, seed)
    least = min(abs(figure_1a(seed, run)[name]) for run in range(RUNS))
    p = correlation_p_value(least, TASKS)
    return judged(
        within.verdict == "holds" and p < 0.0001,
        within.computed,
        f"{within.evidence}; p is {p:.1g} at the weakest correlation of them",
    )


_RANDOM = "of a uniform random classifier at 95 : 5"
_OVER = "of the two macro F1s over random classifiers"
for _name, _value, _printed, _judge, _text in (
    ("f1_of_averages", 0.56, "about 0.56", _run_range, f"maximum F1 of averages {_RANDOM}"),
    ("macro_f1", 0.41, "about 0.41", _run_range, f"maximum mean of F1 {_RANDOM}"),
    ("rms", 0.13, "0.13", _run_range, "root mean squared deviation (RMSD) of the two macro F1s"),
    ("pearson", 0.72, "0.72, p < 0.0001", _correlation, f"Pearson correlation {_OVER}"),
    ("spearman", 0.69, "0.69, p < 0.0001", _correlation, f"Spearman rank correlation {_OVER}"),
):
    _id, _text = f"000-figure-1a-{_name.replace('_', '-')}", f"The {_text}."
    _register = claim(_id, "section 3, figure 1a", _printed, _text, drawn=True)
    _register(partial(_judge, _name, _value))


@claim("000-figure-1a-benevolent", "section 3, figure 1a", "more benevolent", drawn=True)
def benevolent(seed: int) -> Outcome:
    """The F1 of averages is more benevolent towards random classifiers than the mean of F1."""
    a, b = binary_tasks(seed)
    return judged(
        bool((a > b).all()),
        f"higher in {(a > b).sum():,} of {len(a):,} tasks, by {(a - b).mean():.2f} on average",
        "two classes, 95 : 5",
    )


@claim("000-figure-1a-rankings", "section 3, figure 1a", "different rankings", drawn=True)
def figure_rankings(seed: int) -> Outcome:
    """The two macro F1s can rank random classifiers differently."""
    a, b = binary_tasks(seed)
    flips = ((a[:, None] - a) * (b[:, None] - b) < 0).mean()
    return judged(
        bool(flips > 0), f"{100 * flips:.0f} % of the pairs change order", "two classes, 95 : 5"
    )


@claim(
    "000-imbalanced", "section 4", "likely to happen when the data set is imbalanced", drawn=True
)
def imbalanced(seed: int) -> Outcome:
    """A misleadingly high F1 of averages is likely when the data set is imbalanced."""
    mixes = {"50 : 50": (0.5, 0.5), "70 : 30": (0.7, 0.3), "95 : 5": (0.95, 0.05)}
    above = {
        w: float((np.subtract(*random_tasks(m, seed)) > 0.01).mean()) for w, m in mixes.items()
    }
    low, *_, high = shares = list(above.values())
    return judged(
        shares == sorted(shares) and low < 0.05 < 0.95 < high,
        ", ".join(f"{w}: {100 * x:.0f} %" for w, x in above.items()),
        "of 1,000 data sets of 1,000 items, two classes, predicted evenly at random, so many have "
        "a gap above 1 point",
    )


@claim("000-figure-1b", "section 3, figure 1b", "see legend", drawn=True)
def figure_1b(seed: int) -> Outcome:
    """The density of the gap of random classifiers under several class distributions."""
    gaps = {words: np.subtract(*random_tasks(mix, seed)) for words, mix in MIXES.items()}
    means = "; ".join(f"{words}: {g.mean():.3f}" for words, g in gaps.items())
    possible = min(float(g.min()) for g in gaps.values()) >= 0
    return open_within(
        possible, means, "the legend is not in the text: mean gaps of mixes of our own"
    )


def _rounded(x: float) -> float:
    """In points, to one digit."""
    return round(100 * x, 1)


@claim("000-figure-2", "section 3, figures 2a and 2b", "up to 2 percentage points", drawn=True)
def figure_2(seed: int) -> Outcome:
    """Differences up to 2 percentage points over class mixes, with 4 or 13 classes."""
    return _peak(2, SIZES, 2.0, seed)


@claim("000-figure-3a", "section 3, figure 3a", "up to 0.8 percentage points", drawn=True)
def figure_3a(seed: int) -> Outcome:
    """Differences of up to 0.8 percentage points on balanced data with 4 classes."""
    return _peak(3, (4,), 0.8, seed)


@claim("000-figure-3b", "section 3, figure 3b", "up to 1.7 percentage points", drawn=True)
def figure_3b(seed: int) -> Outcome:
    """Differences of up to 1.7 percentage points on balanced data with 13 classes."""
    return _peak(3, (13,), 1.7, seed)


def _peak(figure: int, sizes: tuple[int, ...], printed: float, seed: int) -> Outcome:
    by_size = {k: peaks(grid(figure, k, seed=seed)) for k in sizes}
    mean, single = (max(p[i] for p in by_size.values()) for i in (0, 1))
    text = "; ".join(
        f"{k} classes: {100 * m:.2f} at the mean of the tasks, {100 * s:.2f} in a single one"
        for k, (m, s) in by_size.items()
    )
    return judged(
        _rounded(mean) <= printed <= _rounded(single),
        text,
        "the largest on a 21 × 21 grid, points; 200 tasks of 2,000 items each. How many tasks the "
        "figure has a point is not said: between one (the median of 200) and all of them",
    )


@claim(
    "000-figure-2-edges",
    "section 3, figures 2a and 2b",
    "whenever accuracy is not 1 and the data set is skewed",
)
def edges() -> Outcome:
    """There is a gap whenever the classifier errs and the data are skewed, and none without
    either.
    """
    x, y = axes(4)
    expected = graded_mix(4, y[:, None])[..., None] * even_errors(4, x[None, :])
    a, b = twins(expected)
    gaps = a - b
    inside, perfect, even = gaps[1:, :-1].min(), gaps[:, -1].max(), gaps[0].max()
    return judged(
        bool(max(perfect, even) < 1e-12 < inside),
        f"the smallest of the grid is {100 * inside:.1g} points inside, 0 on the edges",
        "the expected tables of the 21 × 21 grid, 4 classes",
    )


@claim("000-figure-2-proportional", "section 3, figures 2a and 2b", "roughly proportional to x")
def proportional() -> Outcome:
    """Both macro F1s are roughly proportional to the probability of a correct prediction."""
    x, y = axes(4)
    f1_scores = twins(graded_mix(4, y[:, None])[..., None] * even_errors(4, x[None, :]))
    least = [min(float(np.corrcoef(row, x)[0, 1]) for row in f) for f in f1_scores]
    off = [float(abs(f - x).max()) for f in f1_scores]
    return judged(
        min(least) > 0.99 and max(off) < 0.1,
        f"largest distance from x {max(off):.3g}, lowest correlation {min(least):.6f}",
        "the expected tables of the 21 × 21 grid, 4 classes, each class mix",
    )


# Figures: data, chart, printed and measured statistics

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
    """What a figure is drawn from: rows of data, and how they are drawn."""

    name: str
    title: str
    subtitle: str
    rows: Rows
    drawing: Spec
    statistics: tuple[Statistic, ...] = ()

    @property
    def chart(self) -> Chart:
        """The figure as a chart."""
        data = {"title": {"subtitle": self.subtitle}, "data": chart.rows(self.rows)}
        return Chart({**data, **self.drawing}, self.title, f"{self.subtitle}.")


def _figure_1a(seed: int) -> Figure:
    name, x, y = "000-figure-1a", "macro F1", "F1 of averages"
    rows = [{x: float(b), y: float(a)} for a, b in zip(*binary_tasks(seed), strict=True)]
    printed = ("about 0.56", "about 0.41", "0.13", "0.72", "0.69")
    words = ("highest F1 of averages", "highest macro F1", "RMSD", "Pearson", "Spearman")
    measured = [f"{value:.3f}" for value in figure_1a(seed).values()]
    likeness = ", ".join(map(" ".join, zip(words[2:], measured[2:], strict=True)))
    return Figure(
        name,
        "Random classifiers, classes 95 : 5",
        f"{likeness}; on the dashed line both agree",
        rows,
        scatter(rows, x, y),
        tuple(Statistic(name, *row) for row in zip(words, printed, measured, strict=True)),
    )


def _figure_1b(seed: int) -> Figure:
    name = "000-figure-1b"
    gaps = {words: np.subtract(*random_tasks(mix, seed)) for words, mix in MIXES.items()}
    rows = [{"classes": words, "gap": float(g)} for words, gap in gaps.items() for g in gap]
    return Figure(
        name,
        "Gap of random classifiers by class mix",
        "1,000 data sets of 1,000 items each; the mixes are ours, the legend is not in the text",
        rows,
        density(rows, "gap", "classes"),
        tuple(Statistic(name, f"mean gap, {w}", "", f"{g.mean():.4f}") for w, g in gaps.items()),
    )


def _surface(figure: int, k: int, seed: int, draws: int) -> Figure:
    name = f"000-figure-{figure}{'a' if k == 4 else 'b'}"
    gaps = grid(figure, k, seed=seed, draws=draws)
    x, y = axes(k)
    skew = "skew of the classes" if figure == 2 else "skew of the errors"
    rows = [
        {"accuracy": round(float(a), 4), skew: round(float(s), 4), POINTS: 100 * float(gap)}
        for s, row in zip(y, gaps.mean(axis=0), strict=True)
        for a, gap in zip(x, row, strict=True)
    ]
    printed = {(3, 4): "up to 0.8", (3, 13): "up to 1.7"}.get((figure, k), "up to 2 (2a and 2b)")
    most, single = (f"{100 * peak:.2f}" for peak in peaks(gaps))
    peak = f"{most} (mean of {draws}), {single} (single run)"
    shared = max(peaks(grid(figure, n, seed=seed, draws=draws))[0] for n in SIZES)
    what = "Class mix" if figure == 2 else "Kind of errors, balanced classes"
    return Figure(
        name,
        f"{what}: gap between the macro F1s, {k} classes",
        f"mean of {draws} tasks of 2,000 items a point; largest {most}, in the text {printed}",
        rows,
        heatmap(rows, "accuracy", skew, POINTS, 100 * shared),
        (Statistic(name, "largest gap, points", printed, peak),),
    )


def _figure_2() -> Figure:
    ranked = {c: c for c in COLUMNS} | {"kappa@uniform": "macro_recall"}  # linear in it
    rho = {(a, b): correlation(ranked[a], ranked[b]) for a in ranked for b in ranked}
    rows = [{"a": a, "b": b, "Spearman": r, "text": f"{r:.0f}"} for (a, b), r in rho.items()]
    name, others = "003-figure-2", [rho["recall 2", c] for c in COLUMNS if c != "recall 2"]
    statistics = (
        ("recall 2 with any other, highest", "at most 14", f"{max(others):.0f}"),
        ("kappa with macro recall, not calibrated", "", f"{rho['kappa', 'macro_recall']:.0f}"),
        ("kappa@uniform with macro recall", "100", f"{rho['kappa@uniform', 'macro_recall']:.0f}"),
    )
    scale = {"domain": [-100, 0, 100], **graded("orange", "paper", "blue")}
    return Figure(
        name,
        "Do metrics rank the systems alike?",
        "Spearman correlation × 100 over the eight systems of table 8",
        rows,
        squares(rows, "b", "a", "Spearman", scale),
        tuple(Statistic(name, *row) for row in statistics),
    )


def _table_5(seed: int) -> Figure:
    same_rows = {"accuracy@uniform": "macro_recall", "micro_f1": "accuracy"}  # Macro Acc., Micro F1
    name, profiles = "003-table-5", table(metrics=[*ROWS, *same_rows], seed=seed)
    heads = dict(zip(NAMES, HEADS, strict=True))
    printed = [
        mark.replace("1/k", "1/n") for m in profiles for mark in ROWS[same_rows.get(m, m)][2:]
    ]
    rows = [
        {"metric": p.metric, "property": heads[n], "text": mark(f), "holds": str(f.holds)}
        for p in profiles.values()
        for n, f in p.items()
    ]
    for row, as_printed in zip(rows, printed, strict=True):
        text = row["text"].replace("1/k", "1/n")
        row["text"] = text if text == as_printed else f"{text} ≠ {as_printed}"
    colours = [LIGHT[c] for c in ("green", "orange", "grey")]
    scale = {"domain": ["True", "False", "None"], "range": colours}
    return Figure(
        name,
        "The five properties, by search",
        "green has it, orange lacks it; in brackets: after calibration; ≠ what is printed",
        rows,
        squares(rows, "property", "metric", "holds", scale, step=110, opacity=0.3, font=TICKS),
        tuple(
            Statistic(name, f"{r['metric']}, {r['property']}", mark, r["text"].partition(" ≠")[0])
            for r, mark in zip(rows, printed, strict=True)
            if "≠" in r["text"]
        ),
    )


def _table_8() -> Figure:
    rows = [
        {
            "system": s,
            "metric": c,
            "rank": float(rank),
            "text": f"{x:.1f} ({rank:g})",
            "bold": bool(b),
        }
        for s, *values in zip(SYSTEMS, TABLE, system_ranks(), BOLD, strict=True)
        for c, x, rank, b in zip(COLUMNS, *values, strict=True)
    ]
    return Figure(
        "003-table-8",
        "Eight systems of a shared task, by metric",
        "scores and bold as printed, ranks recomputed (ties share the mean); darker is better",
        rows,
        squares(
            rows,
            "metric",
            "system",
            "rank",
            {"domain": [1, 8], **graded("teal", "paper")},
            fontWeight={"expr": "datum.bold ? 'bold' : 'normal'"},
        ),
    )


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
    matching = having(words, {name: name for name in FIGURES}) if words else list(FIGURES)
    if not matching:
        known = ", ".join(FIGURES)
        raise InputError(f"no figure is called {' '.join(words)!r}: there are {known}")
    return matching


def figures(words: Sequence[str] = (), *, seed: int = 0, draws: int = DRAWS) -> list[Figure]:
    """The figures whose name has the words, or all of them."""
    return [FIGURES[name](seed, draws) for name in named(words)]


# Files


@dataclass(frozen=True, eq=False, repr=False)
class RedrawnFigure(Result):
    """The files that were written, and the printed statistics beside the measured ones."""

    files: tuple[str, ...]
    statistics: tuple[Statistic, ...]
    cautions: tuple[ResultWarning, ...] = ()

    def to_json_object(self) -> dict[str, Any]:
        """What ``evenhand papers figures --format json`` prints."""
        return {
            "files": self.files,
            "statistics": [vars(s) for s in self.statistics],
            "notes": self.warnings,
        }

    def content(self) -> Content:
        """Printed and measured statistics, then the files."""
        blocks: list[Block] = [
            Table(self._data(), wide=60),
            Paragraph("\n".join(self.files), "note"),
        ]
        title = f"{counted(len(self.files), 'file')} written"
        return Content(title, blocks, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        """One row a statistic."""
        rows: list[list[Cell]] = [[*vars(s).values()] for s in self.statistics]
        return Grid(["figure", "what", "printed", "measured"], rows)


def redraw(
    directory: str, words: Sequence[str] = (), *, seed: int = 0, draws: int = DRAWS
) -> RedrawnFigure:
    """Simulate and write every figure, or those whose name has the words, into the directory,
    which is made if need be.
    """
    names = named(words)
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise InputError(f"{directory} cannot be made: {e.strerror}") from None
    drawn = [FIGURES[name](seed, draws) for name in names]
    rendering = chart.available()
    files = tuple(file for figure in drawn for file in _written(figure, folder, rendering))
    statistics = tuple(s for f in drawn for s in f.statistics)
    return RedrawnFigure(files, statistics, () if rendering else (NotDrawn(),))


def _written(figure: Figure, folder: Path, rendering: bool) -> list[str]:
    chart = figure.chart
    content: dict[str, str | bytes] = {"csv": _rows(figure), "vl.json": f"{chart.to_json()}\n"}
    if rendering:
        content |= {"svg": chart.to_svg(), "png": chart.to_png()}
    names = []
    for ending, body in content.items():
        names.append(f"{folder / figure.name}.{ending}")
        with atomic_write(names[-1]) as part:
            part.write_bytes(body if isinstance(body, bytes) else body.encode("utf-8"))
    return names


def _rows(figure: Figure) -> str:
    """The data of a figure as CSV."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(figure.rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(figure.rows)
    return file.getvalue()
