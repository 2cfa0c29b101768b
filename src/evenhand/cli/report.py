"""``evenhand report``: one file to publish."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli import names, options, out

if TYPE_CHECKING:
    from evenhand.show.report.result import Report

PLACES = {"html": "report.html", "markdown": "report.md"}
"""Where a report goes unless told."""


@dataclass(frozen=True)
class Asked:
    """How the systems are scored."""

    by_metric: str
    metrics: tuple[str, ...]
    average: str
    classes: tuple[str, ...]
    exclude: tuple[str, ...]
    undefined: str
    level: float
    replicates: int
    seed: int
    cluster: str | None
    title: str | None


@names.command(short_help="A report as one HTML file.")
@click.argument("files", type=names.FILE, nargs=-1, metavar="[GOLD RUN… | FILE]")
@click.option("--title", help="Heading of the report.")
@options.ranked
@options.matrix
@options.metrics
@options.averaging
@options.draws
@click.option(
    "--format",
    "style",
    type=click.Choice(["html", "markdown"]),
    default="html",
    show_default=True,
    help="A page with pictures, or Markdown for GitHub.",
)
@click.option(
    "--output",
    type=names.Output(),
    default=lambda: PLACES[click.get_current_context().params["style"]],
    metavar="FILE",
    help="Where to write it, - for the screen  [default: report.html or report.md]",
)
@click.pass_context
def command(
    ctx: click.Context, /, files: tuple[str, ...], style: str, output: str, **given: Any
) -> None:
    """Write a report to publish: verdict, leaderboard, intervals, classes, prevalence, data.

    The input is that of score (one system), or of compare and rank (several). The HTML file needs
    no network and opens from disk; drawing needs pip install 'evenhand[plot]'.

    \b
    evenhand report gold.txt systems/*.txt --title "Our shared task" --output report.html
    evenhand report gold.txt pred.txt
    evenhand report answers.csv --true gold --pred a --pred b
    evenhand report --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog --format markdown
    """
    if style == "html":
        from evenhand.draw.render import require

        require()
    asked = Asked(**{name: given.pop(name) for name in Asked.__dataclass_fields__})
    failed: dict[str, str] = {}
    if _one(files, given):
        report = _of_one(files, given, asked)
    else:
        report, failed = _of_several(files, given, asked)
    from evenhand.cli.progress import progress

    with progress("drawing"):
        text = report.to_html() if style == "html" else report.to_markdown()
    out.write(text.rstrip("\n"), output)
    out.warn(report.warnings)
    if output != "-":
        size = len(text.encode("utf-8")) / 1000
        out.wrote(output, f" ({size:,.0f} kB)")
    if failed:
        ctx.exit(1)


def _one(files: tuple[str, ...], given: dict[str, Any]) -> bool:
    """Whether the input is that of ``score``."""
    if given["matrix"] is not None:
        return True
    if given["tables"] or given["system"]:
        return False
    if len(files) == 2:
        return True
    if len(files) != 1:
        return False
    from evenhand.count.saved import is_saved, load

    if is_saved(files[0]):
        return not load(files[0]).table.shape
    return len(given["pred"]) == 1


def _of_one(files: tuple[str, ...], given: dict[str, Any], asked: Asked) -> Report:
    from evenhand.cli.inputs import data_from, named
    from evenhand.scoring.score import score
    from evenhand.show.report.of_scores import report_of_scores
    from evenhand.table import Confusion

    of_rank = ("system", "run", "tables", "keep_going")
    source = {name: v for name, v in given.items() if name not in of_rank}
    source["pred"] = given["pred"][0] if given["pred"] else None
    loaded = data_from(files, source, asked.cluster, items=bool(asked.cluster))
    table = loaded.table.tables()
    if isinstance(table, Confusion) and table.shape == (1,) and asked.cluster:
        table = table[0]
    rule = options.averaged_classes(table, asked.average, asked.classes, asked.exclude)
    scores = score(
        loaded.table,
        metrics=list(asked.metrics) or None,
        classes=rule,
        undefined=asked.undefined,
        level=asked.level,
        replicates=asked.replicates,
        seed=asked.seed,
    )
    scores = scores.noted(*loaded.notes)
    name = Path(files[-1]).name if files else named(given["matrix"])
    title = asked.title or f"How good is {name}?"
    return report_of_scores(scores, table, title=title, classes=rule, undefined=asked.undefined)


def _of_several(
    files: tuple[str, ...], given: dict[str, Any], asked: Asked
) -> tuple[Report, dict[str, str]]:
    from evenhand.cli.entries import entries_from
    from evenhand.cli.progress import progress
    from evenhand.notes.ranks import LeftOut
    from evenhand.ranking.entries import entries_of
    from evenhand.ranking.rank import rank
    from evenhand.sample import Sample
    from evenhand.show.report.of_board import report_of_board

    source = {n: v for n, v in given.items() if n not in ("matrix", "rows")}
    found = entries_from(files, cluster=asked.cluster, **source)
    with progress("counting"):
        entries = entries_of(found.data, **found.options)
    tables = entries.tables
    rule = options.averaged_classes(tables, asked.average, asked.classes, asked.exclude)
    data: tuple[Any, ...] = found.data
    how: dict[str, Any] = dict(found.options)
    if not entries.slices and isinstance(entries.data, Sample):
        data, how = (entries.data,), {"runs": found.options["runs"]}  # counted once is enough
    with progress("bootstrap", found.units * asked.replicates) as advance:
        board = rank(
            *data,
            **how,
            by_metric=asked.by_metric,
            metrics=[asked.by_metric, *asked.metrics] if asked.metrics else None,
            classes=rule,
            undefined=asked.undefined,
            level=asked.level,
            replicates=asked.replicates,
            seed=asked.seed,
            progress=advance,
        )
    left = (LeftOut(name, reason) for name, reason in found.failed.items())
    board = board.noted(*found.notes, *left)
    sample = entries.data if isinstance(entries.data, Sample) else None
    names = f"{len(board.systems)} systems by {board.metric}"
    with progress("comparing"):
        made = report_of_board(
            board,
            tables,
            sample,
            title=asked.title or names,
            classes=rule,
            undefined=asked.undefined,
            seed=asked.seed,
        )
    return made, dict(found.failed)
