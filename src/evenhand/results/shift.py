"""Prevalence in words and as tables: extrapolations, sweeps and estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.results.grid import Cell, Grid, plain
from evenhand.results.text import counted, shortened, visible

if TYPE_CHECKING:
    from evenhand.shift.estimation import PrevalenceEstimate
    from evenhand.shift.extrapolation import Extrapolation
    from evenhand.shift.sweeps import Sweep

SHOWN_CLASSES = 50
ASSUMED = (
    "This holds if only the class mix changes: the items of each class must be like those here."
)


def side_by_side(found: Extrapolation, called: str = "expected") -> Grid:
    """One row a metric: its value here and under the other mix, with intervals."""
    sure = any(v.low is not None for v in (*found.observed.values(), *found.expected.values()))
    ends = ["low", "high"] if sure else []
    head = ["metric", "observed", *ends, called, *ends]
    rows: list[list[Cell]] = []
    for name, v in found.observed.items():
        w = found.expected[name]
        tails: list[list[Cell]] = [[x.low, x.high] if sure else [] for x in (v, w)]
        rows.append([name, v.value, *tails[0], w.value, *tails[1]])
    return Grid(head, rows, notes=[f"Signature: {found.signature}"])


def class_shifts(found: Extrapolation) -> Grid:
    """One row a class: its shares and precision then and now, and the scores to expect."""
    sure = any(v.low is not None for c in found.classes for v in c.expected.values())
    ends = ["low", "high"] if sure else []
    head = ["class", "share", "new share", "predicted", "precision", "new precision", *ends]
    head += ["recall", *ends, "new F1", *ends]
    rows: list[list[Cell]] = []
    for c in found.classes:
        row: list[Cell] = [str(c.label), *c.share, c.predicted[1], c.observed["precision"].value]
        for name in ("precision", "recall", "f1"):
            v = c.expected[name]
            row += [v.value, *([v.low, v.high] if sure else [])]
        rows.append(row)
    return Grid(head, rows)


def extrapolation_text(
    found: Extrapolation, name: str, digits: int, *, classes: bool, fancy: bool = False
) -> str:
    """Facts, classes if asked for, metrics side by side, the assumption, the signature."""
    facts = [counted(found.n, "item", "items"), counted(len(found.labels), "class", "classes")]
    mix = found.signature.prevalence
    called = "expected" if classes else "calibrated"
    to = "equal shares" if mix == "uniform" else shortened(mix, 60)
    facts.append(f"{called} {'at' if classes else 'to'} {to}")
    if found.level is not None:
        facts.append(f"{100 * found.level:g} % intervals")
    parts = [_title(f"{visible(name)}: {visible(', '.join(facts))}", fancy)]
    if classes:
        parts.append(class_table(found.class_grid, digits))
    parts.append(plain(side_by_side(found, called), digits))
    return "\n\n".join([*parts, ASSUMED, f"signature  {found.signature}"])


def class_table(grid: Grid, digits: int) -> str:
    """The first classes of a table, and how many more there are."""
    text = plain(Grid(grid.columns, grid.rows[:SHOWN_CLASSES]), digits)
    more = len(grid.rows) - SHOWN_CLASSES
    return text + (f"\n… and {more:,} more classes (--format csv)" if more > 0 else "")


def _title(text: str, fancy: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if fancy else text


ROUND = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
FEW_SHARES = 20


def sweep_grid(found: Sweep) -> Grid:
    """One row a share; the round ones, where there are many."""
    several = len(found.systems) > 1
    head = ["share"]
    columns = []
    for metric in next(iter(found.curves.values())):
        for name, curves in found.curves.items():
            head.append(f"{metric} ({name})" if several else metric)
            columns.append(curves[metric].value)
    rows: list[list[Cell]] = []
    for i, share in enumerate(found.shares):
        if len(found.shares) <= FEW_SHARES or any(abs(share - r) < 1e-9 for r in ROUND):
            rows.append([f"{share:g}", *(c[i] for c in columns)])
    return Grid(head, rows, notes=[f"Signature: {found.signature}"])


def crossing_grid(found: Sweep) -> Grid:
    """Where two systems change places on each metric, or who leads all along."""
    rows: list[list[Cell]] = []
    for metric in next(iter(found.curves.values())):
        here = [c for c in found.crossings if c.metric == metric]
        for c in here:
            rows.append([metric, c.share, c.low, c.high, c.below, c.above])
        if not here:
            if metric not in found.leads:
                continue
            leader = found.leads[metric]
            rows.append([metric, None, None, None, *([leader or "neither"] * 2)])
    head = ["metric", "change at", "low", "high", "leads below", "leads above"]
    return Grid(head, rows)


def _changes(found: Sweep, digits: int) -> list[str]:
    """The changes of places as a table, and a sentence on the metrics without one."""
    parts = []
    grid = found.crossing_grid
    changes = [r for r in grid.rows if r[1] is not None]
    if changes:
        parts.append(plain(Grid(grid.columns, changes), digits))
        parts.append(
            "From low to high the difference is not clear of 0; empty: as far as the sweep goes."
        )
    by: dict[str | None, list[str]] = {}
    for metric, leader in found.leads.items():
        by.setdefault(leader, []).append(metric)
    for leader, metrics in by.items():
        who = "They are equal" if leader is None else f"{visible(leader)} leads"
        parts.append(f"{who} at every share on {', '.join(metrics)}.")
    return parts


def sweep_text(found: Sweep, name: str, digits: int, *, fancy: bool = False) -> str:
    """Facts, where two systems change places, the curves at round shares."""
    label = visible(shortened(repr(found.label), 40))
    facts = f"{visible(name)}: {counted(found.n, 'item', 'items')}; share of {label} from "
    facts += f"{found.shares[0]:g} to {found.shares[-1]:g} (here {found.observed:.4g}), "
    facts += "the other classes in proportion"
    parts = [_title(facts, fancy)]
    if len(found.systems) == 2:
        parts += _changes(found, digits)
    grid, wide = found.grid, 1 + 6
    for start in range(1, len(grid.columns), wide - 1):  # as many columns as fit a line
        at = [0, *range(start, min(start + wide - 1, len(grid.columns)))]
        part = Grid([grid.columns[i] for i in at], [[r[i] for i in at] for r in grid.rows])
        parts.append(plain(part, digits))
    if len(grid.rows) < len(found.shares):
        parts.append(
            f"{len(found.shares)} shares were computed; all of them, with intervals: --format csv"
        )
    return "\n\n".join([*parts, ASSUMED, f"signature  {found.signature}"])


METHOD_NAMES = {
    "adjusted": "adjusted count",
    "likelihood": "likelihood",
    "saerens": "Saerens",
    "stated": "stated",
}


def estimate_grid(found: PrevalenceEstimate) -> Grid:
    """One row a class: its share in the labelled data and, by every method, in the new data."""
    methods = list(found.classes[0].shares)
    head = ["class", "labelled"]
    for m in methods:
        head += [METHOD_NAMES[m], *(["low", "high"] if m != "stated" else [])]
    rows: list[list[Cell]] = []
    for c in found.classes:
        row: list[Cell] = [str(c.label), c.labelled]
        for m in methods:
            v = c.shares[m]
            row += [v.value, *([v.low, v.high] if m != "stated" else [])]
        rows.append(row)
    return Grid(head, rows, notes=[f"Signature: {found.signature}"])


def prediction_grid(found: PrevalenceEstimate) -> Grid:
    """One row a class: predictions and precision, with the expected and the measured share."""
    head = ["class", "predicted", "expected", "precision", "low", "high", "by measured share"]
    rows: list[list[Cell]] = [
        [
            str(c.label),
            c.measured,
            c.expected,
            c.precision.value,
            c.precision.low,
            c.precision.high,
            c.precision_measured.value,
        ]
        for c in found.classes
    ]
    if any(found.outside):
        rows.append(["(no class)", *found.outside, None, None, None, None])
    return Grid(head, rows)


def expected_grid(found: PrevalenceEstimate) -> Grid:
    """One row a metric, as expected on the new data."""
    rows: list[list[Cell]] = [[n, v.value, v.low, v.high] for n, v in found.metrics.items()]
    return Grid(["metric", "expected", "low", "high"], rows)


def fit_lines(found: PrevalenceEstimate) -> str:
    """Whether the new predictions are such as a change of the mix alone would give."""
    lines = []
    for method, fit in found.fits.items():
        name = "stated mix" if method == "stated" else f"mix by {METHOD_NAMES[method]}"
        if fit.p is None:
            why = "nothing to test, any such shares would fit"
            if found.n_unlabelled is None or not found.replicates:
                why = "not tested, the samples' sizes are unknown"
            lines.append(f"fit of the {name}: {why}")
        else:
            p = f"p = {fit.p:.3f}" if fit.p >= 0.001 else "p < 0.001"
            says = "speaks against it" if fit.p < 0.05 else "no sign of more than a change of mix"
            lines.append(f"fit of the {name}: {p} ({fit.test}): {says}")
    return "\n".join(lines)


def estimate_text(found: PrevalenceEstimate, name: str, digits: int, *, fancy: bool = False) -> str:
    """The mix by every method, the predictions, the fit, and the scores to expect."""
    new = "shares" if found.n_unlabelled is None else f"{found.n_unlabelled:,} unlabelled"
    facts = f"{visible(name)}: {counted(found.n, 'labelled item', 'labelled items')}, {new}"
    if found.replicates:
        facts += f", {100 * found.level:g} % intervals over both"
    at = f"Expected at the mix by {METHOD_NAMES[found.method]}:"
    if found.method == "stated":
        at = "Expected at the stated mix:"
    return "\n\n".join(
        [
            _title(facts, fancy),
            _title("Class mix of the new data", fancy)
            + "\n"
            + class_table(found.class_grid, digits),
            _title("Predictions there, and precision", fancy)
            + "\n"
            + class_table(found.prediction_grid, digits),
            fit_lines(found),
            _title(at, fancy) + "\n" + plain(found.metric_grid, digits),
            ASSUMED,
            f"signature  {found.signature}",
        ]
    )
