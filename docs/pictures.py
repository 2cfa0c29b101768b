"""Draw the pictures of README.md and docs, from the example shared task and of the papers'
figures: ``make pictures``."""

from pathlib import Path

import evenhand as eh
from evenhand.papers.figures import figures

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "shared-task"
OUT = ROOT / "docs" / "pictures"


def lines(path: Path) -> list[str]:
    """One label a line."""
    return path.read_text(encoding="utf-8").splitlines()


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
        "places": eh.plot.places(board),
        "agreement": eh.plot.agreement(board),
        "confusion": eh.plot.confusion(sample.table("balanced")),
        "classes": eh.plot.classes(sample.table("balanced")),
        "gap": eh.plot.gap(sample.table("accuracy-first")),
        "prevalence": eh.plot.prevalence(eh.shift.sweep(two, label="neutral")),
        "difference": eh.plot.difference(two),
    }
    charts |= {f"papers/{figure.name}": figure.chart for figure in figures()}
    (OUT / "papers").mkdir(parents=True, exist_ok=True)
    for name, chart in charts.items():
        chart.save(OUT / f"{name}.svg")
        print(f"docs/pictures/{name}.svg  {chart.description}")


if __name__ == "__main__":
    main()
