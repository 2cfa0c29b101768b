"""The commands score, compare, rank and report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evenhand.cli import options, sources
from evenhand.cli import output as out
from evenhand.cli.options import Flags, OutputOptions, SourceOptions, of_metrics, of_output, refuse
from evenhand.options import (
    CompareOptions,
    JudgingOptions,
    RankOptions,
    ReportOptions,
    ScoreOptions,
    ScoringOptions,
    ThresholdsOptions,
)


@options.command(
    ScoreOptions,
    usual="true pred id matrix probabilities by cluster metric average interval all explain plot "
    "layout footnote format output",
)
@options.files(metavar="[GOLD PRED | FILE | LOG]")
@sources.one
@options.declared(ScoreOptions)
@sources.judged
@options.file("--judge-table", "The judge's table elsewhere; --true has its labels here.")
@of_metrics("--thresholds", "Scores by the threshold of a class's probability.", "LABEL")
@of_metrics("--groups", "With --by: the worst group, differences, ratios.", is_flag=True)
@of_metrics("--all full", "Every metric, not only the usual ones.", is_flag=True)
@of_output("--explain", "Also what the metrics mean and what they hide.", is_flag=True)
@options.footnote
@options.printed
@options.output(
    "confusion", "counts", "classes", "gap", "lemma", "ring",
    "reliability", "roc", "precision_recall", "histogram",
)  # fmt: skip
def score_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """Score one system: every metric with its interval, both macro F1s, and each class.

    The input is two files, of lines or columns; one file with columns; a saved table; what R's
    caret has printed of one; or a confusion table. Files may be text, CSV, TSV, JSON, JSON Lines,
    Excel, Parquet or Arrow, a pattern, a folder of Parquet, an archive, or - for standard input.

    \b
    evenhand score gold.txt pred.txt
    evenhand score answers.csv --true gold --pred system --by language
    evenhand score log.eval
    evenhand score --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog
    evenhand score answers.csv --true gold --pred system --by language --groups --metric macro_f1
    evenhand score gold.tsv run.tsv --id id --true label --pred label --missing wrong
    evenhand score gold.tsv run.tsv --no-header --true 2 --pred 2
    evenhand score caret-output.txt
    evenhand score gold.txt pred.txt --metric macro_f1@uniform --format json
    evenhand score gold.txt pred.txt --footnote --format latex
    evenhand score gold.txt pred.txt --layout paper -o table.tex
    evenhand score gold.txt pred.txt --plot confusion.svg
    evenhand score gold.txt pred.txt --distance ordinal --labels low,middle,high
    evenhand score gold.txt pred.txt --distance costs.csv --metric mean_cost
    evenhand score gold.txt pred.txt --distance tree.csv --metric hierarchical_f1
    evenhand score tagged.jsonl --true gold --pred tags --kind tokens
    evenhand score answers.csv --true topics --pred system --separator '|'
    evenhand score answers.csv --true gold --probabilities p_
    evenhand score answers.csv --true gold --probabilities p_ --thresholds spam --plot sweep.svg
    evenhand score answers.csv --true gold --pred system --cluster document --interval bootstrap
    """
    from evenhand.scoring.score import score

    if flags.groups or flags.thresholds is not None:
        result, chart = (by_group if flags.groups else by_threshold)(source, flags)
        out.show(result, output, source.name)
        if output.plot is not None:
            out.draw(chart(result), output)
        return
    many = flags.judge is not None and len(source.pred) > 1
    refuse(many, "--judge: score takes the --pred of one system; rank takes several.")
    judged = sources.judged_from(source, flags)
    loaded = judged or sources.data_from(source, drawn=flags.drawn, soft=True)
    arguments = flags.arguments(loaded.data)
    if flags.judge_table is not None:
        words = "--judge-table is for items without human labels: leave out --judge."
        refuse(judged is not None, words)
        arguments["judge_table"] = sources.table_from(flags.judge_table, source)
    if flags.full and not getattr(loaded.data, "graded", False):  # which have one metric
        arguments["metrics"] = flags.metrics or "all"
    scores = score(loaded.data, **arguments).noted(*loaded.notes)
    if scores.samples_note is not None:
        from evenhand.scoring.samples import samples_of

        own = samples_of(loaded.data, loaded.notes, scores.level or 0.95)
        scores = replace(scores, item_samples=own)
    out.show(scores, output, source.name, full=flags.full, explain=flags.explain)
    if output.plot is not None:
        from evenhand.reporting.report import chart_of_scores

        binding = {name: arguments[name] for name in ("classes", "undefined")}
        out.draw(chart_of_scores(output.chart, scores, loaded.data, **binding), output)


def by_group(source: SourceOptions, flags: Flags) -> tuple[Any, Any]:
    """The worst group and the others against it, and what draws them."""
    from evenhand.scoring.charts import groups as chart
    from evenhand.scoring.groups import groups

    other = flags.full or flags.explain or flags.thresholds is not None
    refuse(other, "--groups goes without --all, --explain and --thresholds.")
    no_groups = source.of_columns and not source.by
    refuse(no_groups, "--groups needs --by, the column that says of which group it is.")
    other = flags.interval != "auto" or flags.transform is not None or flags.stratify
    refuse(other, "--groups has intervals of its own: leave out --interval.")
    loaded = sources.data_from(source)
    result = groups(loaded.data, **flags.arguments(loaded.data, JudgingOptions))
    return result.noted(*loaded.notes), chart


def by_threshold(source: SourceOptions, flags: Flags) -> tuple[Any, Any]:
    """The scores along the threshold of a label, and what draws them."""
    from evenhand.data.labels import positions
    from evenhand.scoring.charts import thresholds as chart
    from evenhand.scoring.thresholds import thresholds

    refuse(flags.full or flags.explain, "--thresholds goes without --all and --explain.")
    no_scores = source.probabilities is None or source.decide is not None
    refuse(no_scores, "--thresholds needs --probabilities, and goes without --decide.")
    other = flags.interval not in ("auto", "delta", None) or flags.stratify
    words = "--thresholds goes without --stratify, and with --interval auto, delta or none."
    refuse(other, words)
    far = flags.distance is not None
    refuse(far, "--thresholds goes without --distance: it follows margins alone.")
    sources.whole_only(source, "score --thresholds", "macro_f1")
    loaded = sources.data_from(source, soft=True)
    positions([flags.thresholds], loaded.data.labels, "--thresholds")
    first, *more = flags.metrics or ("macro_f1",)
    arguments = flags.arguments(loaded.data, ThresholdsOptions)
    arguments |= {"label": flags.thresholds, "by_metric": first, "metrics": more or None}
    return thresholds(loaded.data, **arguments).noted(*loaded.notes), chart


# ``evenhand compare``: are two systems different?

COMPARE_EXPLAIN = "--explain shows every pair on the other metrics."


@options.command(
    CompareOptions,
    usual="true pred id metric baseline margin tests level by cluster missing explain plot layout "
    "footnote format output",
)
@options.files(metavar="[GOLD A B… | FILE | LOGS]")
@sources.several
@sources.judged_pairs
@options.declared(CompareOptions)
@of_output("--explain", "Also all pairs on the other metrics, where they are many.", is_flag=True)
@options.printed
@options.footnote
@options.output("differences", "ring")
def compare_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """Compare two or more systems on the same items: difference, interval, tests.

    The input is GOLD and a file of predictions for each system, one label per line, or one CSV or
    TSV file with a column for each. The first metric is the primary one (macro F1 unless named),
    corrected over the pairs; the others are corrected separately. The p value is by
    randomisation of the studentised difference, in averages at least that of difference/error;
    --tests all adds that, the paired bootstrap and, for accuracy, McNemar's test.

    \b
    evenhand compare gold.txt a.txt b.txt
    evenhand compare a.eval b.eval
    evenhand compare gold.txt a.txt b.txt --metric macro_f1 --tests all
    evenhand compare gold.txt a.txt b.txt --metric macro_f1 --margin 0.01
    evenhand compare gold.txt old.txt new.txt --baseline old.txt
    evenhand compare gold.txt a.txt b.txt --plot differences.pdf
    evenhand compare answers.csv --true gold --pred a --pred b --cluster document
    evenhand compare gold.tsv a.tsv b.tsv --id id --label label --missing wrong
    """
    from evenhand.comparing.compare import compare
    from evenhand.io.loading import refuse_few
    from evenhand.results.document import Paragraph

    loaded = sources.judged_from(source, flags) or sources.compared_from(source)
    sample = loaded.data
    refuse_few(sample.systems, loaded.failed)
    refuse(len(sample.systems) < 2, "Expected at least two systems to compare.")
    arguments = flags.arguments(sample)
    arguments["baseline"] = sources.named_system(flags.baseline, sample.systems)
    result = compare(sample, **arguments)
    result = result.noted(*loaded.notes, *sources.left_out(loaded.failed))
    explain = flags.explain or output.style != "table" or output.path is not None
    more = [Paragraph(COMPARE_EXPLAIN)] * (result.abridged and not explain)
    out.show(result, output, more=more, explain=explain)
    if output.plot is not None:
        from evenhand.reporting.report import chart_of_comparison

        rules = {name: arguments[name] for name in ("classes", "undefined")}
        sample = sample if flags.judge is None else sample.by_human()
        out.draw(chart_of_comparison(output.chart, result, sample, **rules), output)
    out.end(not loaded.failed)


# ``evenhand rank``: a leaderboard that says how much it means.

RANK_EXPLAIN = "--explain shows ranks by other metrics, swapped pairs and what guessing scores."


@options.command(
    RankOptions,
    usual="true pred id system run by-metric metric by missing keep-going set explain layout plot "
    "footnote format output",
)
@options.files(metavar="[GOLD PRED… | FILE | LOGS]")
@sources.sources_ranked
@sources.judged_pairs
@options.declared(ScoringOptions)
@options.file(
    "--set sets",
    "A data set in place of GOLD PRED…: PREDS is a folder or a quoted pattern (repeatable).",
    metavar="NAME GOLD PREDS",
    nargs=3,
    multiple=True,
)
@options.choice(
    "--columns",
    ("auto", "metrics", "slices"),
    "What --layout paper has columns of.",
    group="Output",
)
@options.choice(
    "--intervals", ("pm", "ends", "small", "none"), "How --layout paper has them.", group="Output"
)
@of_output("--long", "CSV with one row a number instead of one a system.", is_flag=True)
@of_output("--explain", "Also the ranks by other metrics, and guessing.", is_flag=True)
@options.footnote
@options.printed
@options.output("leaderboard", "ranks")
def rank_command(source: SourceOptions, flags: Flags, output: OutputOptions) -> None:
    """Rank systems on the same items: leaderboard with intervals, ties, and P(best), the
    probability of being the best.

    The input is GOLD and a file of predictions for each system, of lines or columns; one wide
    file with a column for each system; one long file with --system; or tables alone. The
    leaderboard has each score with its interval, the interval of its rank, the probability of
    being best (bootstrap) and letters: systems that share one tie, paired tests find no
    significant difference. --explain adds the ranks by every other metric.

    \b
    evenhand rank gold.txt systems/*.txt
    evenhand rank logs/
    evenhand rank gold.txt systems/*.txt --by-metric macro_recall --format latex
    evenhand rank answers.csv --true gold --id id
    evenhand rank gold.tsv runs/*.tsv --id id --label label --missing wrong --keep-going
    evenhand rank gold.tsv runs.zip --no-header --true 2 --pred 2
    evenhand rank gold.txt systems/*.txt --plot ranks.svg --chart ranks
    evenhand rank long.csv --true gold --pred label --system team --run seed --id id
    evenhand rank --tables a.json b.json
    evenhand rank gold.txt systems/*.txt --layout paper -o table.tex
    evenhand rank --set German de/gold.txt 'de/*.run' --set Dutch nl/gold.txt 'nl/*.run'
    """
    from evenhand.results.document import Paragraph

    paper = {"columns": flags.columns, "intervals": flags.intervals}
    for name in filter(options.on_command_line, paper):
        refuse(output.layout != "paper", f"--{name} goes with --layout paper.")
    judged, sets = sources.judged_from(source, flags), flags.sets
    loaded = judged or (sources.sets_from(source, sets) if sets else sources.entries_from(source))
    board = sources.ranked(loaded, source, flags)
    explain = flags.explain or output.style != "table" or output.path is not None
    shown_options: dict[str, Any] = {"long": flags.long, "explain": explain}
    more = [] if explain else [Paragraph(RANK_EXPLAIN)]
    if output.layout == "paper":
        shown_options, more = paper, []
    out.show(board, output, more=more, **shown_options)
    if output.plot is not None:
        from evenhand.reporting import plot

        out.draw(getattr(plot, output.chart)(board), output)
    out.end(not loaded.failed)


# ``evenhand report``: one file to publish.

PLACES = {"html": "report.html", "markdown": "report.md"}
"""Where a report goes unless told."""
ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown"}


@options.command(
    ReportOptions,
    usual="title true pred id system by cluster matrix metric by-metric missing keep-going format "
    "output",
)
@options.files(metavar="[GOLD PRED… | FILE | LOGS]")
@options.declared(ReportOptions, "title")
@sources.reported
@options.declared(ScoringOptions)
@of_output(
    "--format style",
    "A page with pictures, or Markdown  [default: html; markdown for a file .md]",
    type=options.WordParam(list(PLACES)),
    default=lambda: options.by_ending(
        ENDINGS, click.get_current_context().params.get("output"), "html"
    ),
)
@options.written(
    "--output -o",
    "Where to write it, - for the screen  [default: report.html or report.md]",
    default=lambda: PLACES[click.get_current_context().params["style"]],
)
def report_command(source: SourceOptions, flags: Flags) -> None:
    """Write a report to publish: verdict, leaderboard, intervals, classes, prevalence, data.

    The input is that of score (one system), or of compare and rank (several). The HTML file needs
    no network and opens from disk; drawing needs pip install 'evenhand[plot]'.

    \b
    evenhand report gold.txt systems/*.txt --title "Our task" -o report.html
    evenhand report gold.txt pred.txt
    evenhand report logs/
    evenhand report answers.csv --true gold --pred a --pred b
    evenhand report --matrix "6 1 1; 1 5 2; 2 3 7" --labels bird,cat,dog --format markdown
    """
    from evenhand.reporting.report import report_on

    if flags.style == "html":
        from evenhand.charts.chart import require

        require()
    one = sources.of_one(source)
    alone = replace(source, keep_going=False)  # there is nothing to go on with
    loaded = sources.data_from(alone, soft=True) if one else sources.entries_from(source)
    name = (Path(source.files[-1]).name if source.files else source.name) if one else ""
    draws = None if one else (1 + len(loaded.data.slices)) * flags.replicates
    with out.progress("drawing", draws) as advance:
        drawing: Any = {"runs": loaded.runs or source.run, "progress": advance}
        own = ReportOptions(**flags.arguments(loaded.data), **drawing)
        notes = (*loaded.notes, *sources.left_out(loaded.failed))
        report = report_on(loaded.data, own, name=name, notes=notes)
        text = report.to_html() if flags.style == "html" else report.to_markdown()
    out.write(text.rstrip("\n"), flags.output)
    if not out.on_screen(flags.output):  # where the report itself has them
        out.warn(report.warning_lines)
    if flags.output != "-":
        size = len(text.encode("utf-8")) / 1000
        out.line(f"wrote {flags.output} ({size:,.0f} kB)", to_stderr=True)
    out.end(not loaded.failed)
