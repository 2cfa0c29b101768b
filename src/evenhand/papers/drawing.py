"""Write the figures: data and specification always, pictures where the renderer is installed."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evenhand.count.whole import whole
from evenhand.draw import render
from evenhand.errors import InputError
from evenhand.papers.figures import DRAWS, Figure, Statistic, figures
from evenhand.results import grid as grids
from evenhand.results.grid import Cell, Grid
from evenhand.results.json import SCHEMA, record
from evenhand.results.text import visible

MISSING = (
    "pictures were not drawn: vl-convert-python is not installed (pip install 'evenhand[plot]'); "
    "the data and the Vega-Lite specifications were written"
)


@dataclass(frozen=True)
class Drawn:
    """The files that were written, and the printed statistics beside the measured ones."""

    files: tuple[str, ...]
    statistics: tuple[Statistic, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Exactly what ``evenhand papers figures --format json`` prints."""
        return record(
            {
                "schema": SCHEMA,
                "files": list(self.files),
                "statistics": [vars(s) for s in self.statistics],
                "notes": list(self.notes),
            }
        )

    @cached_property
    def grid(self) -> Grid:
        """One row a statistic."""
        rows: list[list[Cell]] = [[*vars(s).values()] for s in self.statistics]
        return Grid(["figure", "what", "printed", "measured"], rows)

    @property
    def long_grid(self) -> Grid:
        """The same for CSV."""
        return self.grid

    def to_markdown(self, *, digits: int = 4) -> str:
        """The statistics as a table."""
        return grids.markdown(self.grid, digits)

    def to_latex(self, *, digits: int = 4) -> str:
        """The statistics for a paper."""
        return grids.latex(self.grid, digits)

    def __repr__(self) -> str:
        listed = "\n".join(map(visible, self.files))
        return f"{grids.plain(self.grid, label_width=60)}\n\n{listed}"


def draw(directory: str, *, seed: int = 0, draws: int = DRAWS) -> Drawn:
    """Simulate and write every figure into the directory, which is made if need be."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise InputError(f"{directory} cannot be made: {e.strerror}") from None
    made = figures(seed, draws)
    rendering = render.available()
    files: list[str] = []
    for figure in made:
        files += _written(figure, folder, rendering)
    statistics = tuple(s for f in made for s in f.statistics)
    return Drawn(tuple(files), statistics, () if rendering else (MISSING,))


def _written(figure: Figure, folder: Path, rendering: bool) -> list[str]:
    chart = figure.chart
    content: dict[str, str | bytes] = {"csv": _rows(figure), "vl.json": f"{chart.to_json()}\n"}
    if rendering:
        content |= {"svg": chart.to_svg(), "png": chart.to_png()}
    names = []
    for ending, made in content.items():
        names.append(f"{folder / figure.name}.{ending}")
        with whole(names[-1]) as part:
            part.write_bytes(made if isinstance(made, bytes) else made.encode("utf-8"))
    return names


def _rows(figure: Figure) -> str:
    """The data of a figure as CSV."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(figure.rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(figure.rows)
    return file.getvalue()
