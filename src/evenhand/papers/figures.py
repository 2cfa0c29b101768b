"""Figures of the founding documents, redrawn, and the claims about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.catalogue.names import having
from evenhand.charts import chart
from evenhand.charts.chart import Chart, Spec, dashed, heat_map, named, numbers
from evenhand.errors import InputError
from evenhand.io.scratch import atomic_write
from evenhand.papers.claims import (
    DRAWS,
    MIXES,
    SIZES,
    Outcome,
    all_claims,
    axes,
    binary_tasks,
    chosen,
    correlation_p_value,
    figure_1a,
    gaps_by_mix,
    grid,
    judged,
    open_within,
    peaks,
    twins,
)
from evenhand.papers.overview import BOLD, COLUMNS, RANKS, SYSTEMS, TABLE, correlation
from evenhand.papers.overview_derivations import ROWS, printed_row
from evenhand.properties import table
from evenhand.properties.profile import HEADS, mark
from evenhand.results.document import Block, Content, Paragraph, Table
from evenhand.results.page import LIGHT
from evenhand.results.result import Result
from evenhand.simulate import even_errors, graded_mix
from evenhand.text import Grid, counted, number
from evenhand.warnings import Note

Rows = list[dict[str, Any]]
SAME_AS = {"accuracy@uniform": ("macro_recall", "Macro Acc."), "micro_f1": ("accuracy", "Micro F1")}
"""Rows of table 5 of Opitz (2022) that are the same as others, and what it calls them."""
TICKS = "DejaVu Sans, Segoe UI Symbol, Arial Unicode MS, sans-serif"
"""Fonts that have ✓ and ✗; others borrow them from fonts that look odd beside letters."""


class NotDrawn(Note):
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
    dot = {"mark": {"type": "point", "size": 14, "opacity": 0.5, "color": LIGHT["blue"]}}
    place = {"x": numbers(x, x), "y": numbers(y, y)}
    return {"width": 360, "height": 300, "layer": [dashed(*ends), dot], "encoding": place}


def density(rows: Rows, value: str, by: str) -> Spec:
    """A smoothed density for each group, from 0 on."""
    smooth = {"density": value, "groupby": [by], "as": [value, "density"], "steps": 300}
    smooth |= {"extent": [0, max(r[value] for r in rows)]}
    y = {"field": "density", "type": "quantitative", "stack": None}
    colour = {"field": by, "type": "nominal", "legend": {"columns": 2}}
    place = {"x": numbers(value, value), "y": y, "color": colour}
    mark = {"type": "area", "opacity": 0.35, "line": True}
    return {"width": 420, "height": 260, "transform": [smooth], "mark": mark, "encoding": place}


def surface(rows: Rows, x: str, y: str, colour: str, most: float) -> Spec:
    """A quantity over two others, seen from above, with colours up to ``most``."""

    def fifth(name: str) -> Spec:
        ticks = sorted({r[name] for r in rows})[::5]
        axis = {"values": ticks, "format": ".2f", "labelAngle": 0}
        return {"field": name, "type": "ordinal", "axis": axis}

    scale = {**graded("paper", "blue"), "domain": [0, most], "nice": False}
    legend: Spec = {"orient": "right", "title": colour, "values": [0, most / 2, most]}
    legend |= {"format": ".2f", "labelOverlap": False}
    fill = {"field": colour, "type": "quantitative", "scale": scale, "legend": legend}
    down = {"sort": "descending", **fifth(y)}
    cells = [{**r, "shade": 1, "tip": f"{r[colour]:.2f} {colour}"} for r in rows]
    return heat_map(cells, fifth(x), down, 17, 14, fill)


def squares(
    rows: Rows, x: str, y: str, colour: str, scale: Spec, *, step: int = 62, **style: Any
) -> Spec:
    """A table whose cells are written on and coloured, pale enough to be read."""
    across, down = (list(dict.fromkeys(r[name] for r in rows)) for name in (x, y))
    kind = "nominal" if isinstance(rows[0][colour], str) else "quantitative"
    fill = {"field": colour, "type": kind, "scale": scale, "legend": None}
    head = named(x, across, orient="top", labelAngle=-30, labelAlign="left")
    pale = 0.3 if kind == "nominal" else 0.6
    cells = [{**r, "shade": pale, "tip": f"{r[y]}, {r[x]}: {r['text']}"} for r in rows]
    drawing = heat_map(cells, head, named(y, down), step, 26, fill)
    drawing["layer"][0]["mark"] |= {"stroke": LIGHT["paper"]}
    drawing["layer"][1]["mark"] |= {"fontSize": 10, **style}
    return drawing


# Claims about the simulations of Opitz & Burst (2019), section 3

RUNS = 40
TASKS = 1000


def _run_range(name: str, printed: float, seed: int) -> Outcome:
    values = np.array([figure_1a(seed, run)[name] for run in range(RUNS)])
    low, high = values.min(), values.max()
    computed = f"{values.mean():.3f} on average, {low:.3f} to {high:.3f}"
    good = low - 0.005 <= printed <= high + 0.005
    evidence = f"{RUNS} runs of 1,000 data sets of 1,000 items"
    if name in ("pearson", "spearman"):
        p = correlation_p_value(abs(values).min(), TASKS)
        good &= p < 0.0001
        evidence += f"; p is {p:.1g} at the weakest correlation of them"
    return judged(good, computed, evidence)


def claim_000_figure_1a_f1_of_averages(seed: int) -> Outcome:
    """The maximum F1 of averages of a uniform random classifier at 95 : 5.

    Where: section 3, figure 1a
    Printed: about 0.56
    """
    return _run_range("f1_of_averages", 0.56, seed)


def claim_000_figure_1a_macro_f1(seed: int) -> Outcome:
    """The maximum mean of F1 of a uniform random classifier at 95 : 5.

    Where: section 3, figure 1a
    Printed: about 0.41
    """
    return _run_range("macro_f1", 0.41, seed)


def claim_000_figure_1a_rms(seed: int) -> Outcome:
    """The root mean squared deviation (RMSD) of the two macro F1s.

    Where: section 3, figure 1a
    Printed: 0.13
    """
    return _run_range("rms", 0.13, seed)


def claim_000_figure_1a_pearson(seed: int) -> Outcome:
    """The Pearson correlation of the two macro F1s over random classifiers.

    Where: section 3, figure 1a
    Printed: 0.72, p < 0.0001
    """
    return _run_range("pearson", 0.72, seed)


def claim_000_figure_1a_spearman(seed: int) -> Outcome:
    """The Spearman rank correlation of the two macro F1s over random classifiers.

    Where: section 3, figure 1a
    Printed: 0.69, p < 0.0001
    """
    return _run_range("spearman", 0.69, seed)


def claim_000_figure_1a_benevolent(seed: int) -> Outcome:
    """The F1 of averages is more benevolent towards random classifiers than the mean of F1.

    Where: section 3, figure 1a
    Printed: more benevolent

    higher in {higher:,} of {tasks:,} tasks, by {mean:.2f} on average

    two classes, 95 : 5
    """
    gaps = np.subtract(*binary_tasks(seed))
    return judged((gaps > 0).all(), higher=(gaps > 0).sum(), tasks=len(gaps), mean=gaps.mean())


def claim_000_figure_1a_rankings(seed: int) -> Outcome:
    """The two macro F1s can rank random classifiers differently.

    Where: section 3, figure 1a
    Printed: different rankings
    """
    a, b = binary_tasks(seed)
    flips = 100 * ((a[:, None] - a) * (b[:, None] - b) < 0).mean()
    return judged(flips > 0, f"{flips:.0f} % of the pairs change order", "two classes, 95 : 5")


def claim_000_imbalanced(seed: int) -> Outcome:
    """A misleadingly high F1 of averages is likely when the data set is imbalanced.

    Where: section 4, end
    Printed: likely to happen when the data set is imbalanced

    {shares}

    of 1,000 data sets of 1,000 items, predicted evenly at random, so many have a gap above 1 point
    """
    gaps = gaps_by_mix([(50, 50), (70, 30), (95, 5)], seed)
    above = {words: float((gap > 0.01).mean()) for words, gap in gaps.items()}
    low, *_, high = shares = list(above.values())
    words = "; ".join(f"{w}: {100 * x:.0f} %" for w, x in above.items())
    return judged(shares == sorted(shares) and low < 0.05 < 0.95 < high, shares=words)


def claim_000_figure_1b(seed: int) -> Outcome:
    """The density of the gap of random classifiers under several class distributions.

    Where: section 3, figure 1b
    Printed: see legend

    {means}

    the legend is not in the text: mean gaps of mixes of our own
    """
    gaps = gaps_by_mix(MIXES, seed)
    means = "; ".join(f"{words}: {g.mean():.3f}" for words, g in gaps.items())
    return open_within(min(g.min() for g in gaps.values()) >= 0, means=means)


def _peak(figure: int, sizes: tuple[int, ...], printed: float, seed: int) -> Outcome:
    points = {k: [100 * x for x in peaks(grid(figure, k, seed=seed))] for k in sizes}
    mean, single = (round(max(p[i] for p in points.values()), 1) for i in (0, 1))
    form = "{} classes: {:.2f} at the mean of the tasks, {:.2f} in a single one"
    text = "; ".join(form.format(k, *highest) for k, highest in points.items())
    return judged(mean <= printed <= single, peaks=text)


def claim_000_figure_2(seed: int) -> Outcome:
    """Differences up to 2 percentage points over class mixes, with 4 or 13 classes.

    Where: section 3, figures 2a and 2b
    Printed: up to 2 percentage points

    {peaks}

    the largest on a 21 × 21 grid, points; 200 tasks of 2,000 items each. How many tasks the figure
    has a point is not said: between one (the median of 200) and all of them
    """
    return _peak(2, SIZES, 2, seed)


def claim_000_figure_3a(seed: int) -> Outcome:
    """Differences of up to 0.8 percentage points on balanced data with 4 classes.

    Where: section 3, figure 3a
    Printed: up to 0.8 percentage points

    {peaks}

    the largest on a 21 × 21 grid, points; 200 tasks of 2,000 items each. How many tasks the figure
    has a point is not said: between one (the median of 200) and all of them
    """
    return _peak(3, (4,), 0.8, seed)


def claim_000_figure_3b(seed: int) -> Outcome:
    """Differences of up to 1.7 percentage points on balanced data with 13 classes.

    Where: section 3, figure 3b
    Printed: up to 1.7 percentage points

    {peaks}

    the largest on a 21 × 21 grid, points; 200 tasks of 2,000 items each. How many tasks the figure
    has a point is not said: between one (the median of 200) and all of them
    """
    return _peak(3, (13,), 1.7, seed)


def claim_000_figure_2_edges() -> Outcome:
    """There is a gap whenever the classifier errs and the data are skewed, and none without
    either.

    Where: section 3, figures 2a and 2b
    Printed: whenever accuracy is not 1 and the data set is skewed

    the smallest of the grid is {points:.1g} points inside, 0 on the edges

    the expected tables of the 21 × 21 grid, 4 classes
    """
    gaps = np.subtract(*_expected_twins())
    inside, perfect, even = gaps[1:, :-1].min(), gaps[:, -1].max(), gaps[0].max()
    return judged(max(perfect, even) < 1e-12 < inside, points=100 * inside)


def _expected_twins() -> tuple[Any, Any]:
    """Both macro F1s of the expected tables of figure 2a, skew × accuracy."""
    x, y = axes(4)
    return twins(graded_mix(4, y[:, None])[..., None] * even_errors(4, x[None, :]))


def claim_000_figure_2_proportional() -> Outcome:
    """Both macro F1s are roughly proportional to the probability of a correct prediction.

    Where: section 3, figures 2a and 2b
    Printed: roughly proportional to x

    largest distance from x {off:.3g}, lowest correlation {least:.6f}

    the expected tables of the 21 × 21 grid, 4 classes, each class mix
    """
    (x, _), rows = axes(4), np.concatenate(_expected_twins())
    least = min(float(np.corrcoef(row, x)[0, 1]) for row in rows)
    off = float(abs(rows - x).max())
    return judged(least > 0.99 and off < 0.1, least=least, off=off)


# Figures: data, chart, printed and measured statistics

POINTS = "gap in points"


Statistic = tuple[str, str, str]
"""What a document prints of its figure, as printed and as measured."""


@dataclass(frozen=True, eq=False)
class Figure:
    """What a figure is drawn from: rows of data, and how they are drawn."""

    title: str
    subtitle: str
    rows: Rows
    drawing: Spec
    statistics: tuple[Statistic, ...] = ()
    name: str = ""

    @property
    def chart(self) -> Chart:
        """The figure as a chart."""
        data = {"title": {"subtitle": self.subtitle}, "data": chart.rows(self.rows)}
        return Chart({**data, **self.drawing}, self.title, f"{self.subtitle}.")


@dataclass(frozen=True)
class Simulation:
    """What figures are drawn from: a seed, tasks a point, and the class mixes of figure 1b."""

    seed: int = 0
    draws: int = DRAWS
    mixes: tuple[tuple[float, ...], ...] = ()


def _figure_1a(run: Simulation) -> Figure:
    x, y = "macro F1", "F1 of averages"
    rows = [{x: float(b), y: float(a)} for a, b in zip(*binary_tasks(run.seed), strict=True)]
    printed = ("about 0.56", "about 0.41", "0.13", "0.72", "0.69")
    words = ("highest F1 of averages", "highest macro F1", "RMSD", "Pearson", "Spearman")
    measured = [f"{value:.3f}" for value in figure_1a(run.seed).values()]
    likeness = ", ".join(map(" ".join, zip(words[2:], measured[2:], strict=True)))
    return Figure(
        "Random classifiers, classes 95 : 5",
        f"{likeness}; on the dashed line both agree",
        rows,
        scatter(rows, x, y),
        tuple(zip(words, printed, measured, strict=True)),
    )


def _figure_1b(run: Simulation) -> Figure:
    gaps = gaps_by_mix(run.mixes or MIXES, run.seed)
    whose = "" if run.mixes else "; the mixes are ours, the legend is not in the text"
    rows = [{"classes": words, "gap": float(g)} for words, gap in gaps.items() for g in gap]
    return Figure(
        "Gap of random classifiers by class mix",
        f"1,000 data sets of 1,000 items each{whose}",
        rows,
        density(rows, "gap", "classes"),
        tuple((f"mean gap, {words}", "", f"{g.mean():.4f}") for words, g in gaps.items()),
    )


def _surface(figure: int, k: int, run: Simulation) -> Figure:
    stacks = {n: grid(figure, n, seed=run.seed, draws=run.draws) for n in SIZES}
    skew = "skew of the classes" if figure == 2 else "skew of the errors"
    rows = [
        {"accuracy": round(float(a), 4), skew: round(float(s), 4), POINTS: 100 * float(gap)}
        for (s, a), gap in zip(product(*axes(k)[::-1]), stacks[k].mean(axis=0).flat, strict=True)
    ]
    printed = {(3, 4): "up to 0.8", (3, 13): "up to 1.7"}.get((figure, k), "up to 2 (2a and 2b)")
    most, single = (f"{100 * peak:.2f}" for peak in peaks(stacks[k]))
    shared = max(peaks(gaps)[0] for gaps in stacks.values())
    what = "Class mix" if figure == 2 else "Kind of errors, balanced classes"
    return Figure(
        f"{what}: gap between the macro F1s, {k} classes",
        f"mean of {run.draws} tasks of 2,000 items a point; largest {most}, in the text {printed}",
        rows,
        surface(rows, "accuracy", skew, POINTS, 100 * shared),
        (("largest gap, points", printed, f"{most} (mean of {run.draws}), {single} (single run)"),),
    )


def _figure_2(run: Simulation) -> Figure:
    ranked = {c: c for c in COLUMNS} | {"kappa@uniform": "macro_recall"}  # linear in it
    rho = {(a, b): correlation(ranked[a], ranked[b]) for a in ranked for b in ranked}
    rows = [{"a": a, "b": b, "Spearman": r, "text": number(r, 0)} for (a, b), r in rho.items()]
    others = [rho["recall 2", c] for c in COLUMNS if c != "recall 2"]
    before, after = (rho[kappa, "macro_recall"] for kappa in ("kappa", "kappa@uniform"))
    scale = {"domain": [-100, 0, 100], **graded("orange", "paper", "blue")}
    return Figure(
        "Do metrics rank the systems alike?",
        "Spearman correlation × 100 over the eight systems of table 8; @uniform: calibrated",
        rows,
        squares(rows, "b", "a", "Spearman", scale),
        (
            ("recall 2 with any other, highest", "at most 14", f"{max(others):.0f}"),
            ("kappa with macro recall, not calibrated", "", f"{before:.0f}"),
            ("kappa@uniform with macro recall", "100", f"{after:.0f}"),
        ),
    )


def _table_5(run: Simulation) -> Figure:
    rows: Rows = []
    differing: list[Statistic] = []
    claims = {c.id[12:].replace("-", "_"): c.printed for c in chosen(["003-table-5"], all_claims())}
    for m, profile in table(metrics=[*ROWS, *SAME_AS], seed=run.seed).items():
        same, words = SAME_AS.get(m, (m, ""))
        title, row = f"{m} ({words})" if words else m, printed_row(claims[same])
        for head, f, cell in zip(HEADS, profile.values(), row.values(), strict=True):
            text, printed = (x.replace("1/k", "1/n") for x in (mark(f), cell))
            if text != printed:
                differing.append((f"{title}, {head}", printed, text))
                text += f" ≠ {printed}"
            rows.append({"metric": title, "property": head, "text": text, "holds": str(f.holds)})
    colours = [LIGHT[c] for c in ("green", "orange", "grey")]
    scale = {"domain": ["True", "False", "None"], "range": colours}
    return Figure(
        "The five properties, by search",
        "green has it, orange lacks it; in brackets: after calibration; ≠ what is printed",
        rows,
        squares(rows, "property", "metric", "holds", scale, step=110, font=TICKS),
        tuple(differing),
    )


def _table_8(run: Simulation) -> Figure:
    cells = zip(TABLE.flat, RANKS.flat, BOLD.flat, product(SYSTEMS, COLUMNS), strict=True)
    rows = [
        {"system": s, "metric": c, "rank": float(r), "text": f"{x:.1f} ({r:g})", "bold": bool(b)}
        for x, r, b, (s, c) in cells
    ]
    scale = {"domain": [1, 8], **graded("teal", "paper")}
    weight = {"expr": "datum.bold ? 'bold' : 'normal'"}
    return Figure(
        "Eight systems of a shared task, by metric",
        "scores and bold as printed, ranks recomputed (ties share the mean); darker is better",
        rows,
        squares(rows, "metric", "system", "rank", scale, fontWeight=weight),
    )


FIGURES: dict[str, Callable[[Simulation], Figure]] = {
    "000-figure-1a": _figure_1a,
    "000-figure-1b": _figure_1b,
    "000-figure-2a": partial(_surface, 2, 4),
    "000-figure-2b": partial(_surface, 2, 13),
    "000-figure-3a": partial(_surface, 3, 4),
    "000-figure-3b": partial(_surface, 3, 13),
    "003-figure-2": _figure_2,
    "003-table-5": _table_5,
    "003-table-8": _table_8,
}
"""What draws each figure, in the order of the documents."""


def figures(words: Sequence[str] = (), **simulation: Any) -> list[Figure]:
    """The figures whose name has the words, or all of them; ``simulation`` as ``Simulation`` has
    it: ``seed``, ``draws``, ``mixes``.
    """
    names = having(words, {name: name for name in FIGURES}) if words else list(FIGURES)
    if not names:
        raise InputError(f"no figure is called {' '.join(words)!r}: there are {', '.join(FIGURES)}")
    run = Simulation(**simulation)
    if run.mixes and "000-figure-1b" not in names:
        raise InputError(f"class mixes are of 000-figure-1b, not of {', '.join(names)}")
    if any(len(mix) < 2 or min(mix) < 0 or sum(mix) <= 0 for mix in run.mixes):
        raise InputError("a class mix must have two shares or more, not below 0, such as 70:30")
    return [replace(FIGURES[name](run), name=name) for name in names]


# Files

STATISTIC = ("figure", "what", "printed", "measured")


class RedrawnFigure(Result):
    """The files that were written, and the printed statistics beside the measured ones."""

    files: tuple[str, ...]
    statistics: tuple[tuple[str, ...], ...]

    json_fields = "files statistics=statistics_by_name notes=warnings"

    @property
    def statistics_by_name(self) -> list[dict[str, str]]:
        """The statistics, each by the names of its columns."""
        return [dict(zip(STATISTIC, row, strict=True)) for row in self.statistics]

    def content(self) -> Content:
        """Printed and measured statistics, then the files."""
        files = Paragraph("\n".join(self.files), "note")
        title = f"{counted(len(self.files), 'file')} written"
        blocks: list[Block] = [Table(self._data(), wide=60), files]
        return Content(title, blocks, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        """One row a statistic."""
        return Grid(STATISTIC, self.statistics)


def redraw(directory: str, words: Sequence[str] = (), **simulation: Any) -> RedrawnFigure:
    """Simulate and write every figure, or those whose name has the words, into the directory,
    which is made if need be.
    """
    import polars as pl

    folder, drawn = Path(directory), figures(words, **simulation)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise InputError(f"{directory} cannot be made: {e.strerror}") from None
    pictures = ("svg", "png") if chart.available() else ()
    files: list[str] = []
    for figure in drawn:
        paths = [f"{folder / figure.name}.{ending}" for ending in ("csv", "vl.json", *pictures)]
        with atomic_write(paths[0]) as part:
            pl.DataFrame(figure.rows).write_csv(part)
        drawing = figure.chart
        for path in paths[1:]:
            drawing.save(path)
        files += paths
    statistics = tuple((f.name, *row) for f in drawn for row in f.statistics)
    return RedrawnFigure(tuple(files), statistics, cautions=() if pictures else (NotDrawn(),))
