"""Write the figures: data and specification always, pictures where the renderer is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evenhand.draw import render
from evenhand.errors import InputError
from evenhand.files.whole import whole
from evenhand.notes.note import Note
from evenhand.notes.pictures import NotDrawn
from evenhand.papers.figures import FIGURES, Figure, Statistic, named
from evenhand.papers.simulations import DRAWS
from evenhand.results.cells import Cell
from evenhand.results.content import Block, Content, Sheet, Words
from evenhand.results.grid import Grid
from evenhand.results.result import Result
from evenhand.results.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class Redrawn(Result):
    """The files that were written, and the printed statistics beside the measured ones."""

    files: tuple[str, ...]
    statistics: tuple[Statistic, ...]
    cautions: tuple[Note, ...] = ()

    def facts(self) -> dict[str, Any]:
        """What ``evenhand papers figures --format json`` prints."""
        return {
            "files": self.files,
            "statistics": [vars(s) for s in self.statistics],
            "notes": self.warnings,
        }

    def content(self) -> Content:
        """Printed and measured statistics, then the files."""
        said: list[Block] = [Sheet(self._data(), wide=60), Words("\n".join(self.files), "note")]
        title = f"{counted(len(self.files), 'file')} written"
        return Content(title, said, self._data, warnings=self.warnings)

    def _data(self) -> Grid:
        """One row a statistic."""
        rows: list[list[Cell]] = [[*vars(s).values()] for s in self.statistics]
        return Grid(["figure", "what", "printed", "measured"], rows)


def redraw(
    directory: str, words: Sequence[str] = (), *, seed: int = 0, draws: int = DRAWS
) -> Redrawn:
    """Simulate and write every figure, or those whose name has the words, into the directory,
    which is made if need be.
    """
    names = named(words)
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise InputError(f"{directory} cannot be made: {e.strerror}") from None
    made = [FIGURES[name](seed, draws) for name in names]
    rendering = render.available()
    files: list[str] = []
    for figure in made:
        files += _written(figure, folder, rendering)
    statistics = tuple(s for f in made for s in f.statistics)
    return Redrawn(tuple(files), statistics, () if rendering else (NotDrawn(),))


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
