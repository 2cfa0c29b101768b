"""``evenhand score``: everything about one system."""

from __future__ import annotations

from typing import Any

import click

from evenhand.cli import options


@click.command(short_help="Score one system.")
@click.argument("files", nargs=-1, metavar="[GOLD PRED | FILE]")
@options.tables
@options.metrics
@options.averaging
@click.option(
    "--interval",
    type=click.Choice(["auto", "delta", "bootstrap", "bca", "wilson", "none"]),
    default="auto",
    show_default=True,
    help="How sure: auto is wilson for plain proportions, else delta on the metric's range.",
)
@click.option(
    "--transform",
    type=click.Choice(["logit", "fisher", "range"]),
    help="Keep delta intervals inside the metric's range.",
)
@options.draws
@click.option(
    "--stratify", is_flag=True, help="The class mix was fixed by design: resample within classes."
)
@options.output
def command(
    files: tuple[str, ...],
    metrics: tuple[str, ...],
    average: str,
    classes: tuple[str, ...],
    exclude: tuple[str, ...],
    undefined: str,
    interval: str,
    transform: str | None,
    level: float,
    replicates: int,
    seed: int,
    cluster: str | None,
    stratify: bool,
    style: str,
    output: str | None,
    digits: int,
    **source: Any,
) -> None:
    """Score one system: every metric with its interval, both macro F1s, and each class.

    The input is two files with one label a line, one CSV or TSV file with columns, or a
    confusion table.

    \b
    evenhand score gold.txt pred.txt
    evenhand score answers.csv --true gold --pred system --by language
    evenhand score --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog
    evenhand score gold.txt pred.txt --metric macro_f1@uniform --format json
    evenhand score answers.csv --true gold --pred system --cluster document --interval bootstrap
    """
    from evenhand.infer.interval import tables_of
    from evenhand.scoring.score import score

    drawn = interval in ("bootstrap", "bca")
    data = _data(files, source, cluster, items=bool(cluster or (drawn and source["weights"])))
    scores = score(
        data,
        list(metrics) or None,
        classes=options.averaged_classes(tables_of(data), average, classes, exclude),
        undefined=undefined,
        interval=None if interval == "none" else interval,
        level=level,
        replicates=replicates,
        seed=seed,
        transform=transform,
        stratify=stratify,
    )
    name = " × ".join(files) or "matrix"
    if style == "table":
        from evenhand.format.report import score_text

        text = score_text(scores, name, digits, fancy=options.on_terminal(output))
    else:
        text = options.written(scores, style, digits)
    options.write(text, output)
    options.warn(scores.warnings)
    for part in scores.slices:
        options.warn(f"{part.key}: {w}" for w in part.warnings)


def _data(
    files: tuple[str, ...], source: dict[str, Any], cluster: str | None, *, items: bool
) -> Any:
    """A table; or a sample, where the table would forget what the interval needs."""
    from evenhand.cli.inputs import sample_from, table_from

    if not items:
        return table_from(files, **source)
    if len(files) != 1 or source["matrix"] or source["by"]:
        raise click.UsageError(
            "--cluster, and a bootstrap of --weights, need one file with --true and --pred "
            "columns, without --by."
        )
    kept = {name: source[name] for name in ("true", "weights", "labels")}
    return sample_from(
        files, pred=[source["pred"]] if source["pred"] else [], cluster=cluster, **kept
    )
