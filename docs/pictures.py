"""Draw the pictures of README.md and docs, from the example shared task and of the papers'
figures: ``make pictures``."""

from functools import partial
from pathlib import Path

import evenhand as eh
from evenhand.charts.chart import Chart, Spec, bars, layered, numbers, points, text
from evenhand.papers.figures import figures
from evenhand.results.page import LIGHT

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "shared-task"
OUT = ROOT / "docs" / "pictures"


def lines(path: Path) -> list[str]:
    """One label per line."""
    return path.read_text(encoding="utf-8").splitlines()


START = {"a": (0.8, 0.6), "b": (0.9, 0.3), "c": (0.3, 0.7), "d": (0.0, 0.0)}
"""Precision and recall of four classes, from which the pictures of the proof start."""


def proof_steps() -> list[tuple[str, dict[str, tuple[float, float]]]]:
    """The steps of the proof of theorem 3, each with the classes' precision and recall after it."""
    classes, steps = dict(START), [("start", dict(START))]
    for name, (p, r) in START.items():
        others = sum(y - x for other, (x, y) in classes.items() if other != name)
        if (r - p) * others > 0:
            p, r = r, p
            classes[name] = p, r
            steps.append((f"{name}: swap", dict(classes)))
        if p and r:
            p, r = (p, 0.0) if r < p else (0.0, r)
            classes[name] = p, r
            steps.append((f"{name}: smaller to 0", dict(classes)))
    classes = {name: (float(p > 0), float(r > 0)) for name, (p, r) in classes.items()}
    steps.append(("not 0: to 1", dict(classes)))
    steps += [
        ("0, 0: precision to 1", {n: pr if any(pr) else (1.0, 0.0) for n, pr in classes.items()})
    ]
    return steps


def gap(classes: dict[str, tuple[float, float]]) -> float:
    """The gap of classes with these precisions and recalls."""
    k = len(classes)
    p, r = (sum(x) / k for x in zip(*classes.values(), strict=True))
    f1 = sum(2 * x * y / (x + y) if x + y else 0 for x, y in classes.values()) / k
    return 2 * p * r / (p + r) - f1


def proof() -> tuple[Chart, Chart]:
    """The steps as points in the unit square, and the gap that rises with them."""
    panels, rising, before = [], [], dict(START)
    for i, (step, classes) in enumerate(proof_steps()):
        places: dict[tuple[float, float], list[str]] = {}
        for name, place in classes.items():
            places.setdefault(place, []).append(name)
        dots = [{"p": p, "r": r, "label": ", ".join(v), "tip": f"{', '.join(v)}: {p:g}, {r:g}"}
                for (p, r), v in places.items()]  # fmt: skip
        moved = [{"p": before[n][0], "r": before[n][1], "p2": p, "r2": r}
                 for n, (p, r) in classes.items() if before[n] != (p, r)]  # fmt: skip
        axis = {"tickCount": 2, "grid": False}
        axes = {x: numbers(x, t, domain=[0, 1]) | {"axis": axis}
                for x, t in (("p", "precision"), ("r", "recall"))}  # fmt: skip
        trail = {"mark": {"type": "rule", "color": LIGHT["purple"], "strokeDash": [3, 3]},
                 "data": {"values": moved},
                 "encoding": {"x2": {"field": "p2"}, "y2": {"field": "r2"}}}  # fmt: skip
        left = text({"align": "left", "dx": 6, "dy": -7, "fontWeight": "bold"},
                    {"text": {"field": "label"}})  # fmt: skip
        diagonal = {"mark": {"type": "line", "color": LIGHT["line"]},
                    "data": {"values": [{"p": 0, "r": 0}, {"p": 1, "r": 1}]}}  # fmt: skip
        dot = points({}, size=60, color=LIGHT["blue"])
        panel = layered(dots, 110, 110, diagonal, trail, dot, left,
                        encoding={"x": axes["p"], "y": axes["r"]})  # fmt: skip
        value = 100 * gap(classes)
        words = f"gap {value:.1f}"
        panel["view"] = {"stroke": LIGHT["line"]}
        panel["title"] = {"text": f"{i}. {step}", "subtitle": words, "fontSize": 11}
        panels.append(panel)
        rising.append(
            {"pair": f"{i}. {step}", "value": value, "text": f"{value:.1f}", "tip": words}
        )
        before = classes
    squares: Spec = {"concat": panels, "columns": 4, "bounds": "flush"}
    squares["spacing"] = {"row": 100, "column": 44}
    bar = partial(bars, rising, title="gap in points, at most 50", colour=LIGHT["purple"], name="")
    words = "; ".join(f"{row['pair']} {row['text']}" for row in rising)
    head = "Precision and recall of four classes, step by step"
    return Chart(squares, head, words), Chart.drawn(bar, "The gap at each step", words)


def main() -> None:
    """Every picture: of the demo's data, then the papers'."""
    gold = lines(EXAMPLE / "gold.txt")
    runs = {p.stem: lines(p) for p in sorted((EXAMPLE / "systems").glob("*.txt"))}
    sample = eh.Sample.from_labels(gold, runs)
    two = eh.Sample.from_labels(gold, {name: runs[name] for name in ("balanced", "detectors")})
    board = eh.rank(sample)
    charts = {
        "leaderboard": eh.plot.leaderboard(board),
        "ranks": eh.plot.ranks(board),
        "confusion": eh.plot.confusion(sample.table("balanced")),
        "classes": eh.plot.classes(sample.table("balanced")),
        "gap": eh.plot.gap(sample.table("accuracy-first")),
        "ring": eh.plot.ring(sample.table("accuracy-first")),
        "gate": eh.plot.differences(
            eh.compare(
                gold,
                {name: runs[name] for name in ("strong-b", "strong-a", "eager")},
                metrics="macro_f1",
                baseline="strong-b",
                level=0.9,  # whose lower ends a gate at 95 % asks for
            )
        ),
        "prevalence": eh.plot.prevalence(eh.shift.sweep(two, label="neutral")),
    }
    charts["papers/proof"], charts["papers/proof-gap"] = proof()
    charts["papers/lemma"] = eh.plot.lemma(sample.table("accuracy-first"))
    charts |= {f"papers/{figure.name}": figure.chart for figure in figures()}
    (OUT / "papers").mkdir(parents=True, exist_ok=True)
    for name, chart in charts.items():
        chart.save(OUT / f"{name}.svg")
        print(f"docs/pictures/{name}.svg  {chart.description}")


if __name__ == "__main__":
    main()
